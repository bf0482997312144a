import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxQuota } from '@tollgate/contract';
import { boughtQuota, moneyText, payableCents, readMoney } from './money.ts';

const rules = { price: 7.3, groupRatio: 1, quotaPerUnit: 500_000, steps: {}, inCurrency: true };

describe('money', () => {
  it('rounds once, half up, exactly where binary fractions would not', () => {
    // 1.005 is 1.00499… as a binary number.
    expect(payableCents(1, { ...rules, price: 1.005 })).toBe(101n);
    expect(payableCents(3, { ...rules, price: 0.07, groupRatio: 0.85 })).toBe(18n);
    expect(payableCents(1, { ...rules, price: 0.0049 })).toBe(0n);
    expect(payableCents(1, { ...rules, inCurrency: false, price: 5_000 })).toBe(1n);
    expect(payableCents(333_333, { ...rules, inCurrency: false, quotaPerUnit: 1_000_000 })).toBe(243n);
  });

  it('buys no more than a balance may have', () => {
    expect(boughtQuota(Math.floor(maxQuota / 500_000), rules)).toBeLessThanOrEqual(maxQuota);
    expect(boughtQuota(Math.floor(maxQuota / 500_000) + 1, rules)).toBeNull();
    expect(boughtQuota(7, { ...rules, quotaPerUnit: 0.5 })).toBe(3);
  });

  it('parses what it formats, and nothing that is not an amount', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (cents) => {
        expect(readMoney(moneyText(cents))).toBe(cents);
      }),
    );
    expect(readMoney('7')).toBe(700n);
    expect(readMoney('7.3')).toBe(730n);
    expect(readMoney('7.300000')).toBe(730n);
    for (const odd of [
      '',
      '7.',
      '.5',
      '7.301',
      '-7.30',
      '+7.30',
      ' 7.30',
      '7,30',
      '7e2',
      '0x7',
      '٧',
      '1'.repeat(16),
    ]) {
      expect(readMoney(odd)).toBeNull();
    }
  });

  it('costs more for more, within a hundredth', () => {
    const price = fc.integer({ min: 1, max: 1_000_000 }).map((value) => value / 1_000);
    const ratio = fc.integer({ min: 1, max: 10_000 }).map((value) => value / 1_000);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), price, ratio, (amount, each, groupRatio) => {
        const given = { ...rules, price: each, groupRatio };
        const cents = payableCents(amount, given);
        expect(payableCents(amount + 1, given) >= cents).toBe(true);
        // Thousandths × thousandths × 100 = hundredths × 10,000.
        const exact =
          BigInt(amount) * BigInt(Math.round(each * 1_000)) * BigInt(Math.round(groupRatio * 1_000));
        const twice = 2n * (exact - cents * 10_000n);
        expect(twice >= -10_000n && twice < 10_000n).toBe(true);
      }),
    );
  });
});
