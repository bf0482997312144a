import { expect, test } from 'vitest';
import { MarkRounds } from './mark-rounds.ts';

test('marks of one round are written together, each once, and later ones in a round of their own', async () => {
  const rounds = new MarkRounds();
  const made: string[] = [];
  rounds.add(() => made.push('one'));
  rounds.add(() => made.push('two'));
  expect(made).toEqual([]);
  await expect.poll(() => made).toEqual(['one', 'two']);
  rounds.add(() => made.push('three'));
  await expect.poll(() => made).toEqual(['one', 'two', 'three']);
});
