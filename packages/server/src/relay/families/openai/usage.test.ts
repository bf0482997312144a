import { inputTokens, outputTokens, usageCounters } from '@tollgate/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readOpenaiUsage } from './wire.ts';

const counters = (raw: object): object => {
  const usage = readOpenaiUsage(raw as never);
  return Object.fromEntries(Object.entries(usage ?? {}).filter(([, value]) => value !== 0));
};

test('details are parts of their totals', () => {
  expect(
    counters({
      prompt_tokens: 100,
      completion_tokens: 50,
      total_tokens: 150,
      prompt_tokens_details: { cached_tokens: 30, audio_tokens: 10, image_tokens: 20, cache_write_tokens: 5 },
      completion_tokens_details: { reasoning_tokens: 15, audio_tokens: 5 },
    }),
  ).toEqual({
    input: 35,
    cacheRead: 30,
    cacheWrite5m: 5,
    audioInput: 10,
    imageInput: 20,
    output: 30,
    reasoning: 15,
    audioOutput: 5,
  });
});

test.each([
  ['in the details', { prompt_tokens_details: { cached_tokens: 32 } }],
  ['at the top (Hugging Face)', { cached_tokens: 32 }],
  ['as hits (DeepSeek)', { prompt_cache_hit_tokens: 32 }],
  ['as num_cached_tokens (Mistral)', { num_cached_tokens: 32 }],
])('cached tokens are read %s', (_, cached) => {
  expect(counters({ prompt_tokens: 64, completion_tokens: 6, total_tokens: 70, ...cached })).toEqual({
    input: 32,
    cacheRead: 32,
    output: 6,
  });
});

test('an unreported prompt is the total less the completion', () => {
  expect(counters({ completion_tokens: 20, total_tokens: 50 })).toEqual({ input: 30, output: 20 });
});

test('a cached image is counted once', () => {
  expect(
    counters({
      prompt_tokens: 100,
      completion_tokens: 0,
      prompt_tokens_details: { cached_tokens: 90, image_tokens: 80 },
    }),
  ).toEqual({ cacheRead: 90, imageInput: 10 });
});

test('cached tokens are read under all their names', () => {
  const cached = { input: 6, cacheRead: 4, output: 1 };
  expect(
    counters({
      prompt_tokens: 10,
      completion_tokens: 1,
      prompt_cache_hit_tokens: 4,
      prompt_cache_miss_tokens: 6,
    }),
  ).toEqual(cached);
  expect(counters({ prompt_tokens: 10, completion_tokens: 1, cached_tokens: 4 })).toEqual(cached);
  expect(
    counters({ input_tokens: 10, output_tokens: 1, input_tokens_details: { cached_tokens: 4 } }),
  ).toEqual(cached);
});

test('reasoning beside the completion is detected by the total (xAI, Gemini)', () => {
  expect(
    counters({
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 45,
      completion_tokens_details: { reasoning_tokens: 30 },
    }),
  ).toEqual({ input: 10, output: 5, reasoning: 30 });
  expect(counters({ prompt_tokens: 35, completion_tokens: 12, total_tokens: 109 })).toEqual({
    input: 35,
    output: 12,
    reasoning: 62,
  });
});

test('audio beside the prompt is detected by the total (Mistral)', () => {
  expect(
    counters({
      prompt_tokens: 9,
      completion_tokens: 248,
      total_tokens: 632,
      prompt_tokens_details: { audio_tokens: 375 },
    }),
  ).toEqual({ input: 9, audioInput: 375, output: 248 });
});

test('more details than tokens are cut to what is charged (Grok on Azure)', () => {
  expect(
    counters({
      prompt_tokens: 10,
      completion_tokens: 1,
      total_tokens: 11,
      prompt_tokens_details: { cached_tokens: 161, text_tokens: 10 },
    }),
  ).toEqual({ cacheRead: 10, output: 1 });
});

test('a total alone is input (Voyage)', () => {
  expect(counters({ total_tokens: 17 })).toEqual({ input: 17 });
});

test('tokens that were read from the cache are not written to it as well (Gemini at OpenRouter)', () => {
  const details = { cached_tokens: 2161, cache_write_tokens: 2161 };
  const raw = { prompt_tokens: 2168, completion_tokens: 100, prompt_tokens_details: details };
  expect(counters(raw)).toEqual({ input: 7, cacheRead: 2161, output: 100 });
});

test('sound that a transcription read is separated from text', () => {
  expect(
    counters({
      input_tokens: 40,
      output_tokens: 9,
      total_tokens: 49,
      input_token_details: { text_tokens: 3, audio_tokens: 37 },
    }),
  ).toEqual({ input: 3, audioInput: 37, output: 9 });
});

test('searches of OpenRouter are counted', () => {
  expect(counters({ prompt_tokens: 1, server_tool_use_details: { web_search_requests: 2 } })).toEqual({
    input: 1,
    webSearchCalls: 2,
  });
});

test('an empty report is no usage', () => {
  expect(readOpenaiUsage({})).toBeUndefined();
  expect(readOpenaiUsage({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 })).toBeUndefined();
});

test('for any report, no counter is negative and details never exceed the totals', () => {
  const value = fc.oneof(
    fc.integer({ min: -10, max: 200 }),
    fc.constantFrom(null, 'x', 1e30, 2.5, NaN, {}, []),
  );
  const details = fc.dictionary(
    fc.constantFrom(
      'cached_tokens',
      'audio_tokens',
      'image_tokens',
      'reasoning_tokens',
      'cache_write_tokens',
    ),
    value,
  );
  const raw = fc.record(
    {
      prompt_tokens: value,
      completion_tokens: value,
      total_tokens: value,
      prompt_tokens_details: fc.oneof(details, value),
      completion_tokens_details: fc.oneof(details, value),
      prompt_cache_hit_tokens: value,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(raw, (body) => {
      const usage = readOpenaiUsage(body as never);
      if (!usage) return;
      expect(usageCounters.filter((name) => usage[name] < 0 || !Number.isSafeInteger(usage[name]))).toEqual(
        [],
      );
      const whole = (given: unknown): number =>
        typeof given === 'number' && given > 0 ? Math.min(2 ** 40, Math.floor(given)) : 0;
      const [prompt, completion, total] = [
        whole(body.prompt_tokens),
        whole(body.completion_tokens),
        whole(body.total_tokens),
      ];
      expect(inputTokens(usage) + outputTokens(usage)).toBe(Math.max(prompt + completion, total));
    }),
    { numRuns: 2_000 },
  );
});
