import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dearestTier } from './price-terms.ts';
import {
  billShare,
  checkBill,
  holdFor,
  prepareSnapshot,
  price,
  quotaOf,
  singlePrice,
  type PriceSnapshot,
} from './price.ts';
import { maxQuota } from './quota.ts';
import { atTier, inputTokens, usageCounters, usageOf, type Usage, type UsageCounter } from './usage.ts';

/** Ratios as administrators write them: few decimals, many decimals, zero. */
const ratio = fc.oneof(
  fc.constantFrom(0, 0.5, 1, 1.25, 2, 5),
  fc.integer({ min: 0, max: 100_000 }).map((n) => n / 1000),
  fc.double({ min: 0, max: 100, noNaN: true }),
);
const counterValue = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 0, max: 300 }),
  fc.integer({ min: 0, max: 2_000_000 }),
);
const tierName = fc.constantFrom('priority', 'flex', 'batch');
const usage = fc
  .record({
    ...(Object.fromEntries(usageCounters.map((name) => [name, counterValue])) as Record<
      UsageCounter,
      typeof counterValue
    >),
    reportedTier: fc.option(tierName, { nil: undefined }),
  })
  .map(({ reportedTier, ...counters }): Usage => atTier(counters, reportedTier));
const above = fc.oneof(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 3_000_000 }));
const rise = fc.constantFrom(0, 0.25, 0.5, 1, 1.666666667);
/** Lengths and factors only rise, as options are checked. */
const contextTierList = fc
  .array(fc.record({ above, input: rise, output: rise }), { minLength: 1, maxLength: 3 })
  .map((steps) => {
    let [length, input, output] = [0, 1, 1];
    return steps.map((step) => {
      [length, input, output] = [length + step.above, input + step.input, output + step.output];
      return { above: length, input, output };
    });
  });
const serviceTierValue = fc.record({ factor: ratio, cacheRead: ratio }, { requiredKeys: ['factor'] });
const snapshotOf = (mode: 'ratio' | 'call'): fc.Arbitrary<PriceSnapshot> =>
  fc
    .record({
      modelRatio: ratio,
      completionRatio: ratio,
      cacheRatio: ratio,
      cacheWriteRatio: ratio,
      cacheWrite1hRatio: ratio,
      imageRatio: ratio,
      audioRatio: ratio,
      audioCompletionRatio: ratio,
      groupRatio: ratio,
      modelPrice: mode === 'call' ? ratio : fc.constant(-1),
      webSearchPrice: ratio,
      fileSearchPrice: ratio,
      image: fc.option(ratio, { nil: undefined }),
      quotaPerUnit: fc.constantFrom(500_000, 1_000_000, 123_456.789),
      context: fc.option(contextTierList, { nil: undefined }),
      tiers: fc.option(fc.dictionary(tierName, serviceTierValue), { nil: undefined }),
    })
    .map(({ image, context, tiers, ...parts }) => ({
      ...parts,
      ...(context && { contextTiers: context }),
      ...(tiers && { serviceTiers: tiers }),
      ...(image !== undefined && { imageCompletionRatio: image }),
      mode,
      unset: false,
    }));
const snapshot = fc.oneof(snapshotOf('ratio'), snapshotOf('call'));

/** Sum of both usages, at the tier of the first. */
const sum = (a: Usage, b: Usage): Usage =>
  atTier(usageOf(Object.fromEntries(usageCounters.map((name) => [name, a[name] + b[name]]))), a.tier);

const runs = { numRuns: 1_000 };

describe('the price of any usage at any ratios', () => {
  it('is a whole amount, never below zero', () => {
    fc.assert(
      fc.property(usage, snapshot, (counters, prices) => {
        const quota = quotaOf(counters, prepareSnapshot(prices));
        expect(Number.isSafeInteger(quota)).toBe(true);
        expect(quota).toBeGreaterThanOrEqual(0);
      }),
      runs,
    );
  });

  it('is zero only where a ratio is zero, however near to it the others are', () => {
    const tiny = fc.double({ min: Number.MIN_VALUE, max: 1e-6, noNaN: true });
    fc.assert(
      fc.property(fc.constantFrom('ratio' as const, 'call' as const), tiny, tiny, (mode, ratio, group) => {
        const prices: PriceSnapshot = {
          mode,
          modelRatio: ratio,
          completionRatio: 1,
          cacheRatio: 1,
          cacheWriteRatio: 1,
          cacheWrite1hRatio: 1,
          imageRatio: 1,
          audioRatio: 1,
          audioCompletionRatio: 1,
          groupRatio: group,
          modelPrice: mode === 'call' ? ratio : -1,
          webSearchPrice: 0,
          fileSearchPrice: 0,
          quotaPerUnit: 500_000,
          unset: false,
        };
        const used = usageOf({ input: 1 });
        expect(quotaOf(used, prepareSnapshot(prices))).toBe(1);
        expect(checkBill(price(used, prices))).toBe(true);
        expect(quotaOf(used, prepareSnapshot({ ...prices, modelRatio: 0, modelPrice: 0 }))).toBe(0);
      }),
      runs,
    );
  });

  it('has parts in percent, each with lines that sum to it, within half a unit of the exact part', () => {
    const percent = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(usage, snapshot, percent, (counters, prices, part) => {
        const bill = price(counters, prices);
        const share = billShare(bill, part);
        expect(checkBill(share)).toBe(true);
        expect(billShare(bill, 100).quota).toBe(bill.quota);
        const [whole, of] = [bill, share].map(({ terms }) =>
          terms.reduce((sum, { amount }) => sum + Number(amount), 0),
        );
        expect(Math.abs(of! - (whole! * part) / 100)).toBeLessThanOrEqual(whole! * 1e-9);
        const near = Math.abs(share.quota - of!) <= (share.minimum || 0.5);
        expect(near || bill.quota === maxQuota).toBe(true);
      }),
      runs,
    );
  });

  it('has a unit price only if its product with the quantity is the charge', () => {
    const digits = 120;
    const scale = 10n ** BigInt(digits);
    const scaled = (text: string): bigint => {
      const [whole = '', part = ''] = text.split('.');
      return BigInt(whole + part.padEnd(digits, '0'));
    };
    fc.assert(
      fc.property(usage, snapshot, fc.constantFrom(1, 3, 250, 500_000), (counters, prices, perUnit) => {
        const { terms, quota } = price(counters, prices);
        const found = singlePrice(terms, quota, perUnit);
        const product = found && BigInt(found.quantity) * scaled(found.dollars) * BigInt(perUnit);
        expect(product ?? BigInt(quota) * scale).toBe(BigInt(quota) * scale);
      }),
      runs,
    );
  });

  it('of input and output alone equals a hold for them', () => {
    const tokens = fc.oneof(counterValue, fc.integer({ min: 0, max: 2 ** 40 }));
    const extras = fc.constantFrom(undefined, { calls: 0 }, { calls: 3 }, { calls: 2, factor: 1.5 });
    fc.assert(
      fc.property(tokens, tokens, snapshot, extras, (input, output, prices, more) => {
        // A factor takes the exact path.
        const exact = quotaOf(usageOf({ input, output }), prices, { factor: 1, ...more });
        expect(holdFor(prepareSnapshot(prices), input, output, more)).toBe(exact);
      }),
      runs,
    );
  });

  it('of output images equals a hold for them, at their own price where they have one', () => {
    const tokens = fc.integer({ min: 1, max: 100_000 });
    fc.assert(
      fc.property(tokens, tokens, snapshotOf('ratio'), (input, output, prices) => {
        const held = holdFor(prepareSnapshot(prices), input, output, undefined, 'image');
        expect(held).toBe(quotaOf(usageOf({ input, imageOutput: output }), prices));
        const { imageCompletionRatio = prices.completionRatio, ...others } = prices;
        expect(held).toBe(holdFor({ ...others, completionRatio: imageCompletionRatio }, input, output));
      }),
      runs,
    );
  });

  it('never falls when a counter rises', () => {
    fc.assert(
      fc.property(
        usage,
        snapshot,
        fc.constantFrom(...usageCounters),
        fc.integer({ min: 1, max: 10_000 }),
        (counters, prices, name, more) => {
          const before = quotaOf(counters, prices);
          expect(quotaOf({ ...counters, [name]: counters[name] + more }, prices)).toBeGreaterThanOrEqual(
            before,
          );
        },
      ),
      runs,
    );
  });

  it('differs by at most one unit per call between two calls and their sum', () => {
    fc.assert(
      fc.property(usage, usage, snapshot, fc.nat(5), fc.nat(5), (a, b, prices, callsA, callsB) => {
        // Two short prompts may cost less than a long one.
        const { contextTiers: _, ...plain } = prices;
        const prepared = prepareSnapshot(plain);
        const byCall = prices.mode === 'call';
        const apart =
          quotaOf(a, prepared, byCall ? { calls: callsA } : {}) +
          quotaOf(atTier(usageOf(b), a.tier), prepared, byCall ? { calls: callsB } : {});
        const together = quotaOf(sum(a, b), prepared, byCall ? { calls: callsA + callsB } : {});
        // The maximum limits the cost of one call, and also the cost of two calls together.
        expect(Math.abs(Math.min(apart, maxQuota) - together)).toBeLessThanOrEqual(2);
      }),
      runs,
    );
  });

  it('is the same with plain numbers and with BigInt', () => {
    fc.assert(
      fc.property(usage, snapshot, (counters, prices) => {
        const prepared = prepareSnapshot(prices);
        // A factor of 1 takes the exact path without changing the price.
        expect(quotaOf(counters, prepared)).toBe(quotaOf(counters, prepared, { factor: 1 }));
      }),
      runs,
    );
  });

  it('recomputes from the lines of its bill', () => {
    fc.assert(
      fc.property(
        usage,
        snapshot,
        fc.option(fc.constantFrom(0.4, 0.45, 2, 3)),
        (counters, prices, factor) => {
          const extras = factor === null ? {} : { factor, calls: 2 };
          const bill = price(counters, prepareSnapshot(prices), extras);
          expect(checkBill(bill)).toBe(true);
          expect(bill.quota).toBe(quotaOf(counters, prices, extras));
        },
      ),
      runs,
    );
  });

  it('at the tiers of long prompts and services is the plain price times their factors', () => {
    const power = fc.constantFrom(1, 2, 4);
    fc.assert(
      fc.property(
        usage,
        snapshotOf('ratio'),
        power,
        power,
        power,
        (counters, prices, input, more, service) => {
          const { contextTiers: _, serviceTiers: __, ...ratios } = prices;
          // Seven decimals: the code and a manual calculation may read longer ratios as different quotients.
          const plain = Object.fromEntries(
            Object.entries(ratios).map(([name, value]) => [
              name,
              typeof value === 'number' ? Number(value.toFixed(7)) : value,
            ]),
          ) as unknown as PriceSnapshot;
          const context = { above: 1, input, output: input * more };
          const tiered = prepareSnapshot({
            ...plain,
            contextTiers: [context],
            serviceTiers: { priority: { factor: service } },
          });
          const { tier: ___, ...untiered } = counters;
          const isLong = inputTokens(counters) > 1;
          const factor = (isLong ? input : 1) * (counters.tier === 'priority' ? service : 1);
          const written = isLong ? more : 1;
          const { imageCompletionRatio } = plain;
          const byHand: PriceSnapshot = {
            ...plain,
            modelRatio: plain.modelRatio * factor,
            completionRatio: plain.completionRatio * written,
            audioCompletionRatio: plain.audioCompletionRatio * written,
            ...(imageCompletionRatio !== undefined && {
              imageCompletionRatio: imageCompletionRatio * written,
            }),
          };
          expect(quotaOf(counters, tiered)).toBe(quotaOf(untiered, byHand));
        },
      ),
      runs,
    );
  });

  it('of a text is never above a hold for as much of it at the dearest tier', () => {
    const tokens = fc.integer({ min: 0, max: 3_000_000 });
    const tier = fc.option(tierName, { nil: undefined });
    fc.assert(
      fc.property(
        tokens,
        tokens,
        tokens,
        tokens,
        tier,
        snapshotOf('ratio'),
        (input, output, a, b, name, prices) => {
          const prepared = prepareSnapshot(prices);
          const dearest = dearestTier(prices);
          const extras = dearest === undefined ? undefined : { tier: dearest };
          const used = usageOf({ input: Math.min(a, input), output: Math.min(b, output) });
          expect(quotaOf(atTier(used, name), prepared)).toBeLessThanOrEqual(
            Math.max(holdFor(prepared, input, output, extras), holdFor(prepared, input, output)),
          );
        },
      ),
      runs,
    );
  });
});
