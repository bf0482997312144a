import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type JsonObject, objectsIn, textOf } from '../../lib/json.ts';
import { toolUses } from '../../relay/conversation/index.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { addTeam, addTeamCaller } from '../../testing/teams/team-world.ts';
import { event } from '../../testing/upstream/fake-upstream-wire.ts';
import { type Behaviour, sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';

// A tool that is charged per use is held for before the call is sent, and each further use when the stream announces
// it.

const models = { messages: 'claude-searcher', responses: 'gpt-5-searcher', gemini: 'gemini-2-searcher' };
type Upstream = keyof typeof models;
const searchPrice: Record<Upstream, number> = { messages: 5_000, responses: 5_000, gemini: 17_500 };
/** Vendors without a limit of searches in the request: Gemini since its third generation, and chats. */
const endless = { gemini3: 'gemini-3-searcher', chat: 'sonar-searcher' };
const endlessPrice = { gemini3: 7_000, chat: 1_250 };
const severalChannels = 'claude-then-gemini';
/** Number of searches held for these vendors. */
const held = 10;

const named = (body: JsonObject): string => `event: ${textOf(body.type)}\n${event(body)}`;
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

/** Stream and whole answer of each vendor after this many searches; every token costs 1. */
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
  // Before its third generation Gemini charges per answer with a search, and names the searches in any chunk.
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

const endlessAnswers: Record<keyof typeof endless, (typeof answers)[Upstream]> = {
  gemini3: (searches) => {
    const { whole } = answers.gemini(searches);
    const last = { ...whole, modelVersion: 'gemini-3-pro' };
    return { events: [event(last)], whole: last };
  },
  chat: (searches) => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, num_search_queries: searches };
    const message = { role: 'assistant', content: 'Found it.' };
    const frame = { id: 'c', created: 1, model: 'm', usage };
    const choice = { index: 0, finish_reason: 'stop' };
    const chunk = { ...frame, object: 'chat.completion.chunk', choices: [{ ...choice, delta: message }] };
    const whole = { ...frame, object: 'chat.completion', choices: [{ ...choice, message }] };
    return { events: [event(chunk), 'data: [DONE]\n\n'], whole };
  },
};

/** Limit of searches in a request, by either name. */
const limitIn = (body: JsonObject): unknown =>
  body.max_tool_calls ?? objectsIn(body.tools).find(({ max_uses: most }) => most !== undefined)?.max_uses;

/**
 * One read for the whole stream, because unpaid parts must not pass together with paid ones. A limit of searches is
 * kept.
 */
const answer =
  (upstream: Upstream | keyof typeof endless, searches: number): Behaviour =>
  async (exchange) => {
    const made = Math.min(searches, Number(limitIn(exchange.json() as JsonObject) ?? Infinity));
    const { events, whole } = { ...answers, ...endlessAnswers }[upstream](made);
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
  await gate.addChannel({ type: 24, models: `${models.gemini},${endless.gemini3}` });
  await gate.addChannel({ type: 8, models: endless.chat });
  const priced = [...Object.values(models), ...Object.values(endless), severalChannels];
  const each = JSON.stringify(Object.fromEntries(priced.map((name) => [name, 1])));
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

// A chat passes to OpenAI unchanged, and only models that always search have searches there.
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
    expect(await gate.readBalance(caller)).toEqual({ balance: price, held: 0 });
  });

  it('pays for one search, and nothing is written off', async () => {
    gate.upstream.script(answer(upstream, 1));
    const caller = await gate.addCaller({ balance: price + 300 });
    const { status, text } = await post(path, body, caller);
    expect(status, text).toBe(200);
    expect(text).toContain('Found it.');
    await settled();
    expect(await gate.readBalance(caller)).toEqual({ balance: 300 - 15, held: 0 });
    expect(await writtenOff()).toBe(0);
  });

  it('pays for searches beyond the hold as far as the balance reaches', async () => {
    gate.upstream.script(answer(upstream, 5));
    const balance = Math.floor(price * 3.5);
    const caller = await gate.addCaller({ balance });
    const { text } = await post(path, body, caller);
    await settled();
    const { balance: left } = await gate.readBalance(caller);
    const isCut = stream && upstream !== 'gemini';
    // A whole answer is limited to the three searches held for.
    expect(left).toBe(isCut ? 0 : balance - (upstream === 'gemini' ? 1 : 3) * price - 15);
    expect(text.includes('Found it.'), text).toBe(!isCut);
    expect(await writtenOff()).toBeLessThanOrEqual(isCut ? price : 0);
    expect(await gate.findings()).toEqual([]);
  });
});

const payers: readonly (readonly [string, (funds: number) => Promise<TestCaller>])[] = [
  ['a user', (balance) => gate.addCaller({ balance })],
  ['a limited key', (allowance) => gate.addCaller({ balance: 100_000_000, allowance })],
  ['an organisation', async (funds) => addTeamCaller(gate, await addTeam(gate.core, funds))],
  [
    'a member with a limit',
    async (funds) => addTeamCaller(gate, await addTeam(gate.core, 100_000_000), funds),
  ],
];

describe('200 calls with a search at once, on a balance for ten', () => {
  const price = searchPrice.responses;
  const funds = 10 * (price + 200);

  it.each(payers)('are let in as %s can pay for them', async (_, pay) => {
    for (const stream of [true, false]) {
      gate.upstream.script(answer('responses', 1));
      const caller = await pay(funds);
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

/** Every protocol of callers to every vendor, each with its own payer. */
const bursts = [
  ...pairs.map(([caller, upstream, stream]) => ({
    caller,
    upstream,
    stream,
    model: models[upstream],
    price: searchPrice[upstream],
  })),
  ...(Object.keys(callers) as Protocol[]).flatMap((caller) =>
    (Object.keys(endless) as (keyof typeof endless)[]).flatMap((upstream) =>
      [true, false].map((stream) => ({
        caller,
        upstream,
        stream,
        model: endless[upstream],
        price: endlessPrice[upstream],
      })),
    ),
  ),
].map((each, index) => ({ ...each, payer: payers[index % payers.length]! }));

const isFirst = ({ caller, stream }: (typeof bursts)[number]) => caller === 'messages' && stream;
const burstParts = [
  // Each vendor once.
  { tags: [], some: bursts.filter(isFirst) },
  { tags: ['deep'], some: bursts.filter((each) => !isFirst(each)) },
];
for (const { tags, some } of burstParts)
  it.each(some)(
    'of 200 $caller calls at once on a balance for ten, whose $upstream searches five times (stream: $stream), at most one search each is written off',
    { tags },
    async ({ caller: protocol, upstream, stream, model, price, payer: [, pay] }) => {
      gate.upstream.script(answer(upstream, 5));
      const caller = await pay(10 * (price + 200));
      const [path, body] = callers[protocol](model, stream) as [string, JsonObject];
      const sent = gate.upstream.requests.length;
      await Promise.all(times(200, () => post(path, body, caller)));
      await settled();
      const letIn = gate.upstream.requests.length - sent;
      expect(letIn).toBeGreaterThan(0);
      // Only a stream that announces its searches one by one loses searches.
      const isAnnounced = stream && (upstream === 'messages' || upstream === 'responses');
      expect(await writtenOff()).toBeLessThanOrEqual(isAnnounced ? letIn * price : 0);
      expect(await gate.findings()).toEqual([]);
    },
  );

describe('an answer in one piece that may search without a limit', () => {
  const bodyOf = (): JsonObject => gate.upstream.requests.at(-1)!.json() as JsonObject;

  it.each<[Protocol, Upstream]>([
    ['messages', 'messages'],
    ['responses', 'responses'],
    ['chat', 'messages'],
    ['messages', 'responses'],
    ['responses', 'messages'],
    ['gemini', 'messages'],
  ])('of %s by %s is limited to the searches that its payer can pay for', async (protocol, upstream) => {
    gate.upstream.script(answer(upstream, 5));
    const price = searchPrice[upstream];
    const [path, body] = callers[protocol](models[upstream], false) as [string, JsonObject];
    const [poor, rich] = [
      await gate.addCaller({ balance: price * 2 + 400 }),
      await gate.addCaller({ balance: price * held + 400 }),
    ];
    expect((await post(path, body, poor)).status).toBe(200);
    expect(limitIn(bodyOf())).toBe(2);
    expect((await post(path, body, rich)).status).toBe(200);
    expect(limitIn(bodyOf())).toBeUndefined();
    await settled();
    expect((await gate.readBalance(poor)).balance).toBe(400 - 15);
    expect((await gate.readBalance(rich)).balance).toBe(price * (held - 5) + 400 - 15);
  });

  it.each(Object.keys(endless) as (keyof typeof endless)[])(
    'by %s, which knows no limit, needs ten searches',
    async (upstream) => {
      gate.upstream.script(answer(upstream, 5));
      const price = endlessPrice[upstream];
      const sent = gate.upstream.requests.length;
      for (const stream of [true, false]) {
        const [path, body] = callers.chat(endless[upstream], stream) as [string, JsonObject];
        const poor = await gate.addCaller({ balance: price * held });
        expect((await post(path, body, poor)).status).toBe(403);
        expect(gate.upstream.requests).toHaveLength(sent);
      }
      const rich = await gate.addCaller({ balance: price * held + 400 });
      const [path, body] = callers.chat(endless[upstream], false) as [string, JsonObject];
      expect((await post(path, body, rich)).status).toBe(200);
      await settled();
      expect((await gate.readBalance(rich)).balance).toBe(price * (held - 5) + 400 - 15);
    },
  );

  it('is not passed on to a vendor without a limit if its payer cannot pay for ten searches', async () => {
    const model = severalChannels;
    await gate.core.settings.setMany({ RetryTimes: '1' });
    const mapping = JSON.stringify({ [model]: endless.gemini3 });
    await gate.addChannel({ type: 14, models: model, priority: 10 });
    await gate.addChannel({ type: 24, models: model, model_mapping: mapping });
    const [path, body] = callers.messages(model, false) as [string, JsonObject];
    const isClaude = (requestPath: string): boolean => requestPath.includes('/messages');
    gate.upstream.script(async (exchange) => {
      if (!isClaude(exchange.path)) return answer('gemini3', 5)(exchange);
      exchange.head(500, { 'content-type': 'application/json' });
      await exchange.end('{}');
    });
    const sent = gate.upstream.requests.length;
    const poor = await gate.addCaller({ balance: 5_000 * 3 });
    expect((await post(path, body, poor)).status).toBe(403);
    expect(gate.upstream.requests.slice(sent).map((each) => isClaude(each.path))).toEqual([true]);
    expect(await gate.readBalance(poor)).toEqual({ balance: 5_000 * 3, held: 0 });
    const rich = await gate.addCaller({ balance: 5_000 * 20 });
    expect((await post(path, body, rich)).status).toBe(200);
    await gate.core.settings.setMany({ RetryTimes: '0' });
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
