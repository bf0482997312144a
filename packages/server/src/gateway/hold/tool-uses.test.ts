import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type JsonObject, textOf } from '../../lib/json.ts';
import { toolUses } from '../../relay/conversation/index.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { addTeam, addTeamCaller } from '../../testing/teams/team-world.ts';
import { event } from '../../testing/upstream/fake-upstream-wire.ts';
import { type Behaviour, sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';

// A tool that is charged by its uses is held for before the call is sent, and each further use when its stream announces it.

const models = { messages: 'claude-searcher', responses: 'gpt-5-searcher', gemini: 'gemini-2-searcher' };
type Upstream = keyof typeof models;
const searchPrice: Record<Upstream, number> = { messages: 5_000, responses: 5_000, gemini: 17_500 };

const named = (body: JsonObject): string => `event: ${textOf(body.type)}\n${event(body)}`;
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

/** What each vendor streams, and answers as a whole, when it has searched so often; every token costs 1. */
const answers: Record<Upstream, (searches: number) => { events: string[]; whole: JsonObject }> = {
  messages: (searches) => {
    const usage = { input_tokens: 10, output_tokens: 5, server_tool_use: { web_search_requests: searches } };
    const calls = times(searches, (index) => ({
      type: 'server_tool_use',
      id: `s_${index}`,
      name: 'web_search',
      input: {},
    }));
    const frame = { id: 'msg_1', type: 'message', role: 'assistant', model: models.messages };
    const start = { ...frame, content: [], usage: { input_tokens: 10, output_tokens: 1 } };
    return {
      events: [
        { type: 'message_start', message: start },
        ...calls.flatMap((block, index): JsonObject[] => [
          { type: 'content_block_start', index, content_block: block },
          { type: 'content_block_stop', index },
        ]),
        { type: 'content_block_start', index: searches, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: searches, delta: { type: 'text_delta', text: 'Found it.' } },
        { type: 'content_block_stop', index: searches },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
        { type: 'message_stop' },
      ].map(named),
      whole: {
        ...frame,
        content: [...calls, { type: 'text', text: 'Found it.' }],
        stop_reason: 'end_turn',
        usage,
      },
    };
  },
  responses: (searches) => {
    const text = { type: 'output_text', text: 'Found it.', annotations: [] };
    const message = { type: 'message', id: 'm', role: 'assistant', status: 'completed', content: [text] };
    const calls = times(searches, (index) => ({
      type: 'web_search_call',
      id: `w_${index}`,
      status: 'completed',
    }));
    const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
    const whole = {
      id: 'r',
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: 'm',
      output: [...calls, message],
      usage,
    };
    return {
      events: [
        { type: 'response.created', response: { ...whole, status: 'in_progress', output: [], usage: null } },
        ...calls.flatMap((item, index): JsonObject[] => [
          {
            type: 'response.output_item.added',
            output_index: index,
            item: { ...item, status: 'in_progress' },
          },
          { type: 'response.output_item.done', output_index: index, item },
        ]),
        { type: 'response.output_text.delta', output_index: searches, content_index: 0, delta: 'Found it.' },
        { type: 'response.output_item.done', output_index: searches, item: message },
        { type: 'response.completed', response: whole },
      ].map(named),
      whole,
    };
  },
  // Before its third generation Gemini charges an answer that has searched once, and names the searches in any chunk.
  gemini: (searches) => {
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
    const groundingMetadata = { webSearchQueries: times(searches, (index) => `q${index}`) };
    const content = { role: 'model', parts: [{ text: 'Found it.' }] };
    const last = {
      candidates: [{ index: 0, content, groundingMetadata, finishReason: 'STOP' }],
      usageMetadata,
    };
    return {
      events: [event({ candidates: [{ index: 0, content }], usageMetadata }), event(last)],
      whole: last,
    };
  },
};

/** One read for all of a stream: what is not paid for must not pass with what is. */
const answer =
  (upstream: Upstream, searches: number): Behaviour =>
  async (exchange) => {
    const { events, whole } = answers[upstream](searches);
    const isStream = exchange.path.includes('stream') || exchange.json()['stream'] === true;
    exchange.head(200, isStream ? sseHeaders : { 'content-type': 'application/json' });
    await exchange.end(isStream ? events.join('') : JSON.stringify(whole));
  };

const content = 'Search';
const user = [{ role: 'user', content }];
const callers = {
  chat: (model: string, stream: boolean) => [
    '/v1/chat/completions',
    { model, stream, max_tokens: 50, messages: user, web_search_options: {} },
  ],
  messages: (model: string, stream: boolean) => [
    '/v1/messages',
    {
      model,
      stream,
      max_tokens: 50,
      messages: user,
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
    },
  ],
  responses: (model: string, stream: boolean) => [
    '/v1/responses',
    { model, stream, max_output_tokens: 50, input: content, tools: [{ type: 'web_search' }] },
  ],
  gemini: (model: string, stream: boolean) => [
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    {
      contents: [{ role: 'user', parts: [{ text: content }] }],
      tools: [{ googleSearch: {} }],
      generationConfig: { maxOutputTokens: 50 },
    },
  ],
} satisfies Record<string, (model: string, stream: boolean) => [string, JsonObject] | (string | object)[]>;
type Protocol = keyof typeof callers;

let gate: GatewayHarness;
beforeAll(async () => {
  gate = await openGateway();
  await gate.addChannel({ type: 14, models: models.messages });
  await gate.addChannel({ type: 1, models: models.responses });
  await gate.addChannel({ type: 24, models: models.gemini });
  const each = JSON.stringify(Object.fromEntries(Object.values(models).map((name) => [name, 1])));
  await gate.core.settings.setMany({ ModelRatio: each, CompletionRatio: each, RetryTimes: '0' });
});
afterAll(() => gate.close());

let before = 0;
const writtenOff = async (): Promise<number> => {
  const rows = await gate.core.store.db.selectFrom('ledger').select('writeoff_delta').execute();
  return rows.reduce((sum, { writeoff_delta: delta }) => sum - delta, 0) - before;
};
beforeEach(async () => {
  before = 0;
  before = await writtenOff();
});

async function post(
  path: string,
  body: JsonObject,
  { key }: TestCaller,
): Promise<{ status: number; text: string }> {
  const answered = await fetch(gate.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answered.status, text: await answered.text() };
}

const settled = async (): Promise<void> => {
  await expect.poll(() => gate.relay.gateway.running.size, { interval: 2, timeout: 20_000 }).toBe(0);
  await gate.core.ledger.flush();
};

// A chat passes to OpenAI as it is, where only models that always search have searches.
const pairs = (Object.keys(callers) as Protocol[]).flatMap((caller) =>
  (Object.keys(models) as Upstream[])
    .filter((upstream) => caller !== 'chat' || upstream !== 'responses')
    .flatMap((upstream) =>
      [true, false].map((stream): [Protocol, Upstream, boolean] => [caller, upstream, stream]),
    ),
);

describe.each(pairs)('a caller of %s who asks %s to search (stream: %s)', (protocol, upstream, stream) => {
  const price = searchPrice[upstream];
  const [path, body] = callers[protocol](models[upstream], stream) as [string, JsonObject];

  it('is refused before the call is sent if the balance does not cover one search', async () => {
    const sent = gate.upstream.requests.length;
    const caller = await gate.addCaller({ balance: price });
    expect((await post(path, body, caller)).status).toBe(403);
    expect(gate.upstream.requests).toHaveLength(sent);
    expect(await gate.balanceOf(caller)).toEqual({ balance: price, held: 0 });
  });

  it('pays for one search, and nothing is written off', async () => {
    gate.upstream.script(answer(upstream, 1));
    const caller = await gate.addCaller({ balance: price + 300 });
    const { status, text } = await post(path, body, caller);
    expect(status, text).toBe(200);
    expect(text).toContain('Found it.');
    await settled();
    expect(await gate.balanceOf(caller)).toEqual({ balance: 300 - 15, held: 0 });
    expect(await writtenOff()).toBe(0);
  });

  it('pays for searches beyond the hold as far as the balance reaches', async () => {
    const made = upstream === 'gemini' ? 1 : 5;
    gate.upstream.script(answer(upstream, 5));
    const balance = Math.floor(price * 3.5);
    const caller = await gate.addCaller({ balance });
    const { text } = await post(path, body, caller);
    await settled();
    const { balance: left } = await gate.balanceOf(caller);
    expect(left).toBe(upstream === 'gemini' ? balance - price - 15 : 0);
    const isCut = stream && upstream !== 'gemini';
    expect(text.includes('Found it.'), text).toBe(!isCut);
    const loss = await writtenOff();
    expect(isCut ? loss <= price : loss === Math.max(0, made * price + 15 - balance), `${loss}`).toBe(true);
    expect(await gate.findings()).toEqual([]);
  });
});

describe('200 calls with a search at once, on a balance for ten', () => {
  const price = searchPrice.responses;
  const funds = 10 * (price + 200);

  it.each([
    ['a user', () => gate.addCaller({ balance: funds })],
    ['a limited key', () => gate.addCaller({ balance: 100_000_000, allowance: funds })],
    ['an organisation', async () => addTeamCaller(gate, await addTeam(gate.core, funds))],
    ['a member with a limit', async () => addTeamCaller(gate, await addTeam(gate.core, 100_000_000), funds)],
  ])('are let in as %s can pay for them', async (_, pay) => {
    for (const stream of [true, false]) {
      gate.upstream.script(answer('responses', 1));
      const caller = await pay();
      const [path, body] = callers.responses(models.responses, stream) as [string, JsonObject];
      const all = await Promise.all(times(200, () => post(path, body, caller)));
      await settled();
      expect(all.some(({ status }) => status === 200)).toBe(true);
      expect(all.every(({ status, text }) => status !== 200 || text.includes('Found it.'))).toBe(true);
      expect(await writtenOff()).toBe(0);
    }
    expect(await gate.findings()).toEqual([]);
  });
});

const responses = (tools: JsonObject[], more: JsonObject = {}): [Upstream, string, JsonObject] => [
  'responses',
  '/v1/responses',
  { model: models.responses, max_output_tokens: 50, input: content, tools, ...more },
];
const files = { type: 'file_search', vector_store_ids: ['v'] };

it.each<[string, number, [Upstream, string, JsonObject]]>([
  ['one search', 5_000, responses([{ type: 'web_search' }])],
  ['one search of files', 1_250, responses([files])],
  ['each of two tools', 6_250, responses([{ type: 'web_search' }, files])],
  ['the calls of tools that are allowed', 20_000, responses([{ type: 'web_search' }], { max_tool_calls: 4 })],
  [
    'an image by its size and quality',
    1_056,
    responses([{ type: 'image_generation', size: '1024x1024', quality: 'medium' }]),
  ],
  [
    'the searches that are allowed',
    50_000,
    [
      'messages',
      '/v1/messages',
      {
        ...(callers.messages(models.messages, false)[1] as JsonObject),
        tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 10 }],
      },
    ],
  ],
])('holds for %s', async (_, amount, [upstream, path, body]) => {
  gate.upstream.script(answer(upstream, 0));
  const [poor, rich] = [
    await gate.addCaller({ balance: amount }),
    await gate.addCaller({ balance: amount + 400 }),
  ];
  expect((await post(path, body, poor)).status).toBe(403);
  expect((await post(path, body, rich)).status).toBe(200);
});

it.each([
  'gpt-4o-search-preview',
  'gpt-4o-mini-search-preview-2025-03-11',
  'gpt-5-search-api',
  'sonar',
  'perplexity/sonar-pro',
  'grok-4-search',
  'ernie-4.5-search',
  'openai/gpt-4o:online',
])('%s is held for one search, which it makes without being asked by a tool', (model) => {
  expect(toolUses(model, undefined).uses?.webSearchCalls).toBe(1);
});

it.each(['gpt-4o', 'claude-sonnet-4-5', 'gemini-3-pro', 'grok-4', 'sonarr-1', 'text-search-ada'])(
  '%s without tools is held for none',
  (model) => expect(toolUses(model, undefined)).toEqual({}),
);
