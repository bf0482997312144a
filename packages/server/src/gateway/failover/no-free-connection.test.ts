import { afterEach, beforeEach, expect, it } from 'vitest';
import { logs } from '../../store/index.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { startFakeUpstream } from '../../testing/upstream/fake-upstream.ts';
import { healthy } from '../../testing/upstream/fake-upstream-scripts.ts';

let gate: GatewayHarness;
let caller: TestCaller;
let channel: number;
/** Lets the upstream answer. */
let release: () => void;

beforeEach(async () => {
  gate = await openGateway({ UPSTREAM_MAX_CONNECTIONS: '1', UPSTREAM_WAIT_SECONDS: '600' });
  channel = await gate.addChannel({ priority: 10 });
  caller = await gate.addCaller();
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  gate.upstream.script(async (exchange) => {
    await released;
    await healthy()(exchange);
  });
});
afterEach(async () => {
  await expect.poll(() => gate.relay.gateway.running.size).toBe(0);
  await gate.checkAtRest();
  await gate.close();
});

const messages = [{ role: 'user', content: 'hi' }];
const requests = {
  '/v1/chat/completions': { model: 'gpt-4o-mini', messages },
  '/v1/messages': { model: 'gpt-4o-mini', messages, max_tokens: 10 },
  '/v1/responses': { model: 'gpt-4o-mini', input: 'hi' },
  '/v1beta/models/gpt-4o-mini:generateContent': { contents: [{ parts: [{ text: 'hi' }] }] },
};

const call = (path: keyof typeof requests = '/v1/chat/completions') =>
  fetch(gate.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(requests[path]),
  });

/**
 * One call has the connection, two wait for it and the next is refused. Returns the refused call and the other three.
 */
async function crowd(): Promise<{ refused: Response; others: Promise<Response>[] }> {
  const calls = [call(), call(), call(), call()].map((answer, index) => ({ answer, index }));
  const first = await Promise.race(
    calls.map(async ({ answer, index }) => ({ refused: await answer, index })),
  );
  const others = calls.filter(({ index }) => index !== first.index).map(({ answer }) => answer);
  return { refused: first.refused, others };
}

async function served(others: readonly Promise<Response>[]): Promise<void> {
  release();
  const answers = await Promise.all(others);
  await Promise.all(answers.map((answer) => answer.text()));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
}

it('a call without a free connection is answered 503 in its protocol with a Retry-After, and costs nothing', async () => {
  const { refused, others } = await crowd();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
  expect(await refused.json()).toMatchObject({ error: { code: 'no_free_connection' } });
  const shapes: Record<string, unknown> = {
    '/v1/messages': { type: 'error', error: { message: expect.stringContaining('connections') as string } },
    '/v1/responses': { error: { code: 'no_free_connection' } },
    '/v1beta/models/gpt-4o-mini:generateContent': { error: { code: 503, status: 'UNAVAILABLE' } },
  };
  for (const [path, shape] of Object.entries(shapes)) {
    const answer = await call(path as keyof typeof requests);
    expect([path, answer.status, answer.headers.get('retry-after')]).toEqual([path, 503, '2']);
    expect(await answer.json()).toMatchObject(shape as object);
  }
  expect(gate.upstream.requests).toHaveLength(1);
  await served(others);
  expect(gate.upstream.requests).toHaveLength(3);
  await gate.core.ledger.flush();
  const charged = await logs.list(
    gate.core.store.db,
    { userId: caller.userId, type: 2 },
    { offset: 0, limit: 9 },
  );
  expect(charged.rows).toHaveLength(3);
});

it('a lack of connections never counts against the channel', async () => {
  const { refused, others } = await crowd();
  await refused.text();
  // Five consecutive failures would suspend a channel.
  for (let round = 0; round < 6; round += 1) expect((await call()).status).toBe(503);
  expect(gate.core.routing.choose({ group: 'default', model: 'gpt-4o-mini' }, new Set())?.id).toBe(channel);
  await served(others);
});

it('a channel at another address takes the call', async () => {
  const elsewhere = await startFakeUpstream();
  await gate.core.settings.set('RetryTimes', '1');
  const { refused, others } = await crowd();
  await refused.text();
  await gate.addChannel({ name: 'elsewhere', priority: 5, base_url: elsewhere.url });
  const answer = await call();
  expect([answer.status, elsewhere.requests.length]).toEqual([200, 1]);
  await answer.text();
  await served(others);
  await elsewhere.close();
});
