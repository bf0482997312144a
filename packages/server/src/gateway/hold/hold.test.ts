import type { PriceSnapshot } from '@tollgate/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallLedger } from '../../services/money/ledger/index.ts';
import { buildPrice } from '../../testing/build-price.ts';
import { Hold } from './hold.ts';

/** A hold of this many units; it is never extended here. */
const holdOf = (
  prices: Partial<PriceSnapshot>,
  inputTokens: number,
  amount: number,
  tokens = Infinity,
): Hold =>
  new Hold(
    {
      ledger: {} as CallLedger,
      showQuota: String,
      payer: { accountId: 1, tokenId: 0 },
      requestId: 'r',
      snapshot: buildPrice(prices),
      note: '{}',
      extras: undefined,
      inputTokens,
      amount,
      tokens,
      isPartial: false,
    },
    Promise.resolve(),
  );

/** Cost of an answer with this many tokens. */
const costOf = (prices: Partial<PriceSnapshot>, input: number, output: number): number =>
  holdOf(prices, input, 0).costAt(output);

describe('a hold', () => {
  it('covers no more tokens than it has on budgets that count them, whatever they cost', () => {
    const holds = fc.record({
      ratio: fc.constantFrom(0, 0.5, 3),
      mode: fc.constantFrom('ratio' as const, 'call' as const),
      input: fc.nat(1_000),
      amount: fc.nat(5_000),
      tokens: fc.nat(3_000),
    });
    fc.assert(
      fc.property(holds, ({ ratio, mode, input, amount, tokens }) => {
        const hold = holdOf({ modelRatio: ratio, modelPrice: 0.001, mode }, input, amount, tokens);
        const { paidTokens } = hold;
        expect(paidTokens).toBeLessThanOrEqual(Math.max(0, tokens - input));
        expect(hold.pays(paidTokens) || !hold.covers(hold.needAt(0))).toBe(true);
        expect(hold.pays(tokens - input + 1)).toBe(false);
        expect(hold.tokensLeft(0)).toBeLessThanOrEqual(tokens - input);
      }),
    );
  });

  it('pays for an answer of the length it was taken for, at every price', () => {
    // A price of 8.333 quota units per token is no whole number in any unit.
    const prices = { modelRatio: 1, completionRatio: 8.333_333 };
    for (const asked of [7, 10, 100, 1_000, 1_024, 4_096, 16_384, 65_536]) {
      const hold = holdOf(prices, 9, costOf(prices, 9, asked));
      expect(hold.paidTokens, `${asked} tokens`).toBeGreaterThanOrEqual(asked);
    }
  });

  it('pays for as many tokens as its amount covers and not for one more', () => {
    const ratio = fc.double({ min: 0.01, max: 100, noNaN: true });
    fc.assert(
      fc.property(
        ratio,
        ratio,
        fc.integer({ min: 0, max: 50_000 }),
        fc.integer({ min: 0, max: 100_000 }),
        (modelRatio, completionRatio, input, amount) => {
          const hold = holdOf({ modelRatio, completionRatio }, input, amount);
          const paid = hold.paidTokens;
          expect(paid === 0 || hold.costAt(paid) <= amount).toBe(true);
          expect(hold.costAt(paid + 1)).toBeGreaterThan(amount);
          // The check before each call uses the same limit.
          const plain = Math.min(paid, 1_000_000);
          expect([plain === 0 || hold.pays(plain), hold.pays(paid + 1)]).toEqual([true, false]);
        },
      ),
    );
  });

  it('bounds nothing where output costs nothing', () => {
    expect(holdOf({ modelRatio: 0 }, 5, 1).paidTokens).toBe(1_000_000);
    expect(holdOf({ mode: 'call', modelPrice: 0.01 }, 5, 5_000).paidTokens).toBe(1_000_000);
  });
});
