/** @module-tag rounds */
import { product } from '@tollgate/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type JsonObject, objectOf } from '../../lib/json.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { playModel } from '../../testing/model/fake-model.ts';

// Quotes beside the bills of vendors that count by vocabularies of their own, and report caches, reasoning, images,
// sound, searches and service tiers.

/** Models by the protocol of their vendor, with the type of their channel. */
const models = { chat: 31, responses: 1, 'claude-played': 14, 'gemini-played': 24 } as const;
type Model = keyof typeof models;
const balance = 2_000_000_000;

let gate: GatewayHarness;
let caller: TestCaller;
beforeAll(async () => {
  gate = await openGateway({ GLOBAL_API_RATE_LIMIT_ENABLE: 'false' });
  const each = (value: unknown): string =>
    JSON.stringify(Object.fromEntries(Object.keys(models).map((name) => [name, value])));
  await gate.core.settings.setMany({
    ModelRatio: each(1.25),
    CompletionRatio: each(4),
    CacheRatio: each(0.1),
    CreateCacheRatio: each(1.25),
    ImageRatio: each(1.5),
    AudioRatio: each(16),
    PriceTerms: each({
      context: [{ above: 300, input: 2, output: 1.5 }],
      tiers: { flex: { factor: 0.5 }, priority: { factor: 2 } },
    }),
  });
  for (const [name, type] of Object.entries(models)) await gate.addChannel({ type, models: name });
  caller = await gate.addCaller({ balance });
});
afterAll(async () => {
  expect(await gate.openHolds()).toBe(0);
  expect(await gate.findings()).toEqual([]);
  await gate.close();
});

/** Input whose length the request does not show. */
type Unknown = 'sound' | 'document' | 'search';

interface Asked {
  text: string;
  limit: number;
  stream: boolean;
  hasTool: boolean;
  hasImage: boolean;
  cacheMark: '5m' | '1h' | undefined;
  tier: 'priority' | undefined;
  unknown: Unknown | undefined;
}

const schema = { type: 'object', properties: { city: { type: 'string' } } };
/** The start of an image of 512 by 512 pixels. */
const png = Buffer.from(
  `89504e470d0a1a0a0000000d4948445200000200000002000806000000f478d4fa${'00'.repeat(60)}`,
  'hex',
).toString('base64');
const dataUrl = `data:image/png;base64,${png}`;
const mostSearches = 2;
/** The protocol that has such input, and its vendor. */
const placeOf: Record<Unknown, [protocol: string, model: Model]> = {
  sound: ['chat', 'chat'],
  document: ['messages', 'claude-played'],
  search: ['messages', 'claude-played'],
};

const callIn: Record<string, (asked: Asked, model: Model) => [path: string, body: JsonObject]> = {
  chat: ({ text, limit, stream, hasTool, hasImage, tier, unknown }, model) => {
    const content = [
      { type: 'text', text },
      ...(hasImage ? [{ type: 'image_url', image_url: { url: dataUrl } }] : []),
      ...(unknown === 'sound'
        ? [{ type: 'input_audio', input_audio: { data: 'A'.repeat(4_000), format: 'mp3' } }]
        : []),
    ];
    const tools = [{ type: 'function', function: { name: 'weather', parameters: schema } }];
    return [
      '/v1/chat/completions',
      {
        model,
        stream,
        max_completion_tokens: limit,
        messages: [{ role: 'user', content }],
        ...(hasTool && { tools }),
        ...(tier && { service_tier: tier }),
      },
    ];
  },
  responses: ({ text, limit, stream, hasTool, hasImage, tier }, model) => [
    '/v1/responses',
    {
      model,
      stream,
      max_output_tokens: limit,
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text },
            ...(hasImage ? [{ type: 'input_image', image_url: dataUrl }] : []),
          ],
        },
      ],
      ...(hasTool && { tools: [{ type: 'function', name: 'weather', parameters: schema }] }),
      ...(tier && { service_tier: tier }),
    },
  ],
  messages: ({ text, limit, stream, hasTool, hasImage, cacheMark, unknown }, model) => {
    const source = (type: string, data: string) => ({ type: 'base64', media_type: type, data });
    const content: JsonObject[] = [
      ...(hasImage ? [{ type: 'image', source: source('image/png', png) }] : []),
      ...(unknown === 'document'
        ? [{ type: 'document', source: source('application/pdf', 'JVBERi0x') }]
        : []),
      { type: 'text', text, ...(cacheMark && { cache_control: { type: 'ephemeral', ttl: cacheMark } }) },
    ];
    const tools = [
      ...(hasTool ? [{ name: 'weather', input_schema: schema }] : []),
      ...(unknown === 'search'
        ? [{ type: 'web_search_20250305', name: 'web_search', max_uses: mostSearches }]
        : []),
    ];
    return [
      '/v1/messages',
      {
        model,
        stream,
        max_tokens: limit,
        messages: [{ role: 'user', content }],
        ...(tools.length > 0 && { tools }),
      },
    ];
  },
  gemini: ({ text, limit, stream, hasTool, hasImage }, model) => [
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    {
      contents: [
        {
          role: 'user',
          parts: [{ text }, ...(hasImage ? [{ inlineData: { mimeType: 'image/png', data: png } }] : [])],
        },
      ],
      generationConfig: { maxOutputTokens: limit },
      ...(hasTool && { tools: [{ functionDeclarations: [{ name: 'weather', parameters: schema }] }] }),
    },
  ],
};
const protocols = Object.keys(callIn);

/** What a vendor makes of a call, each as a share of what is possible: 0 to 1. */
interface Counting {
  input: number;
  cached: number;
  written: number;
  output: number;
  thought: number;
  isFlex: boolean;
}
const part = (whole: number, share: number): number => Math.floor(whole * share);

/** Input tokens of an image of this size by each vendor's documents. */
const imageTokens: Record<Model, number> = {
  chat: 255,
  responses: 255,
  'claude-played': 350,
  'gemini-played': 258,
};
/** Input tokens of Claude's instructions for tools, by its documents for the model with the longest. */
const claudeInstructions = 530;
const unknownTokens: Record<Unknown, number> = { sound: 600, document: 30_000, search: 8_000 };

/** A vendor counts between half and twice as many tokens as our vocabulary. */
function usageOf(
  model: Model,
  { hasTool, hasImage, cacheMark, tier, unknown }: Asked,
  counting: Counting,
  { counted, limit }: { counted: number; limit: number },
): JsonObject {
  const words = Math.max(1, counted - (hasImage ? imageTokens.chat : 0));
  const instructions = model === 'claude-played' && hasTool ? claudeInstructions : 0;
  const sound = unknown === 'sound' ? unknownTokens.sound : 0;
  const read = unknown === undefined || unknown === 'sound' ? 0 : unknownTokens[unknown];
  const text = Math.ceil(words * (0.5 + 1.5 * counting.input)) + instructions + read;
  const images = hasImage ? imageTokens[model] : 0;
  const all = text + images + sound;
  const cached = part(text, counting.cached);
  const output = Math.max(1, part(limit, counting.output));
  const thought = part(output - 1, counting.thought);
  if (model === 'claude-played') {
    const written = cacheMark ? part(all - cached, counting.written) : 0;
    return {
      input_tokens: all - cached - written,
      cache_read_input_tokens: cached,
      cache_creation_input_tokens: written,
      cache_creation: { [`ephemeral_${cacheMark ?? '5m'}_input_tokens`]: written },
      output_tokens: output,
      output_tokens_details: { thinking_tokens: thought },
      ...(unknown === 'search' && { server_tool_use: { web_search_requests: mostSearches } }),
    };
  }
  if (model === 'gemini-played')
    return {
      promptTokenCount: all,
      cachedContentTokenCount: cached,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: text },
        { modality: 'IMAGE', tokenCount: images },
        { modality: 'AUDIO', tokenCount: sound },
      ],
      candidatesTokenCount: output - thought,
      thoughtsTokenCount: thought,
      totalTokenCount: all + output,
    };
  const [asks, makes] = model === 'chat' ? ['prompt', 'completion'] : ['input', 'output'];
  const served = tier ?? (counting.isFlex ? 'flex' : undefined);
  return {
    [`${asks}_tokens`]: all,
    [`${asks}_tokens_details`]: { cached_tokens: cached, audio_tokens: sound },
    [`${makes}_tokens`]: output,
    [`${makes}_tokens_details`]: { reasoning_tokens: thought },
    total_tokens: all + output,
    ...(served && { service_tier: served }),
  };
}

/** The limit of output in a request at the vendor. */
const limitIn = (body: JsonObject): number =>
  Number(
    body.max_completion_tokens ??
      body.max_tokens ??
      body.max_output_tokens ??
      objectOf(body.generationConfig).maxOutputTokens,
  );

const share = fc.integer({ min: 0, max: 1_000 }).map((each) => each / 1_000);
const calls = fc.record({
  protocol: fc.constantFrom(...protocols),
  model: fc.constantFrom(...(Object.keys(models) as Model[])),
  asked: fc.record({
    text: fc.string({
      unit: fc.constantFrom(...'abc dé你好\n{}<>1.😀'.split('')),
      minLength: 1,
      maxLength: 600,
    }),
    limit: fc.integer({ min: 16, max: 3_000 }),
    stream: fc.boolean(),
    hasTool: fc.boolean(),
    hasImage: fc.boolean(),
    cacheMark: fc.constantFrom('5m' as const, '1h' as const, undefined),
    tier: fc.constantFrom('priority' as const, undefined, undefined),
    unknown: fc.option(fc.constantFrom<Unknown>('sound', 'document', 'search'), { nil: undefined, freq: 5 }),
  }),
  counting: fc.record({
    input: share,
    cached: share,
    written: share,
    output: share,
    thought: share,
    isFlex: fc.boolean(),
  }),
});

const send = async (path: string, body: JsonObject): Promise<{ answer: Response; said: string }> => {
  const answer = await fetch(gate.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const said = await answer.text();
  expect(answer.status, said).toBe(200);
  return { answer, said };
};

interface Quote extends Record<'least' | 'likely', { quota: number }> {
  most: { quota: number; bound_by: string };
  input_tokens: number;
}

it('has the bill of every vendor between its least and its most', { timeout: 600_000 }, async () => {
  const seen = { bills: new Set<number>(), open: 0 };
  const property = fc.asyncProperty(
    calls,
    async ({ protocol: drawn, model: vendor, asked: wanted, counting }) => {
      const [protocol, model] = wanted.unknown ? placeOf[wanted.unknown] : [drawn, vendor];
      const asked: Asked = {
        ...wanted,
        // Only Messages marks a cache, and only OpenAI's protocols name a tier.
        cacheMark: protocol === 'messages' ? wanted.cacheMark : undefined,
        tier: protocol === 'chat' || protocol === 'responses' ? wanted.tier : undefined,
      };
      const [path, body] = callIn[protocol]!(asked, model);
      const { said } = await send(`/v1/quote?endpoint=${encodeURIComponent(path)}`, body);
      const { least, likely, most, input_tokens: counted } = JSON.parse(said) as Quote;
      let usage: JsonObject = {};
      gate.upstream.next((exchange) => {
        usage = usageOf(model, asked, counting, { counted, limit: limitIn(exchange.json() as JsonObject) });
        return playModel(() => ({ say: 'It rains.', thought: 'Hm.', usage }))(exchange);
      });
      const { answer } = await send(path, body);
      await gate.core.ledger.flush();
      const { quota: bill, other } = await gate.core.store.db
        .selectFrom('logs')
        .select(['quota', 'other'])
        .where('request_id', '=', answer.headers.get(product.headers.requestId))
        .executeTakeFirstOrThrow();
      expect(JSON.parse(other)).toMatchObject({ usage_source: 'upstream' });
      const told = JSON.stringify({ least, bill, most, counted, usage });
      expect([least.quota <= bill, bill <= most.quota], told).toEqual([true, true]);
      expect(least.quota <= likely.quota && likely.quota <= most.quota).toBe(true);
      // The whole balance is an honest bound only where nothing less is one.
      expect(most.bound_by).toBe(asked.unknown ? 'balance' : 'request');
      seen.bills.add(bill);
      if (asked.unknown) seen.open += 1;
    },
  );
  const numRuns = Number(process.env['FUZZ_RUNS'] ?? 60);
  await fc.assert(property, { numRuns });
  expect(seen.bills.size).toBeGreaterThan(numRuns / 2);
  expect(seen.open).toBeGreaterThan(0);
});
