import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { liteLlmList, modelsDevList, openRouterList } from '../../../testing/upstream/price-lists.ts';
import type { Listing, ReadList } from './listing.ts';
import { readLiteLlm } from './litellm.ts';
import { readModelsDev } from './read-source.ts';
import { buildNameIndex } from './name-index.ts';
import { readOpenRouter } from './openrouter.ts';

const priceOf = (listings: Listing[], model: string) => buildNameIndex(listings)(model);

describe('the price of a model in a list', () => {
  it('of models.dev is in dollars per million tokens, from the vendor who makes it', () => {
    const listings = readModelsDev(modelsDevList);
    expect(priceOf(listings, 'gpt-4o')).toEqual({
      vendor: 'openai',
      dollars: { input: 2.5, output: 10, cacheRead: 1.25 },
    });
    expect(priceOf(listings, 'gemini-hears')?.dollars).toEqual({
      input: 0.3,
      output: 2.5,
      cacheRead: 0.075,
      audioInput: 1,
    });
  });

  it('of LiteLLM is in dollars per token; image calls have one of their own', () => {
    const listings = readLiteLlm(liteLlmList);
    expect(priceOf(listings, 'gpt-new')).toEqual({ vendor: 'openai', dollars: { input: 3, output: 15 } });
    expect(priceOf(listings, 'azure/gpt-new')?.dollars).toEqual({ input: 3.3, output: 16.5 });
    expect(priceOf(listings, 'gemini-hears')).toEqual({
      vendor: 'google',
      dollars: { input: 0.3, output: 2.5, audioInput: 1 },
    });
    expect(priceOf(listings, 'painter-1')?.dollars).toEqual({ call: 0.04 });
    expect(priceOf(listings, 'sample_spec')).toBeUndefined();
  });

  it('of OpenRouter is the highest of a day, at any hour, and not that of long prompts', () => {
    const peak = { prompt: '0.00000028', completion: '0.00000042' };
    const night = { prompt: '0.00000014', completion: '0.00000021' };
    const windows = [
      { utc_start: 30, utc_end: 1630, ...peak },
      { utc_start: 1630, utc_end: 30, ...night },
    ];
    const priceNow = (now: object, overrides: unknown) =>
      priceOf(
        readOpenRouter({ data: [{ id: 'deepseek/by-hours', pricing: { ...now, overrides } }] }),
        'by-hours',
      )?.dollars;
    expect(priceNow(peak, windows)).toEqual({ input: 0.28, output: 0.42 });
    expect(priceNow(night, windows)).toEqual({ input: 0.28, output: 0.42 });
    expect(priceNow(night, [{ min_prompt_tokens: 200_000, ...peak }])).toEqual({ input: 0.14, output: 0.21 });
    expect(priceNow(night, 'none')).toEqual({ input: 0.14, output: 0.21 });
  });

  it('of LiteLLM is that of the shortest prompts where all depend on the length', () => {
    const tier = (from: number, input: number, output: number) => ({
      range: [from, from + 256_000],
      input_cost_per_token: input,
      output_cost_per_token: output,
    });
    const listings = readLiteLlm({
      'dashscope/qwen-tiers': {
        litellm_provider: 'dashscope',
        mode: 'chat',
        max_input_tokens: 997_952,
        source: 'https://www.alibabacloud.com/help/en/model-studio/models',
        supports_function_calling: true,
        tiered_pricing: [tier(0, 4e-7, 1.2e-6), tier(256_000, 1.2e-6, 3.6e-6)],
      },
      'aihubmix/qwen-tiers': {
        litellm_provider: 'aihubmix',
        mode: 'chat',
        input_cost_per_token: 3.6e-7,
        output_cost_per_token: 1.1e-6,
      },
      'qwen-odd': { litellm_provider: 'dashscope', mode: 'chat', tiered_pricing: ['none'] },
    });
    expect(priceOf(listings, 'qwen-tiers')).toEqual({
      vendor: 'alibaba',
      dollars: { input: 0.4, output: 1.2 },
    });
    expect(priceOf(listings, 'qwen-odd')).toBeUndefined();
  });

  it('of LiteLLM is that of a search for rerankers, and of the input for models without output', () => {
    const listings = readLiteLlm({
      'rerank-new': {
        input_cost_per_query: 0.002,
        input_cost_per_token: 0,
        litellm_provider: 'cohere',
        max_document_chunks_per_query: 100,
        mode: 'rerank',
        output_cost_per_token: 0,
      },
      'text-embedding-new': {
        input_cost_per_token: 2e-8,
        litellm_provider: 'openai',
        mode: 'embedding',
        output_cost_per_token: 0,
        output_vector_size: 1_536,
      },
      'high/1024-x-1024/painter-2': {
        input_cost_per_image: 0.167,
        litellm_provider: 'openai',
        mode: 'image_generation',
      },
    });
    expect(priceOf(listings, 'rerank-new')?.dollars).toEqual({ call: 0.002 });
    expect(priceOf(listings, 'text-embedding-new')?.dollars).toEqual({ input: 0.02 });
    expect(priceOf(listings, 'painter-2')).toBeUndefined();
  });

  it('of OpenRouter is that of short prompts, whatever other prices it has', () => {
    const listings = readOpenRouter({
      data: [
        {
          id: 'google/gemini-new',
          canonical_slug: 'google/gemini-new-20261101',
          hugging_face_id: '',
          context_length: 1_048_576,
          pricing: {
            prompt: '0.000002',
            completion: '0.00001',
            image: '0.000002',
            audio: '0.000002',
            web_search: '0.014',
            internal_reasoning: '0.00001',
            input_cache_read: '0.0000001',
            input_cache_write: '0.000000083333',
            input_cache_write_1h: '0.000004',
            discount: 0,
            overrides: [{ min_context: 200_000, prompt: '0.000004' }],
          },
          expiration_date: null,
          links: { details: '/api/v1/models/google/gemini-new/endpoints' },
        },
      ],
      links: { next: null },
      total_count: 1,
    });
    expect(priceOf(listings, 'gemini-new')?.dollars).toEqual({
      input: 2,
      output: 10,
      cacheRead: 0.1,
      cacheWrite: 0.083333,
      audioInput: 2,
    });
  });

  it('is its maker’s, not that of another vendor that sells it too', () => {
    const sold = (provider: string, input: number) => [
      `${provider}/deepseek-v9`,
      { litellm_provider: provider, mode: 'chat', input_cost_per_token: input, output_cost_per_token: 4e-6 },
    ];
    const listings = readLiteLlm(
      Object.fromEntries([sold('dashscope', 2.4e-6), sold('deepseek', 1.3e-6), sold('tencent', 1.7e-6)]),
    );
    expect(priceOf(listings, 'deepseek-v9')).toMatchObject({ vendor: 'deepseek', dollars: { input: 1.3 } });
  });

  it('of OpenRouter is in decimal text per token; routers have none', () => {
    const listings = readOpenRouter(openRouterList);
    expect(priceOf(listings, 'gpt-4o')).toEqual({
      vendor: 'openai',
      dollars: { input: 2.5, output: 10, cacheRead: 1.25 },
    });
    expect(priceOf(listings, 'openrouter/auto')).toBeUndefined();
    expect(priceOf(listings, 'meta-llama/given-away:free')).toEqual({ vendor: 'meta-llama', dollars: null });
  });

  it('is found where points are dashes and the day is left out', () => {
    const listings = readOpenRouter({
      data: [{ id: 'anthropic/claude-sonnet-4.5', pricing: { prompt: '0.000003', completion: '0.000015' } }],
    });
    expect(priceOf(listings, 'claude-sonnet-4-5-20250929')?.dollars).toEqual({ input: 3, output: 15 });
    expect(priceOf(listings, 'claude-sonnet-4')).toBeUndefined();
  });

  it('is none where its sellers disagree and its maker is not among them', () => {
    const sold = (vendor: string, input: number): Listing => ({
      names: ['open-model'],
      vendor,
      dollars: { input, output: 1 },
    });
    expect(priceOf([sold('groq', 1), sold('together', 2)], 'open-model')).toBeUndefined();
    expect(priceOf([sold('groq', 1), sold('together', 1)], 'open-model')?.dollars).toMatchObject({
      input: 1,
    });
    expect(priceOf([sold('groq', 1), sold('mistral', 2)], 'open-model')?.dollars).toMatchObject({ input: 2 });
  });
});

/** Listings of a list; none if the whole list is refused. */
function listingsOf(read: ReadList, json: unknown): Listing[] {
  try {
    return read(json);
  } catch (error) {
    if (error instanceof TypeError) throw error;
    return [];
  }
}

/** Invalid values in place of a number. */
const noPrice = fc.constantFrom<unknown>(
  0,
  -1,
  Number.NaN,
  Infinity,
  null,
  undefined,
  '',
  'free',
  '0',
  '-1',
  {},
  [],
);
const lists: [string, ReadList, (input: unknown, output: unknown) => unknown][] = [
  ['models.dev', readModelsDev, (input, output) => ({ v: { models: { m: { cost: { input, output } } } } })],
  [
    'LiteLLM',
    readLiteLlm,
    (input, output) => ({ m: { input_cost_per_token: input, output_cost_per_token: output } }),
  ],
  [
    'OpenRouter',
    readOpenRouter,
    (prompt, completion) => ({ data: [{ id: 'm', pricing: { prompt, completion } }] }),
  ],
];

describe.each(lists)('in a list of %s', (_name, read, listOf) => {
  it('zero, negative, absent values and values that are no number are never a price', () => {
    fc.assert(
      fc.property(noPrice, noPrice, (input, output) => {
        for (const { dollars } of read(listOf(input, output))) expect(dollars).toBeNull();
      }),
    );
  });

  it('every price is a finite number above zero, whatever the list has', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (input, output) => {
        for (const { dollars } of read(listOf(input, output)))
          for (const value of Object.values(dollars ?? {}))
            expect(value > 0 && Number.isFinite(value)).toBe(true);
      }),
    );
  });

  it('another format is refused or names nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        const found = listingsOf(read, json);
        for (const { names } of found) expect(names.length).toBeGreaterThan(0);
      }),
    );
  });
});
