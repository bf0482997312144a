import { describe, expect, it } from 'vitest';
import { exactDigits, moneyDigits, showQuota } from './quota.ts';

const dollars = { inCurrency: true, perUnit: 500_000 };

describe('the precision of money', () => {
  it('is the same for amounts shown together: cents from a dollar on, else six decimals', () => {
    expect(moneyDigits([55_000, 4_764, 100], 500_000)).toBe(6);
    expect(moneyDigits([500_000, 4_764], 500_000)).toBe(2);
    expect(moneyDigits([-600_000], 500_000)).toBe(2);
    expect(moneyDigits([499_999], 500_000)).toBe(6);
    expect(moneyDigits([0, 0], 500_000)).toBe(2);
    expect(moneyDigits([], 500_000)).toBe(2);
  });

  it('never shows an amount above zero as zero', () => {
    expect(showQuota(1, { ...dollars, digits: 2 })).toBe('<$0.01');
    expect(showQuota(-1, { ...dollars, digits: 2 })).toBe('-<$0.01');
    expect(showQuota(1, { ...dollars, digits: 6 })).toBe('$0.000002');
    expect(showQuota(1, { ...dollars, perUnit: 5_000_000, digits: 6 })).toBe('<$0.000001');
    expect(showQuota(0, dollars)).toBe('$0.00');
    expect(showQuota(-1_000_000, dollars)).toBe('-$2.00');
    expect(showQuota(2_500, dollars)).toBe('$0.01');
  });

  it('groups its thousands, whatever its sign and its decimals', () => {
    expect(showQuota(617_283_500_000, dollars)).toBe('$1,234,567.00');
    expect(showQuota(-500_000_000, { ...dollars, digits: 6 })).toBe('-$1,000.000000');
    expect(showQuota(499_999_000, dollars)).toBe('$1,000.00');
    expect(showQuota(499_500_000, dollars)).toBe('$999.00');
  });

  it('of quota without currency is its number', () => {
    expect(showQuota(12_345, { inCurrency: false, perUnit: 500_000 })).toBe('12.3k');
  });
});

it('a column of amounts has the least decimals with which it adds up as shown', () => {
  expect(exactDigits([500_000, 1_000_000], 500_000)).toBe(2);
  expect(exactDigits([500_000, 1], 500_000)).toBe(6);
  expect(exactDigits([5_000, 50], 500_000)).toBe(4);
  expect(exactDigits([1], 3)).toBe(9);
});
