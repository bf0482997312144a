import { describe, expect, test } from 'vitest';
import { keptInEnglish } from './kept-in-english.ts';
import { keptText, keptTexts } from './kept-texts.ts';

/** Amounts in the format that account rows and task rows use. */
const amounts = ['＄0.120000 额度', '＄0.120000', '-＄0.120000 额度', '100000 点额度'];

describe('a Chinese text that a row keeps', () => {
  test('of a failed task is entirely English for an English reader', () => {
    const kept = keptText('taskRefunded', { task: 'task_1', amount: '＄0.120000' });
    expect(keptInEnglish(kept)).toBe('Task task_1 failed; $0.120000 was given back');
  });

  test.each(amounts)('with the amount %s has no Chinese left', (amount) => {
    for (const [name, { zh }] of Object.entries(keptTexts)) {
      const values = [...zh.matchAll(/\{(\w+)\}/g)].map(([, slot = '']) => [
        slot,
        slot === 'amount' ? amount : 'x',
      ]);
      const kept = keptText(
        name as keyof typeof keptTexts,
        Object.fromEntries(values) as Record<string, string>,
      );
      expect(keptInEnglish(kept)).not.toMatch(/[＄\u4e00-\u9fff]/);
    }
  });
});
