import { expect, it } from 'vitest';
import { byTypeNumber, retiredTypes } from './type-numbers.ts';

it('no number is given twice', () => {
  expect(byTypeNumber([{ type: 60, id: 'a' }]).get(60)).toEqual({ type: 60, id: 'a' });
  const both = [
    { type: 60, id: 'a' },
    { type: 60, id: 'b' },
  ];
  expect(() => byTypeNumber(both)).toThrow('b: the number 60 is that of a');
  expect(() => byTypeNumber([both[0]!, both[0]!])).toThrow('that of a');
});

it('no retired number is given again', () => {
  for (const type of retiredTypes.keys()) {
    expect(() => byTypeNumber([{ type, id: 'new' }])).toThrow(`the number ${type} is retired`);
  }
});

it('a reserved number is given to its own vendor alone', () => {
  expect(() => byTypeNumber([{ type: 50, id: 'new' }])).toThrow('new: the number 50 is that of kling');
  expect(byTypeNumber([{ type: 50, id: 'kling' }]).size).toBe(1);
});
