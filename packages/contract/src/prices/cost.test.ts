import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prepareSnapshot, type PriceSnapshot, quotaOf } from '../price.ts';
import { usageCounters, usageOf } from '../usage.ts';
import { factorSnapshot, quotaOfDollars, tableSnapshot } from './cost.ts';

const list = (fields: Partial<PriceSnapshot> = {}): PriceSnapshot =>
  prepareSnapshot({
    mode: 'ratio',
    modelRatio: 1.25,
    completionRatio: 4,
    cacheRatio: 0.5,
    cacheWriteRatio: 1.25,
    cacheWrite1hRatio: 2,
    imageRatio: 1,
    audioRatio: 1,
    audioCompletionRatio: 1,
    groupRatio: 0.7,
    modelPrice: -1,
    webSearchPrice: 10,
    fileSearchPrice: 2.5,
    quotaPerUnit: 500_000,
    unset: false,
    ...fields,
  });

const usages = fc.record(
  Object.fromEntries(usageCounters.map((name) => [name, fc.nat(1_000_000)])) as Record<
    (typeof usageCounters)[number],
    fc.Arbitrary<number>
  >,
);

describe('the cost of a call', () => {
  it('at a factor is what the call costs in a group of that ratio, whatever group made it', () => {
    fc.assert(
      fc.property(usages, fc.integer({ min: 0, max: 3_000 }), (usage, permille) => {
        const factor = permille / 1_000;
        const cost = quotaOf(usage, factorSnapshot(list(), factor));
        expect(cost).toBe(quotaOf(usage, list({ groupRatio: factor })));
        expect(Number.isSafeInteger(cost)).toBe(true);
      }),
    );
  });

  it('never falls when a counter rises', () => {
    const snapshot = tableSnapshot(list(), { input: 2.5, output: 10 });
    fc.assert(
      fc.property(usages, fc.constantFrom(...usageCounters), fc.nat(1_000), (usage, name, more) => {
        const risen = usageOf({ ...usage, [name]: usage[name] + more });
        expect(quotaOf(risen, snapshot)).toBeGreaterThanOrEqual(quotaOf(usage, snapshot));
      }),
    );
  });

  it('by a table in dollars is those dollars for a million tokens', () => {
    const snapshot = tableSnapshot(list(), { input: 0.15, output: 0.6, cache_read: 0.075, cache_write: 0.3 });
    const million = 1_000_000;
    expect(quotaOf(usageOf({ input: million }), snapshot)).toBe(75_000);
    expect(quotaOf(usageOf({ output: million }), snapshot)).toBe(300_000);
    expect(quotaOf(usageOf({ cacheRead: million }), snapshot)).toBe(37_500);
    expect(quotaOf(usageOf({ cacheWrite5m: million }), snapshot)).toBe(150_000);
    // The ratio of the 1-hour to the 5-minute cache write is that of the price list.
    expect(quotaOf(usageOf({ cacheWrite1h: million }), snapshot)).toBe(240_000);
  });

  it('uses the price list where the vendor’s table has no entry', () => {
    const snapshot = tableSnapshot(list(), { input: 2, output: 2 });
    expect(quotaOf(usageOf({ cacheRead: 1_000_000 }), snapshot)).toBe(500_000);
  });

  it('for each call is the same for any number of tokens', () => {
    const snapshot = tableSnapshot(list(), { call: 0.01 });
    expect(quotaOf(usageOf({ input: 1 }), snapshot)).toBe(5_000);
    expect(quotaOf(usageOf({ input: 99_999, output: 7 }), snapshot)).toBe(5_000);
  });

  it('of free input and output is zero', () => {
    expect(quotaOf(usageOf({ input: 9_999 }), tableSnapshot(list(), { input: 0, output: 0 }))).toBe(0);
  });
});

describe('dollars that a vendor reports', () => {
  it.each([
    [0, 0],
    [0.000000001, 1],
    [0.000002, 1],
    [0.000003, 2],
    [0.00014255, 71],
    [0.95, 475_000],
    [12.3, 6_150_000],
  ])('%f are %i units', (dollars, quota) => {
    expect(quotaOfDollars(dollars, 500_000)).toBe(quota);
  });

  it.each([-1, NaN, Infinity, 1e12])('%f are not an amount', (dollars) => {
    expect(quotaOfDollars(dollars, 500_000)).toBeNull();
  });
});
