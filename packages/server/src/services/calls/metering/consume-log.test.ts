import {
  type Bill,
  checkBill,
  type PriceSnapshot,
  price,
  type UsageCounter,
  usageCounters,
  usageOf,
} from '@tollgate/contract';
import { describe, expect, it } from 'vitest';
import { buildPrice } from '../../../testing/build-price.ts';
import { buildConsumeLog, type ConsumeFacts, countsAsUse, hourlyOf } from './index.ts';

const snapshot = (changes: Partial<PriceSnapshot> = {}): PriceSnapshot =>
  buildPrice({
    modelRatio: 1.25,
    completionRatio: 4,
    cacheRatio: 0.5,
    cacheWriteRatio: 1.25,
    cacheWrite1hRatio: 2,
    imageRatio: 2,
    audioRatio: 20,
    audioCompletionRatio: 2,
    webSearchPrice: 10,
    fileSearchPrice: 2.5,
    ...changes,
  });

function factsOf(changes: Partial<ConsumeFacts> = {}): ConsumeFacts {
  const usage = changes.usage ?? usageOf({ input: 900, cacheRead: 100, output: 40, reasoning: 10 });
  const prices = changes.snapshot ?? snapshot();
  return {
    requestId: 'req-1',
    userId: 3,
    username: 'ann',
    tokenId: 5,
    tokenName: 'laptop',
    group: 'default',
    model: 'gpt-4o',
    upstreamModel: 'gpt-4o',
    isStream: true,
    channelId: 8,
    tries: [
      { channelId: 7, ms: 120, reason: 'bad_response_status_code', status: 500 },
      { channelId: 8, ms: 2_400 },
    ],
    usage,
    usageSource: 'upstream',
    bill: price(usage, prices),
    snapshot: prices,
    endReason: 'complete',
    startedAt: 1_700_000_000_100,
    firstByteAt: 1_700_000_000_550,
    endedAt: 1_700_000_002_700,
    ...changes,
  };
}

const otherOf = (facts: ConsumeFacts) => JSON.parse(buildConsumeLog(facts).other) as Record<string, unknown>;

describe('the consumption row', () => {
  it('has user, model, amounts and times under the names of the API', () => {
    const row = buildConsumeLog(factsOf());
    expect(row).toMatchObject({
      user_id: 3,
      created_at: 1_700_000_002,
      type: 2,
      content: '模型倍率 1.25，补全倍率 4.00，分组倍率 1.00',
      username: 'ann',
      token_name: 'laptop',
      model_name: 'gpt-4o',
      prompt_tokens: 1_000,
      completion_tokens: 50,
      use_time: 2,
      is_stream: 1,
      channel_id: 8,
      token_id: 5,
      group: 'default',
      request_id: 'req-1',
    });
    expect(JSON.parse(row.other)).toMatchObject({
      model_ratio: 1.25,
      group_ratio: 1,
      completion_ratio: 4,
      model_price: -1,
      cache_tokens: 100,
      cache_ratio: 0.5,
      frt: 450,
      total_ms: 2_600,
      usage_source: 'upstream',
      end_reason: 'complete',
      admin_info: { use_channel: ['7', '8'] },
    });
  });

  it('is the JSON that JSON.stringify writes, for any call', () => {
    const all = usageOf({
      input: 1,
      cacheRead: 2,
      reasoning: 3,
      imageOutput: 4,
      audioInput: 5,
      webSearchCalls: 6,
    });
    const strange = 'a "quoted" \\ word\nof \u2028 a vendor \ud800';
    const cases: Partial<ConsumeFacts>[] = [
      {},
      { usage: usageOf(), firstByteAt: 0, endedAt: 0 },
      { usage: all, upstreamModel: strange, reasoningEffort: strange, isClaude: true },
      { tries: [{ channelId: 1, ms: 0 }] },
      {
        tries: [
          { channelId: 1, ms: 3, reason: strange },
          { channelId: 2, ms: 4, status: 500 },
        ],
      },
      { snapshot: snapshot({ modelRatio: 1e-7, groupRatio: 0, cacheRatio: 0.1 + 0.2, unset: true }) },
      { snapshot: snapshot({ mode: 'call', modelPrice: 0.04 }), extras: { calls: 2, factor: 0.5 } },
      { realtimeSession: 'r', endReason: strange },
    ];
    for (const changes of cases) {
      const { other } = buildConsumeLog(factsOf(changes));
      expect(other).toBe(JSON.stringify(JSON.parse(other)));
    }
  });

  it('has each rare class of tokens and calls also where it occurs alone', () => {
    const plain = Object.keys(otherOf(factsOf({ usage: usageOf({ input: 9, cacheRead: 2, output: 4 }) })));
    const frequent = new Set<UsageCounter>(['input', 'cacheRead', 'output']);
    for (const name of usageCounters) {
      const found = Object.keys(otherOf(factsOf({ usage: usageOf({ input: 9, output: 4, [name]: 3 }) })));
      expect(found.length > plain.length, name).toBe(!frequent.has(name));
    }
  });

  it('has each price in its own text, also where a snapshot was changed in between', () => {
    const loose = { ...snapshot() };
    expect(otherOf(factsOf({ snapshot: loose }))).toMatchObject({ model_ratio: 1.25, cache_ratio: 0.5 });
    const changed = Object.assign(loose, { modelRatio: 7, cacheRatio: 0.25 });
    expect(otherOf(factsOf({ snapshot: changed }))).toMatchObject({ model_ratio: 7, cache_ratio: 0.25 });
    expect(otherOf(factsOf({ snapshot: snapshot({ modelRatio: 3 }) }))).toMatchObject({ model_ratio: 3 });
  });

  it('has every term, so that the charge can be computed again from the row alone', () => {
    const usage = usageOf({
      input: 1_001,
      cacheRead: 333,
      cacheWrite5m: 17,
      cacheWrite1h: 5,
      imageInput: 7,
      audioInput: 3,
      output: 99,
      reasoning: 11,
      imageOutput: 2,
      audioOutput: 1,
      webSearchCalls: 2,
      fileSearchCalls: 1,
    });
    for (const prices of [snapshot(), snapshot({ mode: 'call', modelPrice: 0.04, groupRatio: 0.7 })]) {
      const facts = factsOf({ usage, snapshot: prices, bill: price(usage, prices) });
      const receipt = otherOf(facts).receipt as Omit<Bill, 'quota'>;
      expect(checkBill({ quota: facts.bill.quota, ...receipt })).toBe(true);
      expect(checkBill({ quota: facts.bill.quota + 1, ...receipt })).toBe(false);
    }
  });

  it('has the rare classes only where they occur', () => {
    const plain = otherOf(factsOf());
    for (const key of [
      'image',
      'audio',
      'web_search',
      'file_search',
      'cache_creation_tokens',
      'is_model_mapped',
    ]) {
      expect(plain).not.toHaveProperty(key);
    }
    const usage = usageOf({
      cacheWrite5m: 10,
      cacheWrite1h: 4,
      audioInput: 3,
      webSearchCalls: 1,
      imageOutput: 5,
    });
    expect(otherOf(factsOf({ usage }))).toMatchObject({
      cache_creation_tokens: 14,
      cache_creation_ratio: 1.25,
      audio: true,
      audio_input: 3,
      image: true,
      image_output: 5,
      web_search: true,
      web_search_call_count: 1,
      web_search_price: 10,
    });
  });

  it('charges and shows the requested model and notes the mapped one', () => {
    const facts = factsOf({
      model: 'gpt-4-gizmo-g-1',
      upstreamModel: 'gpt-4-gizmo-g-2',
      reasoningEffort: 'high',
    });
    expect(buildConsumeLog(facts).model_name).toBe('gpt-4-gizmo-*');
    expect(hourlyOf(facts).modelName).toBe('gpt-4-gizmo-*');
    expect(otherOf(facts)).toMatchObject({
      is_model_mapped: true,
      upstream_model_name: 'gpt-4-gizmo-g-2',
      reasoning_effort: 'high',
    });
  });

  it('shows that nothing was used, and does not count as use then', () => {
    const usage = usageOf();
    const facts = factsOf({ usage, bill: price(usage, snapshot()), firstByteAt: 0 });
    expect(buildConsumeLog(facts).content).toContain('（可能是上游超时）');
    expect(otherOf(facts).frt).toBe(-1000);
    expect(countsAsUse(facts)).toBe(false);
    expect(countsAsUse(factsOf())).toBe(true);
  });

  it('never shows a negative duration when the clock was set back', () => {
    const facts = factsOf({ startedAt: 2_000, firstByteAt: 1_000, endedAt: 500 });
    expect(buildConsumeLog(facts).use_time).toBe(0);
    expect(otherOf(facts)).toMatchObject({ frt: 0, total_ms: 0 });
  });
});
