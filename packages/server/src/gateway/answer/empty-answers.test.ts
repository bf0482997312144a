import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { logs } from '../../store/index.ts';
import { body } from '../../testing/upstream/fake-upstream-faults.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

// A success without content, tool call, finish reason or usage is a failure of its channel (docs/reliability.md U6).

const chat = { model: 'm', messages: [{ role: 'user', content: 'ping' }] };
const messages = { ...chat, max_tokens: 100 };
const responses = { model: 'm', input: 'ping' };
const contents = { contents: [{ role: 'user', parts: [{ text: 'ping' }] }] };

const sse = (...events: (object | string)[]): string =>
  events.map((each) => `data: ${typeof each === 'string' ? each : JSON.stringify(each)}\n\n`).join('');
const named = (...events: { type: string }[]): string =>
  events.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`).join('');
const choice = (delta: object, reason: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason: reason }],
});
const message = (content: object[], more: object = {}) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason: null,
  ...more,
});

/** An empty, a minimal and a normal answer of an upstream of one protocol. */
interface Upstream {
  channelType: number;
  whole: { empty: object[]; legit: object[]; good: object };
  stream: { empty: string[]; legit: string[]; good: string };
}

const junk = { hello: 'world' };

const openai: Upstream = {
  channelType: 1,
  whole: {
    empty: [
      { choices: [] },
      { choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: null }] },
      { choices: [{}], usage: { prompt_tokens: 0, completion_tokens: 0 } },
    ],
    legit: [{ choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'stop' }] }],
    good: {
      choices: [{ index: 0, message: { role: 'assistant', content: 'pong' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 9, completion_tokens: 3 },
    },
  },
  stream: {
    empty: [
      sse('[DONE]'),
      sse(junk, junk, '[DONE]'),
      sse(choice({ role: 'assistant', content: '' }), '[DONE]'),
      sse({ choices: [] }, '[DONE]'),
    ],
    legit: [
      sse(choice({ role: 'assistant', content: '' }), choice({}, 'stop'), '[DONE]'),
      sse(
        choice({ role: 'assistant' }),
        { choices: [], usage: { prompt_tokens: 9, completion_tokens: 3 } },
        '[DONE]',
      ),
    ],
    good: sse(choice({ role: 'assistant', content: '' }), choice({ content: 'pong' }, 'stop'), '[DONE]'),
  },
};

const start = {
  type: 'message_start',
  message: message([], { usage: { input_tokens: 9, output_tokens: 1 } }),
};
const stop = { type: 'message_stop' };
const textStart = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
const anthropic: Upstream = {
  channelType: 14,
  whole: {
    empty: [message([]), message([{ type: 'text', text: '' }])],
    legit: [message([], { stop_reason: 'end_turn', usage: { input_tokens: 9, output_tokens: 3 } })],
    good: message([{ type: 'text', text: 'pong' }], { stop_reason: 'end_turn' }),
  },
  stream: {
    empty: [
      named(stop),
      named(start, stop),
      named(start, textStart, { type: 'content_block_stop', index: 0 } as { type: string }, stop),
    ],
    legit: [
      named(start, { type: 'message_delta', delta: { stop_reason: 'end_turn' } } as { type: string }, stop),
    ],
    good: named(
      start,
      textStart,
      {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'text_delta', text: 'pong' },
      } as { type: string },
      { type: 'content_block_stop', index: 0 } as { type: string },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } } as { type: string },
      stop,
    ),
  },
};

const candidate = (text: string, more: object = {}) => ({
  candidates: [{ content: { role: 'model', parts: text === '' ? [] : [{ text }] }, ...more }],
});
const gemini: Upstream = {
  channelType: 24,
  whole: {
    empty: [{ candidates: [] }, candidate('')],
    legit: [candidate('', { finishReason: 'STOP' })],
    good: candidate('pong', { finishReason: 'STOP' }),
  },
  stream: {
    empty: [sse({ candidates: [] }), sse(junk), sse(candidate(''))],
    legit: [sse(candidate('', { finishReason: 'STOP' }))],
    good: sse(candidate('pong', { finishReason: 'STOP' })),
  },
};

const output = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'pong' }] }];
const response = (more: object) => ({ id: 'resp_1', object: 'response', model: 'm', ...more });
const event = (type: string, more: object = {}) => ({ type, ...more });
const created = event('response.created', { response: response({ status: 'in_progress', output: [] }) });
const openaiResponses: Upstream = {
  channelType: 1,
  whole: {
    empty: [response({ output: [] })],
    legit: [response({ output: [], status: 'completed' })],
    good: response({ output, status: 'completed' }),
  },
  stream: {
    empty: [
      named(event('response.completed', { response: response({ output: [] }) })),
      named(created, event('response.completed', { response: response({ output: [] }) })),
    ],
    legit: [
      named(
        created,
        event('response.completed', { response: response({ output: [], status: 'completed' }) }),
      ),
    ],
    good: named(
      created,
      event('response.output_text.delta', { output_index: 0, content_index: 0, delta: 'pong' }),
      event('response.completed', { response: response({ output, status: 'completed' }) }),
    ),
  },
};

/** Callers of each protocol. */
const callers = {
  'openai-chat': { path: '/v1/chat/completions', streamPath: '/v1/chat/completions', ask: chat },
  'anthropic-messages': { path: '/v1/messages', streamPath: '/v1/messages', ask: messages },
  'openai-responses': { path: '/v1/responses', streamPath: '/v1/responses', ask: responses },
  gemini: {
    path: '/v1beta/models/m:generateContent',
    streamPath: '/v1beta/models/m:streamGenerateContent?alt=sse',
    ask: contents,
  },
};
type CallerName = keyof typeof callers;

const pairs: [CallerName, string, Upstream][] = [
  ['openai-chat', 'openai-chat', openai],
  ['anthropic-messages', 'anthropic-messages', anthropic],
  ['gemini', 'gemini', gemini],
  ['openai-responses', 'openai-responses', openaiResponses],
  ['openai-chat', 'anthropic-messages', anthropic],
  ['openai-chat', 'gemini', gemini],
  ['anthropic-messages', 'openai-chat', openai],
  ['gemini', 'openai-chat', openai],
  ['openai-responses', 'anthropic-messages', anthropic],
];

interface Row {
  admin_info: { use_channel: string[] };
}

let gate: GatewayHarness;
let caller: TestCaller;
beforeAll(async () => {
  gate = await openGateway();
  await gate.core.settings.set('ModelRatio', JSON.stringify({ m: 1 }));
});
afterAll(() => gate.close());
beforeEach(async () => {
  caller = await gate.addCaller();
});
afterEach(async () => {
  await expect.poll(() => gate.relay.gateway.running.size).toBe(0);
  await gate.checkAtRest();
});

async function call(name: CallerName, stream: boolean) {
  const { path, streamPath, ask } = callers[name];
  const answer = await fetch(`${gate.url}${stream ? streamPath : path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(stream && name !== 'gemini' ? { ...ask, stream: true } : ask),
  });
  return { status: answer.status, text: await answer.text() };
}

const answerOf = (stream: boolean, what: object | string) =>
  stream ? body(what as string, 'text/event-stream') : body(JSON.stringify(what));

const readRows = async () =>
  (await logs.list(gate.core.store.db, { userId: caller.userId, type: 2 }, { offset: 0, limit: 100 })).rows;

describe.each(pairs)('%s over an upstream of %s', (name, _, upstream) => {
  const channels: number[] = [];
  beforeEach(async () => {
    const models = { models: 'm', type: upstream.channelType };
    channels.push(await gate.addChannel({ name: 'empty', priority: 10, ...models }));
    channels.push(await gate.addChannel({ name: 'good', priority: 5, ...models }));
  });
  afterEach(async () => {
    for (const id of channels.splice(0)) await gate.core.channels.remove([id]);
    await gate.core.settings.set('RetryTimes', '0');
  });

  it.each([false, true])(
    'an answer without content is free, and another channel answers (stream: %s)',
    async (stream) => {
      const { empty, good } = stream ? upstream.stream : upstream.whole;
      for (const nothing of empty) {
        gate.upstream.script(answerOf(stream, nothing));
        const refused = await call(name, stream);
        expect(refused.status, JSON.stringify(nothing)).toBe(502);
        expect(await gate.readBalance(caller)).toEqual({ balance: 5_000_000, held: 0 });
      }
      expect(await readRows()).toEqual([]);
      await gate.core.settings.set('RetryTimes', '1');
      for (const nothing of empty) {
        gate.upstream.next(answerOf(stream, nothing), answerOf(stream, good));
        const answered = await call(name, stream);
        expect(answered).toMatchObject({ status: 200, text: expect.stringContaining('pong') as string });
      }
      const rows = await readRows();
      expect(rows).toHaveLength(empty.length);
      const tried = rows.map(({ other }) => (JSON.parse(other) as Row).admin_info.use_channel.length);
      expect(tried.every((count) => count === 2)).toBe(true);
    },
  );

  it.each([false, true])(
    'an answer that ends properly without content counts as empty (stream: %s)',
    async (stream) => {
      const { legit } = stream ? upstream.stream : upstream.whole;
      for (const little of legit) {
        gate.upstream.script(answerOf(stream, little));
        expect((await call(name, stream)).status, JSON.stringify(little)).toBe(200);
      }
      expect(await readRows()).toHaveLength(legit.length);
    },
  );
});

it.each([
  ['/v1/embeddings', { model: 'm', input: 'ping' }, '{"object":"list","data":[]}'],
  ['/v1/moderations', { model: 'm', input: 'ping' }, '{"results":[]}'],
  ['/v1/completions', { model: 'm', prompt: 'ping' }, '{"choices":[]}'],
  ['/v1/images/generations', { model: 'm', prompt: 'ping' }, '{"created":1,"data":[]}'],
])('%s with an empty list is free', async (path, ask, nothing) => {
  const id = await gate.addChannel({ models: 'm', type: 1 });
  gate.upstream.script(body(nothing));
  const answer = await fetch(`${gate.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(ask),
  });
  expect(answer.status).toBe(502);
  expect(await gate.readBalance(caller)).toEqual({ balance: 5_000_000, held: 0 });
  await gate.core.channels.remove([id]);
});

it('an answer that has a usage and nothing else is charged', async () => {
  const id = await gate.addChannel({ models: 'm', type: 1 });
  gate.upstream.script(
    body(JSON.stringify({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 3 } })),
  );
  expect((await call('openai-chat', false)).status).toBe(200);
  expect((await gate.readBalance(caller)).balance).toBeLessThan(5_000_000);
  await gate.core.channels.remove([id]);
});

it('a redirect is a failure of the channel, and is not passed on', async () => {
  const id = await gate.addChannel({ models: 'm', type: 1 });
  gate.upstream.script(body('', 'text/html', 302));
  for (const stream of [false, true]) expect((await call('openai-chat', stream)).status).toBe(502);
  await gate.core.channels.remove([id]);
});

it('counts against the health of its channel', async () => {
  const id = await gate.addChannel({ models: 'm', type: 1 });
  gate.upstream.script(body('{"choices":[]}'));
  // Five consecutive failures suspend a channel.
  for (let round = 0; round < 5; round += 1) await call('openai-chat', false);
  gate.upstream.script(body(JSON.stringify(openai.whole.good)));
  const other = await gate.addChannel({ models: 'm', type: 1 });
  for (let round = 0; round < 5; round += 1) await call('openai-chat', false);
  expect((await readRows()).every((row) => row.channel_id === other)).toBe(true);
  await gate.core.channels.remove([id, other]);
});

it('is free also when so much of it arrived that some was passed on', async () => {
  const id = await gate.addChannel({ models: 'm', type: 1 });
  const noise = sse(...Array.from({ length: 10_000 }, () => junk));
  gate.upstream.script(body(noise + sse('[DONE]'), 'text/event-stream'));
  const { text } = await call('openai-chat', true);
  expect(text).toContain('"error"');
  expect(text).not.toContain('[DONE]');
  await expect.poll(() => gate.relay.gateway.running.size).toBe(0);
  expect(await gate.readBalance(caller)).toEqual({ balance: 5_000_000, held: 0 });
  await gate.core.channels.remove([id]);
});
