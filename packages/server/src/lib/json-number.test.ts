import { expect, it } from 'vitest';
import { numberOf } from './json.ts';

it('a number is read where there is one, and an object does not end the reading', () => {
  const hostile = JSON.parse('{"toString":1,"valueOf":2}') as Record<string, number>;
  for (const value of [undefined, null, true, '', ' ', 'x', [5], {}, hostile, [hostile]])
    expect(numberOf(value)).toBeNaN();
  expect([numberOf(0), numberOf(-1.5), numberOf('429'), numberOf(' 7 ')]).toEqual([0, -1.5, 429, 7]);
});
