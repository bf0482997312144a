import { afterEach, beforeEach, expect, it } from 'vitest';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { json } from '../../testing/upstream/fake-upstream-scripts.ts';
import { lockSqlite } from '../../testing/lock-sqlite.ts';

let gate: GatewayHarness;
let caller: TestCaller;
let channel: number;
beforeEach(async () => {
  gate = await openGateway();
  channel = await gate.addChannel();
  caller = await gate.addCaller();
});
afterEach(() => gate.close());

const call = (stream: boolean) =>
  fetch(`${gate.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o-mini', stream, messages: [{ role: 'user', content: 'hi' }] }),
  });

it.each([false, true])('a 503 for want of the database has a Retry-After (stream: %s)', async (stream) => {
  gate.core.ledger.abandon();
  const answer = await call(stream);
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBe('2');
  expect(await answer.json()).toHaveProperty('error.code', 'ledger_unavailable');
});

it.each([false, true])(
  'a read that the database does not answer is a 503, too (stream: %s)',
  async (stream) => {
    const { keys } = gate.core;
    keys.resolve = () => Promise.reject(new Error('timeout exceeded when trying to connect'));
    const answer = await call(stream);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('2');
  },
);

it('a 503 of a process that stops has a Retry-After', async () => {
  gate.relay.stop();
  const answer = await call(false);
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBe('5');
});

it('a call whose whole answer came while another process had locked the file ends with 503 in time, and costs nothing', async () => {
  // From here on the payer is known.
  await (await call(false)).text();
  const before = (await gate.readBalance(caller)).balance;
  const unlock = await lockSqlite(gate.file);
  // All of this happens while the file is locked; a settlement may wait for 30 seconds.
  const answers = await Promise.all([call(false), call(true), call(false)]);
  await Promise.all(answers.map((answer) => answer.text()));
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
  expect(answers.map(({ headers }) => headers.get('retry-after'))).toEqual(['2', '2', '2']);
  await unlock();
  expect((await gate.readBalance(caller)).balance).toBe(before);
  await expect.poll(async () => (await call(false)).status, { timeout: 10_000 }).toBe(200);
  await gate.checkAtRest();
});

it.each([
  ['Rate limit reached for gpt-4o. Please try again in 20s. Visit the page of limits.', 20],
  ['Please try again in 1m2.5s.', 63],
  ['Please try again in 6h0m.', 21_600],
  ['Please try again in 350ms.', 1],
  ['You exceeded your current quota. Please retry in 34.074824224s.', 35],
  ['Requests exceeded the rate limit. Please retry after 20 seconds.', 20],
  ['Too many requests, try again later.', 0],
])(
  'a channel rests as long as its vendor says in words, and the caller is told: %s',
  async (message, seconds) => {
    gate.upstream.script(json({ error: { message, type: 'requests', code: 'rate_limit_exceeded' } }, 429));
    const before = Date.now();
    const answer = await call(false);
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toBe(seconds === 0 ? null : String(seconds));
    const rests = gate.core.routing.health.cooldownUntil(channel) - before;
    const expected = Math.min(seconds, 3_600) * 1_000;
    expect(rests).toBeGreaterThanOrEqual(seconds === 0 ? -before : expected);
    expect(rests).toBeLessThan(seconds === 0 ? 0 : expected + Date.now() - before + 1);
  },
);
