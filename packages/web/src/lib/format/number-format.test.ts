import { expect, test } from 'vitest';
import { formatPercent } from './number-format.ts';

test.each([
  [1, '100.0%'],
  [0.9999, '99.9%'],
  [0.5, '50.0%'],
  [0.00001, '0.1%'],
  [0, '0.0%'],
  [-0.25, '-25.0%'],
])('%d is %s: neither almost all is all, nor hardly anything nothing', (share, words) => {
  expect(formatPercent(share, 'en')).toBe(words);
});
