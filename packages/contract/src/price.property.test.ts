import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkBill, holdFor, prepareSnapshot, price, quotaOf, type PriceSnapshot } from './price.ts';
import { usageCounters, usageOf, type Usage } from './usage.ts';

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
const usage = fc.record(
  Object.fromEntries(usageCounters.map((name) => [name, counterValue])) as Record<
    keyof Usage,
    typeof counterValue
  >,
);
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
    })
    .map(({ image, ...parts }) => ({
      ...parts,
      ...(image !== undefined && { imageCompletionRatio: image }),
      mode,
      unset: false,
    }));
const snapshot = fc.oneof(snapshotOf('ratio'), snapshotOf('call'));

const sum = (a: Usage, b: Usage): Usage =>
  usageOf(Object.fromEntries(usageCounters.map((name) => [name, a[name] + b[name]])));

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

  it('is nothing only where a ratio is zero, however near to it the others are', () => {
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

  it('of input and output alone is what a hold takes for them', () => {
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

  it('of images made is what a hold takes for them, at their own price where they have one', () => {
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
        const prepared = prepareSnapshot(prices);
        const byCall = prices.mode === 'call';
        const apart =
          quotaOf(a, prepared, byCall ? { calls: callsA } : {}) +
          quotaOf(b, prepared, byCall ? { calls: callsB } : {});
        const together = quotaOf(sum(a, b), prepared, byCall ? { calls: callsA + callsB } : {});
        expect(Math.abs(apart - together)).toBeLessThanOrEqual(2);
      }),
      runs,
    );
  });

  it('is the same by plain numbers and by big ones', () => {
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
});
