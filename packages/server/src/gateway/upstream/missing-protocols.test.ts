import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { type Behaviour, chat, json } from '../../testing/upstream/fake-upstream-scripts.ts';

// A server that copies only OpenAI's chats serves callers of every protocol.

let gate: GatewayHarness;
let caller: TestCaller;
let model = '';
let made = 0;

beforeAll(async () => {
  gate = await openGateway();
  caller = await gate.addCaller();
});
afterAll(() => gate.close());
beforeEach(() => {
  made += 1;
  model = `model-${made}`;
});

/** A channel with its own model. */
async function channel(type: number, setting: object = {}): Promise<void> {
  await gate.core.settings.set('ModelRatio', JSON.stringify({ [model]: 1 }));
  await gate.addChannel({ type, models: model, setting: JSON.stringify(setting) });
}

/** Server that supports only chats. It answers other paths with this status and body. */
const chatAlone =
  (status: number, body: unknown): Behaviour =>
  (exchange) =>
    exchange.path.includes('/chat/completions') ? chat()(exchange) : json(body, status)(exchange);

async function ask(fields: object = {}) {
  const before = gate.upstream.requests.length;
  const answer = await fetch(`${gate.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, input: 'hi', ...fields }),
  });
  const text = await answer.text();
  const paths = gate.upstream.requests.slice(before).map(({ path }) => path.replace(/\?.*/, ''));
  return { status: answer.status, text, paths };
}

const notFound: [string, number, unknown][] = [
  ['llama.cpp', 404, { error: { code: 404, message: 'File Not Found', type: 'not_found_error' } }],
  ['FastAPI', 404, { detail: 'Not Found' }],
  [
    'OpenAI’s copies',
    404,
    { error: { message: 'Invalid URL (POST /v1/responses)', type: 'invalid_request_error' } },
  ],
  ['a proxy', 405, { detail: 'Method Not Allowed' }],
  ['an API without it', 501, { error: { message: 'API not implemented' } }],
];

describe.each(notFound)('a path that %s does not have', (_name, status, body) => {
  it.each([1, 58, 9116])(
    'is left alone from then on, and the call goes on as a chat (type %i)',
    async (type) => {
      await channel(type);
      gate.upstream.script(chatAlone(status, body));
      const first = await ask();
      expect([first.status, first.paths]).toEqual([200, ['/v1/responses', '/v1/chat/completions']]);
      expect(first.text).toContain('"completed"');
      const second = await ask({ stream: true });
      expect([second.status, second.paths]).toEqual([200, ['/v1/chat/completions']]);
      expect(second.text).toContain('response.completed');
      expect(await gate.findings()).toEqual([]);
    },
  );
});

it.each([
  {
    error: {
      message: 'The model `x` does not exist',
      type: 'invalid_request_error',
      code: 'model_not_found',
    },
  },
  { error: { message: "Item with id 'rs_1' not found.", type: 'invalid_request_error', param: 'input' } },
  { error: { message: 'model "llama" not found, try pulling it first' } },
])('a 404 about something else does not count: %j', async (body) => {
  await channel(1);
  gate.upstream.script(chatAlone(404, body));
  for (let round = 0; round < 2; round += 1) {
    const { status, paths } = await ask();
    expect([status, paths]).toEqual([404, ['/v1/responses']]);
  }
});

it('a server without chats either is told as it is', async () => {
  await channel(1);
  gate.upstream.script(json({ detail: 'Not Found' }, 404));
  expect(await ask()).toMatchObject({ status: 404, paths: ['/v1/responses', '/v1/chat/completions'] });
});

it('a call that has no other protocol is not repeated', async () => {
  await channel(1);
  gate.upstream.script(json({ detail: 'Not Found' }, 404));
  const before = gate.upstream.requests.length;
  const answer = await fetch(`${gate.url}/v1/embeddings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}` },
    body: JSON.stringify({ model, input: 'hi' }),
  });
  expect([answer.status, gate.upstream.requests.length - before]).toEqual([404, 1]);
});

it.each([
  ['chat', 200, ['/v1/chat/completions']],
  ['all', 404, ['/v1/responses']],
] as const)('a channel set to %s decides it alone', async (protocols, status, paths) => {
  await channel(1, { protocols });
  gate.upstream.script(chatAlone(404, { detail: 'Not Found' }));
  expect(await ask()).toMatchObject({ status, paths });
});
