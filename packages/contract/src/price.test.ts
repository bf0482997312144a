import { describe, expect, it } from 'vitest';
import { imageFactor } from './prices/index.ts';
import { checkBill, holdFor, prepareSnapshot, price, quotaOf, type PriceSnapshot } from './price.ts';
import { maxQuota } from './quota.ts';
import { usageOf, type Usage } from './usage.ts';

const plain: PriceSnapshot = {
  mode: 'ratio',
  modelRatio: 1,
  completionRatio: 1,
  cacheRatio: 1,
  cacheWriteRatio: 1.25,
  cacheWrite1hRatio: 2,
  imageRatio: 1,
  audioRatio: 1,
  audioCompletionRatio: 2,
  groupRatio: 1,
  modelPrice: -1,
  webSearchPrice: 27.5,
  fileSearchPrice: 2.5,
  quotaPerUnit: 500_000,
  unset: false,
};
const gpt4o: PriceSnapshot = {
  ...plain,
  modelRatio: 1.25,
  completionRatio: 4,
  cacheRatio: 0.5,
  webSearchPrice: 35,
};
const claude: PriceSnapshot = { ...plain, modelRatio: 1.5, completionRatio: 5, cacheRatio: 0.1 };
const image: PriceSnapshot = { ...plain, modelRatio: 2.5, completionRatio: 8, imageRatio: 2 };
const audio: PriceSnapshot = { ...plain, modelRatio: 1.25, completionRatio: 4, audioRatio: 16 };
const perCall: PriceSnapshot = { ...plain, mode: 'call', modelRatio: 0, modelPrice: 0.04 };

/** Prices with a prepared and an unprepared snapshot, and checks that the bill recomputes from its lines. */
function charge(
  usage: Partial<Usage>,
  snapshot: PriceSnapshot,
  extras?: { calls?: number; factor?: number },
): number {
  const counters = usageOf(usage);
  const bill = price(counters, prepareSnapshot(snapshot), extras);
  expect(checkBill(bill)).toBe(true);
  expect(quotaOf(counters, snapshot, extras)).toBe(bill.quota);
  return bill.quota;
}

describe('the charge of a call priced by tokens', () => {
  it.each<[string, Partial<Usage>, PriceSnapshot, number]>([
    ['plain input', { input: 1000 }, plain, 1000],
    ['input and output', { input: 1000, output: 500 }, gpt4o, 3750], // (1000 + 500·4) · 1.25
    ['thinking at the output price', { input: 1000, output: 100, reasoning: 400 }, gpt4o, 3750],
    ['cached input', { input: 600, cacheRead: 400, output: 500 }, gpt4o, 3500], // (600 + 200 + 2000) · 1.25
    [
      'cache read and both kinds of cache write',
      { input: 100, cacheRead: 2000, cacheWrite5m: 400, cacheWrite1h: 50, output: 60 },
      claude,
      1800, // (100 + 200 + 500 + 100 + 300) · 1.5
    ],
    ['the ratio of the group', { input: 1000, output: 500 }, { ...gpt4o, groupRatio: 0.8 }, 3000],
    ['image input and image output', { input: 50, imageInput: 200, imageOutput: 1000 }, image, 21_125], // (50+400+8000)·2.5
    [
      'cached text beside image input, each once (not as in docs/compatibility.md#deliberate-differences)',
      { input: 50, cacheRead: 100, imageInput: 200 },
      { ...image, cacheRatio: 0.5 },
      1250, // (50 + 50 + 400) · 2.5
    ],
    [
      'audio in and out beside text',
      { input: 100, output: 20, audioInput: 30, audioOutput: 40 },
      audio,
      2425,
    ], // (100+80+480+1280)·1.25
    ['web searches', { input: 1000, webSearchCalls: 2 }, gpt4o, 36_250], // 1250 + 2 · 17 500
    ['file searches', { input: 1000, fileSearchCalls: 3 }, gpt4o, 5000], // 1250 + 3 · 1250
    [
      'searches by the ratio of the group',
      { input: 1000, webSearchCalls: 1, fileSearchCalls: 1 },
      { ...gpt4o, groupRatio: 2 },
      40_000, // 2500 + 35 000 + 2500
    ],
  ])('covers %s', (_name, usage, snapshot, quota) => {
    expect(charge(usage, snapshot)).toBe(quota);
  });

  it.each([
    [0.4, 1, 1],
    [0.5, 1, 1],
    [1.49, 1, 1],
    [1.5, 1, 2],
    [2.5, 1, 3],
    [0.5, 5, 3],
    [0.499999999, 3, 1],
    [0.833333333, 3, 2],
  ])(
    'rounds once, half away from zero, to at least 1: %d × %d tokens cost %d',
    (modelRatio, input, quota) => {
      expect(charge({ input }, { ...plain, modelRatio })).toBe(quota);
    },
  );

  it('rounds the sum and not its parts', () => {
    const snapshot = { ...plain, modelRatio: 0.25, completionRatio: 1 };
    expect(charge({ input: 1, cacheRead: 1, output: 1, reasoning: 1 }, snapshot)).toBe(1);
    expect(charge({ input: 1, cacheRead: 1, output: 2, reasoning: 2 }, snapshot)).toBe(2);
  });

  it('is 0 when nothing was used, and when model or group are free', () => {
    expect(charge({}, gpt4o)).toBe(0);
    expect(charge({ input: 1000, output: 1000 }, { ...gpt4o, modelRatio: 0 })).toBe(0);
    expect(charge({ input: 1000, webSearchCalls: 1 }, { ...gpt4o, groupRatio: 0 })).toBe(0);
  });

  it('is at least 1 when only a free class of tokens was used', () => {
    expect(charge({ output: 10 }, { ...plain, completionRatio: 0 })).toBe(1);
    expect(charge({ cacheRead: 10 }, { ...plain, cacheRatio: 0 })).toBe(1);
  });

  it('does not depend on the binary fraction of a ratio', () => {
    // 0.1 + 0.2 and 1.005 are the classic errors of floating point.
    expect(charge({ input: 1000 }, { ...plain, modelRatio: 1.005 })).toBe(1005);
    expect(charge({ input: 500 }, { ...plain, modelRatio: 1.005 })).toBe(503);
    expect(charge({ input: 3 }, { ...plain, modelRatio: 0.1, groupRatio: 5 })).toBe(2);
  });

  it('stays exact where plain numbers would not', () => {
    const snapshot = {
      ...plain,
      modelRatio: 0.068493151,
      completionRatio: 5.833333333,
      groupRatio: 0.987654321,
    };
    const usage = { input: 987_654_321, output: 123_456_789 };
    // (987654321 + 123456789 × 5.833333333) × 0.068493151 × 0.987654321, in integer arithmetic.
    const exact = (987_654_321n * 10n ** 9n + 123_456_789n * 5_833_333_333n) * 68_493_151n * 987_654_321n;
    const rounded = Number((exact + 10n ** 27n / 2n) / 10n ** 27n);
    expect(charge(usage, snapshot)).toBe(rounded);
  });

  it('stops at the largest amount of quota', () => {
    expect(charge({ input: 2 ** 40 }, { ...plain, modelRatio: 1_000_000 })).toBe(maxQuota);
  });
});

describe('the charge of a call with a fixed price', () => {
  it.each<[string, Partial<Usage>, { calls?: number; factor?: number } | undefined, number]>([
    ['one call', { input: 10, output: 10 }, undefined, 20_000],
    ['tokens cost nothing on top', { input: 1_000_000 }, undefined, 20_000],
    ['several images', { input: 3 }, { calls: 3 }, 60_000],
    ['calls without any tokens (drawings, tasks)', {}, { calls: 1 }, 20_000],
    ['nothing was used', {}, undefined, 0],
    ['nothing was made', { input: 5 }, { calls: 0 }, 0],
    ['a small image', {}, { calls: 1, factor: 0.45 }, 9000],
    ['two large images in high quality', {}, { calls: 2, factor: 3 }, 120_000],
    ['a search on top', { input: 1, webSearchCalls: 1 }, undefined, 33_750],
  ])('%s', (_name, usage, extras, quota) => {
    expect(charge(usage, perCall, extras)).toBe(quota);
  });

  it('follows the group and the quota in a dollar', () => {
    expect(charge({ input: 1 }, { ...perCall, groupRatio: 0.5 })).toBe(10_000);
    expect(charge({ input: 1 }, { ...perCall, quotaPerUnit: 1_000_000 })).toBe(40_000);
    expect(charge({ input: 1 }, { ...perCall, modelPrice: 0 })).toBe(0);
  });

  it.each([
    ['dall-e-3', '1024x1024', 'standard', 1],
    ['dall-e-3', '1024x1792', 'standard', 2],
    ['dall-e-3', '1792x1024', '', 2],
    ['dall-e-3', '1024x1024', 'hd', 2],
    ['dall-e-3', '1024x1792', 'hd', 3],
    ['dall-e-2', '256x256', '', 0.4],
    ['dall-e-2', '512x512', 'hd', 0.45],
    ['other', 'constructor', '', 1],
    ['imagen-4.0-generate-001', '256x256', '', 1],
    ['grok-2-image', '512x512', 'hd', 1],
    ['cogview-4', '1024x1792', 'hd', 2],
  ])('factor of %s at %s %s', (model, size, quality, factor) => {
    expect(imageFactor(model, size, quality)).toBe(factor);
  });
});

describe('a bill', () => {
  it('has a line for each counter that costs, in exact decimals', () => {
    const bill = price(usageOf({ input: 12_345, cacheRead: 100, output: 678, webSearchCalls: 1 }), {
      ...gpt4o,
      groupRatio: 0.9,
    });
    expect(bill).toEqual({
      quota: 32_745,
      minimum: 1,
      terms: [
        { what: 'input', count: 12_345, unit: '1.125', amount: '13888.125' },
        { what: 'cacheRead', count: 100, unit: '0.5625', amount: '56.25' },
        { what: 'output', count: 678, unit: '4.5', amount: '3051' },
        { what: 'webSearchCalls', count: 1, unit: '15750', amount: '15750' },
      ],
    });
  });

  it('shows the calls of a fixed price and not their tokens', () => {
    const bill = price(usageOf({ input: 7 }), perCall, { calls: 2, factor: 0.4 });
    expect(bill.terms).toEqual([{ what: 'calls', count: 2, unit: '8000', amount: '16000' }]);
  });

  it('does not match when a line or the charge was changed', () => {
    const bill = price(usageOf({ input: 1000, output: 10 }), gpt4o);
    expect(checkBill(bill)).toBe(true);
    expect(checkBill({ ...bill, quota: bill.quota + 1 })).toBe(false);
    const [first, ...others] = bill.terms;
    expect(checkBill({ ...bill, terms: others })).toBe(false);
    expect(checkBill({ ...bill, terms: [{ ...first!, count: 999 }, ...others] })).toBe(false);
  });
});

describe('a prepared snapshot', () => {
  it('is the same snapshot as JSON and as a copy, and a changed copy has its own price', () => {
    const prepared = prepareSnapshot(gpt4o);
    expect(JSON.parse(JSON.stringify(prepared))).toEqual(gpt4o);
    expect(quotaOf(usageOf({ input: 100 }), { ...prepared, groupRatio: 2 })).toBe(250);
    expect(Object.isFrozen(prepared)).toBe(true);
  });

  it('refuses ratios that are negative or not numbers', () => {
    for (const modelRatio of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => prepareSnapshot({ ...plain, modelRatio })).toThrow(RangeError);
    }
  });
});

describe('a hold', () => {
  it('covers input and output at their prices, or the call', () => {
    expect(holdFor(gpt4o, 1000, 500)).toBe(3750);
    expect(holdFor(perCall, 1000, 500)).toBe(20_000);
    expect(holdFor(perCall, 0, 0, { calls: 4 })).toBe(80_000);
    expect(holdFor({ ...gpt4o, groupRatio: 0 }, 1000, 500)).toBe(0);
  });
});
