import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freshServer, migratedServer, missingServer } from '../../store/each-dialect.ts';
import { logs } from '../../store/index.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import * as faults from '../../testing/upstream/fake-upstream-faults.ts';
import type { Behaviour } from '../../testing/upstream/fake-upstream-scripts.ts';
import { healthy } from '../../testing/upstream/fake-upstream-scripts.ts';

let gate: GatewayHarness;
let caller: TestCaller;
/** Calls at the upstream now, and the most there ever were. */
let running = 0;
let most = 0;

beforeEach(async () => {
  gate = await openGateway();
  caller = await gate.addCaller();
  running = most = 0;
});
afterEach(async () => {
  await gate.checkAtRest();
  await gate.close();
});

const addLimited = (limits: object, more: object = {}) =>
  gate.addChannel({ setting: JSON.stringify({ limits }), priority: 10, ...more });
interface How {
  signal?: AbortSignal;
  path?: string;
  to?: GatewayHarness;
  key?: string;
}
const send = (
  body: object = {},
  { signal, path = '/v1/chat/completions', to = gate, key = caller.key }: How = {},
) =>
  fetch(to.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'gpt-4o-mini',
      max_tokens: 50,
      messages: [{ role: 'user', content: 'hi' }],
      ...body,
    }),
    ...(signal && { signal }),
  });
const counting =
  (behaviour: Behaviour): Behaviour =>
  async (exchange) => {
    most = Math.max(most, (running += 1));
    try {
      await behaviour(exchange);
    } finally {
      running -= 1;
    }
  };
/** Answers when it is told to. */
const gated = () => {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  gate.upstream.script(
    counting(async (exchange) => {
      await opened;
      await healthy()(exchange);
    }),
  );
  return open;
};
const lastTries = async () => {
  await gate.core.ledger.flush();
  // Writes the rows of failed calls.
  await gate.core.failures.close();
  const { rows } = await logs.list(gate.core.store.db, { userId: caller.userId }, { offset: 0, limit: 1 });
  const { admin_info: info } = JSON.parse(rows[0]!.other) as {
    admin_info: { tries: { channelId: number; reason?: string }[] };
  };
  return info.tries;
};

describe('a channel at its limit', () => {
  it('is skipped for the next one, which the row explains, and is used again later', async () => {
    const small = await addLimited({ calls_at_once: 1 });
    const large = await gate.addChannel({ priority: 5 });
    const open = gated();
    const first = send();
    await expect.poll(() => running).toBe(1);
    const second = send();
    await expect.poll(() => running).toBe(2);
    open();
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
    await Promise.all([(await first).text(), (await second).text()]);
    expect(await lastTries()).toEqual([
      expect.objectContaining({ channelId: small, reason: 'channel_calls_limit' }),
      expect.objectContaining({ channelId: large }),
    ]);
    await (await send()).text();
    expect(await lastTries()).toEqual([expect.objectContaining({ channelId: small })]);
    expect(gate.core.routing.health.cooldownUntil(small)).toBe(0);
  });

  it.each([
    ['/v1/chat/completions', 'rate_limit_exceeded', { requests_per_minute: 2 }],
    ['/v1/messages', undefined, { requests_per_minute: 2 }],
    ['/v1/chat/completions', 'rate_limit_exceeded', { tokens_per_minute: 200 }],
  ])('refuses with 429 and Retry-After if no other has room (%s)', async (path, code, limits) => {
    await addLimited(limits);
    gate.upstream.script(
      healthy({ usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } }),
    );
    for (let call = 0; call < 2; call += 1) await (await send({}, { path })).text();
    const refused = await send({}, { path });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThan(62);
    expect(((await refused.json()) as { error: { code?: string } }).error.code).toBe(code);
    expect(gate.upstream.requests).toHaveLength(2);
  });

  it('counts the tokens that a call has used, and not those of failures', async () => {
    await addLimited({ tokens_per_minute: 1_000 });
    gate.upstream.script(faults.refuse(500));
    for (let call = 0; call < 3; call += 1) await (await send({ max_tokens: 1 })).text();
    gate.upstream.script(
      healthy({ usage: { prompt_tokens: 10, completion_tokens: 990, total_tokens: 1_000 } }),
    );
    expect((await send()).status).toBe(200);
    expect((await send()).status).toBe(429);
  });

  it('takes waiting calls in order, never more than allowed at once', async () => {
    await addLimited({ calls_at_once: 1, wait_seconds: 30 });
    gate.upstream.script(counting(healthy({ chunks: 3, paceMs: 5 })));
    const ended: number[] = [];
    const calls: Promise<unknown>[] = [];
    for (let n = 0; n < 5; n += 1) {
      calls.push(
        send({ stream: true, messages: [{ role: 'user', content: `call ${n}` }] })
          .then((answer) => answer.text())
          .then(() => ended.push(n)),
      );
      await expect.poll(() => gate.relay.gateway.running.size + ended.length).toBe(n + 1);
    }
    await Promise.all(calls);
    expect(ended).toEqual([0, 1, 2, 3, 4]);
    expect(most).toBe(1);
  });

  it('is freed by a caller who disconnects, and passes over one who has gone while waiting', async () => {
    await addLimited({ calls_at_once: 1, wait_seconds: 30 });
    gate.upstream.script(counting(faults.stallMidStream()));
    const leaving = new AbortController();
    const first = await send({ stream: true }, { signal: leaving.signal });
    await first.body!.getReader().read();
    gate.upstream.script(healthy());
    const tired = new AbortController();
    const second = send({}, { signal: tired.signal }).catch(() => 'gone');
    await expect.poll(() => gate.relay.gateway.running.size).toBe(2);
    const third = send();
    await expect.poll(() => gate.relay.gateway.running.size).toBe(3);
    tired.abort();
    expect(await second).toBe('gone');
    leaving.abort();
    expect((await third).status).toBe(200);
    expect(gate.upstream.requests).toHaveLength(2);
    await expect.poll(() => gate.relay.gateway.running.size).toBe(0);
  });

  it('lets nobody wait longer than it says', async () => {
    await addLimited({ calls_at_once: 1, wait_seconds: 1 });
    const open = gated();
    const first = send();
    await expect.poll(() => running).toBe(1);
    const refused = await send();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('1');
    open();
    expect((await first).status).toBe(200);
  });

  it('rests for the day when the spend of a day is reached', async () => {
    const id = await addLimited({ dollars_per_day: 0.01 });
    gate.upstream.script(
      healthy({ usage: { prompt_tokens: 20_000, completion_tokens: 20_000, total_tokens: 40_000 } }),
    );
    expect((await send()).status).toBe(200);
    const refused = await send();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // A process that starts later reads it.
    await gate.core.attempts.flush();
    expect(await gate.core.spends.today(id)).toBeGreaterThanOrEqual(5_000);
  });
});

describe('limits of one of several keys', () => {
  it('send calls to the other key, and refuse when both are full', async () => {
    const id = await gate.addChannel({ mode: 'multi_to_single', key: 'sk-one\nsk-two' });
    for (const { id: key } of await gate.core.channels.listKeys(id))
      await gate.core.channels.manageKeys(id, 'limit_key', { id: key, limits: { requests_per_minute: 2 } });
    const statuses: number[] = [];
    for (let call = 0; call < 5; call += 1) {
      statuses.push((await send()).status);
      await sleep(1);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
    const sent = gate.upstream.requests.map(({ headers }) => headers.authorization);
    expect(Object.values(Object.groupBy(sent, String)).map((each) => each!.length)).toEqual([2, 2]);
    expect(await lastTries()).toEqual([
      expect.objectContaining({ channelId: id, reason: 'key_requests_limit' }),
      expect.objectContaining({ channelId: id, reason: 'key_requests_limit' }),
    ]);
  });
});

it('a good answer with nothing remaining lets its channel rest until the reset', async () => {
  const low = await gate.addChannel({ priority: 10 });
  await gate.addChannel({ priority: 5 });
  gate.upstream.next(
    healthy({ headers: { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1m0s' } }),
  );
  const before = Date.now();
  expect((await send()).status).toBe(200);
  expect(gate.core.routing.health.cooldownUntil(low) - before).toBeGreaterThanOrEqual(60_000);
  await (await send()).text();
  const { rows } = await logs.list(gate.core.store.db, { userId: caller.userId }, { offset: 0, limit: 1 });
  expect(rows[0]?.channel_id).not.toBe(low);
});

const missing = missingServer('postgres') ?? missingServer('redis');
describe.skipIf(missing !== undefined)(
  `two processes with one Redis${missing ? ` (${missing})` : ''}`,
  () => {
    it('count their calls together', async () => {
      const env = {
        DATABASE_URL: await migratedServer('postgres'),
        REDIS_CONN_STRING: await freshServer('redis'),
      };
      const one = await openGateway(env);
      const other = await openGateway(env);
      const { key } = await one.addCaller();
      await one.addChannel({ setting: JSON.stringify({ limits: { calls_at_once: 2, wait_seconds: 30 } }) });
      await other.core.routing.reload();
      one.upstream.script(counting(healthy({ chunks: 3, paceMs: 5 })));
      const statuses = await Promise.all(
        Array.from({ length: 12 }, async (_, n) => {
          const answer = await send({ stream: true }, { to: n % 2 === 0 ? one : other, key });
          await answer.text();
          return answer.status;
        }),
      );
      expect(new Set(statuses)).toEqual(new Set([200]));
      expect(most).toBe(2);
      for (const each of [other, one]) await each.close();
    });
  },
);
