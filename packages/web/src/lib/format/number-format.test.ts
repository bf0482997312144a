import { expect, test } from 'vitest';
import { localeOf } from '../language.ts';
import { formatNumber, formatPercent } from './number-format.ts';

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

test('numbers and shares are written as Intl writes them in both languages', () => {
  const values = [0, -0.4, 7, 999, 1000, -1000, 12_345.678, 1_234_567.5, 0.0049, 0.146, 1.006, 2 ** 40];
  for (const language of ['zh', 'en'] as const) {
    for (const value of values) {
      const plain = new Intl.NumberFormat(localeOf(language), {
        maximumFractionDigits: 2,
        signDisplay: 'negative',
      });
      expect(formatNumber(value, language, 2)).toBe(plain.format(value));
      const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
      const percent = new Intl.NumberFormat(localeOf(language), { style: 'percent', ...digits });
      expect(formatPercent(value, language)).toBe(percent.format(value));
    }
  }
});
