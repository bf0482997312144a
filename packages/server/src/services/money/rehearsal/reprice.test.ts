import {
  atTier,
  batchExtras,
  type Bill,
  billShare,
  price,
  type PriceExtras,
  recomputeQuota,
  type SettingValue,
  type SettingKey,
  declarationOf,
  usageOf,
  type Usage,
  withBatchTier,
} from '@tollgate/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PricedRow } from '../../../store/index.ts';
import { buildConsumeLog } from '../../calls/metering/index.ts';
import { createFixedPrices, type FixedPrices } from '../pricing/index.ts';
import { readPlainLines } from './plain-lines.ts';
import { reprice } from './reprice.ts';

// Rows in the format of settlement, priced again: the same prices give the same charge, others their own result.

const models = [
  'gpt-4o',
  'claude-sonnet-4-20250514',
  'gemini-2.5-pro',
  'gpt-4o-audio-preview',
  'per-call',
  'sonar',
];
const sizes = ['low', 'medium', 'high'] as const;

type Values = Partial<{ [Key in SettingKey]: SettingValue<Key> }>;
const bookOf = (values: Values): FixedPrices =>
  createFixedPrices({
    get: <Key extends SettingKey>(key: Key) =>
      (key in values ? values[key] : declarationOf(key).default) as SettingValue<Key>,
  });
const today = bookOf({ ModelPrice: { 'per-call': 0.01 }, GroupRatio: { default: 1, vip: 0.3 } });

const some = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 90_000 }));
const few = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 9 }));
const usages = fc
  .record({
    input: some,
    cacheRead: some,
    cacheWrite5m: some,
    cacheWrite1h: some,
    imageInput: some,
    audioInput: some,
    output: some,
    reasoning: some,
    imageOutput: some,
    audioOutput: some,
    webSearchCalls: few,
    fileSearchCalls: few,
    reportedTier: fc.constantFrom(undefined, 'priority', 'flex'),
  })
  .map(({ reportedTier, ...counters }) => atTier(usageOf(counters), reportedTier));

interface Call {
  model: string;
  group: string;
  usage: Usage;
  size: (typeof sizes)[number];
  images: number;
  /** The caller's group. */
  userGroup?: string;
  /** The model name for pricing, if it differs from the model. */
  pricedModel?: string;
  /** Percentage that was charged for an answer of the cache. */
  cacheShare?: number | undefined;
}
const calls: fc.Arbitrary<Call> = fc.record(
  {
    model: fc.constantFrom(...models),
    group: fc.constantFrom('default', 'vip'),
    usage: usages,
    size: fc.constantFrom(...sizes),
    images: fc.integer({ min: 0, max: 4 }),
    userGroup: fc.constantFrom('default', 'vip'),
    pricedModel: fc.constantFrom(...models),
    cacheShare: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, fc.integer({ min: 0, max: 100 })),
  },
  { requiredKeys: ['model', 'group', 'usage', 'size', 'images'] },
);

const extrasOf = ({ model, pricedModel = model, images }: Call): PriceExtras | undefined =>
  pricedModel === 'per-call' && images > 0 ? { calls: images, factor: 1.5 } : undefined;

/** The row that settlement writes for a call at the given prices. */
function rowOf(call: Call, book: FixedPrices, batchFactor?: number): PricedRow {
  const { model, group, usage, size, userGroup = group, pricedModel = model, cacheShare } = call;
  const found = book.snapshot(pricedModel, group, size, userGroup);
  const snapshot = batchFactor === undefined ? found : withBatchTier(found, batchFactor);
  const ofCall = batchFactor === undefined ? extrasOf(call) : batchExtras(snapshot);
  const extras = snapshot.mode === 'call' ? ofCall : undefined;
  const whole = price(usage, snapshot, extras);
  const bill = cacheShare === undefined ? whole : billShare(whole, cacheShare);
  const log = buildConsumeLog({
    requestId: 'r',
    userId: 1,
    username: '"receipt":{"terms":[',
    tokenId: 1,
    tokenName: 'key',
    group,
    userGroup,
    model,
    pricedModel,
    upstreamModel: '"model_price":-1,"task_id":"',
    isStream: false,
    channelId: 1,
    tries: [],
    usage,
    usageSource: 'upstream',
    bill,
    extras,
    snapshot,
    endReason: 'complete',
    ...(cacheShare !== undefined && { cacheShare }),
    ...(batchFactor !== undefined && { batch: { id: 'b', item: 'a' } }),
    startedAt: 1_000,
    firstByteAt: 0,
    endedAt: 2_000,
  });
  return { ...log, id: 1, quota: bill.quota };
}

const ratio = fc.constantFrom(0, 0.000001, 0.25, 1, 1.234567891, 75);
const drafts = fc
  .record({
    ModelRatio: fc.record({
      'gpt-4o': ratio,
      'claude-sonnet-4-20250514': ratio,
      'gpt-4o-audio-preview': ratio,
    }),
    CompletionRatio: fc.record({ 'gpt-4o': ratio }),
    CacheRatio: fc.record({ 'gemini-2.5-pro': ratio }),
    CreateCacheRatio: fc.record({ 'claude-sonnet-4-20250514': ratio }),
    ImageRatio: fc.record({ 'gpt-4o': ratio }),
    AudioRatio: fc.record({ 'gpt-4o-audio-preview': ratio }),
    GroupRatio: fc.record({ default: ratio, vip: ratio }),
    GroupGroupRatio: fc.record({ vip: fc.record({ default: ratio }) }),
    ModelPrice: fc.record({ 'per-call': ratio }),
  })
  .map((draft) => ({
    ...draft,
    ModelRatio: { ...(declarationOf('ModelRatio').default as object), ...draft.ModelRatio },
  }));

describe('a row that is priced again', () => {
  it('by the prices of its call equals its charge', () => {
    fc.assert(
      fc.property(calls, (call) => {
        const row = rowOf(call, today);
        const priced = reprice(row, today);
        if (typeof priced === 'string') throw new Error(priced);
        expect([priced.before, priced.after]).toEqual([row.quota, row.quota]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('by a draft equals what that would have charged', () => {
    fc.assert(
      fc.property(calls, drafts, (call, draft) => {
        const book = bookOf(draft);
        const row = rowOf(call, today);
        const priced = reprice(row, book);
        if (row.quota === 0) return;
        if (typeof priced === 'string') throw new Error(priced);
        expect(priced).toMatchObject({ before: row.quota, after: rowOf(call, book).quota });
      }),
      { numRuns: 2_000 },
    );
  });

  it('of a batch keeps the factor of its call, unless its model has one', () => {
    const tiers = fc.constantFrom(undefined, 0.4);
    fc.assert(
      fc.property(calls, drafts, tiers, (call, draft, own) => {
        const terms =
          own === undefined
            ? {}
            : { [call.pricedModel ?? call.model]: { tiers: { batch: { factor: own } } } };
        const book = bookOf({ ...draft, PriceTerms: terms });
        const inBatch = { ...call, usage: { ...call.usage, tier: 'batch' } };
        const row = rowOf(inBatch, today, 0.5);
        if (row.quota === 0) return;
        expect(reprice(row, book)).toMatchObject({
          before: row.quota,
          after: rowOf(inBatch, book, 0.5).quota,
        });
      }),
      { numRuns: 500 },
    );
  });

  it('uses its tokens where a price per call becomes one for tokens', () => {
    fc.assert(
      fc.property(calls, (call) => {
        const ofCall = { ...call, model: 'per-call', pricedModel: 'per-call', images: 0 };
        const row = rowOf(ofCall, today);
        const book = bookOf({ ModelRatio: { 'per-call': 2.5 } });
        if (row.quota === 0) return;
        expect(reprice(row, book)).toMatchObject({ before: row.quota, after: rowOf(ofCall, book).quota });
      }),
    );
  });
});

describe('lines that are read without parsing the row', () => {
  it('have the same result as parsing', () => {
    let plain = 0;
    fc.assert(
      fc.property(calls, drafts, (call, draft) => {
        const row = rowOf(call, bookOf(draft));
        const read = readPlainLines(row.other);
        if (!read) return;
        plain += 1;
        const { receipt } = JSON.parse(row.other) as { receipt: Pick<Bill, 'terms' | 'minimum'> };
        const counts = Object.fromEntries(receipt.terms.map(({ what, count }) => [what, count]));
        expect(read).toEqual({ usage: usageOf(counts), billed: recomputeQuota(receipt), reported: true });
      }),
      { numRuns: 3_000 },
    );
    expect(plain).toBeGreaterThan(40);
  });

  it.each([
    ['a line twice', '{"what":"input","count":1,"unit":"1","amount":"1"},'.repeat(2)],
    ['a line of no counter', '{"what":"calls","count":1,"unit":"1","amount":"1"}'],
    ['a place too many', '{"what":"input","count":1,"unit":"1","amount":"1.0000000001"}'],
    ['more than is exact', '{"what":"input","count":1,"unit":"1","amount":"9007199254740993"}'],
    ['no number', '{"what":"input","count":,"unit":"1","amount":"1"}'],
  ])('are left to the parser where there is %s', (_, terms) => {
    const other = `{"model_price":-1,"usage_source":"upstream","receipt":{"terms":[${terms}],"minimum":1}}`;
    expect(readPlainLines(other)).toBeUndefined();
  });
});

describe('what the balance did not cover', () => {
  const call: Call = {
    model: 'gpt-4o',
    group: 'default',
    usage: usageOf({ input: 1_000 }),
    size: 'low',
    images: 0,
  };
  const row = { ...rowOf(call, today), quota: 200 };
  const at = (ModelRatio: number) => reprice(row, bookOf({ ModelRatio: { 'gpt-4o': ModelRatio } }));

  it('stays written off', () => {
    expect(at(1.25)).toMatchObject({ before: 200, after: 200 });
    expect(at(1)).toMatchObject({ after: 200 });
  });
  it('is less where the whole is less, and grows by the increase', () => {
    expect(at(0.1)).toMatchObject({ after: 100 });
    expect(at(2)).toMatchObject({ after: 950 });
  });
  it('grows to the ceiling that the caller set, and no further', () => {
    const bounded = { ...row, other: row.other.replace(/}$/, ',"max_cost":300}') };
    const book = (ModelRatio: number) => bookOf({ ModelRatio: { 'gpt-4o': ModelRatio } });
    expect(reprice(bounded, book(2))).toMatchObject({ before: 200, after: 300 });
    expect(reprice(bounded, book(0.1))).toMatchObject({ after: 100 });
  });
});

describe('a row with incomplete data', () => {
  const call: Call = {
    model: 'gpt-4o',
    group: 'default',
    usage: usageOf({ input: 10, output: 5 }),
    size: 'low',
    images: 0,
  };
  const row = rowOf(call, today);
  it.each([
    ['an older one', { other: '{"model_ratio":1}' }, 'no_terms'],
    ['an empty one', { other: '' }, 'no_terms'],
    ['a crash', { other: '{"end_reason":"crash"}' }, 'crash'],
    ['a refund', { type: 6 }, 'refund'],
    ['what an application sold', { other: '{"receipt":{"terms":[],"minimum":0},"sale":{"id":"x"}}' }, 'sale'],
    ['one charged above its lines', { quota: row.quota + 1 }, 'unexplained'],
    ['one that was free', { quota: 0 }, 'uncharged'],
    ['one with damaged lines', { other: row.other.replace('"amount":"', '"amount":"x') }, 'unexplained'],
  ])('%s is reported, not guessed', (_, change, reason) => {
    expect(reprice({ ...row, ...change }, today)).toBe(reason);
  });

  it('is refused by a draft without its price, and counted where the number of images is missing', () => {
    expect(reprice(row, bookOf({ ModelRatio: {} }))).toBe('unpriced');
    const drawn = rowOf({ ...call, usage: usageOf({ input: 10, imageOutput: 1_000 }) }, today);
    expect(reprice(drawn, bookOf({ ModelPrice: { 'gpt-4o': 0.02 } }))).toBe('calls_unknown');
  });
});
