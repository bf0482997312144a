import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { channelMinutes } from '../store/index.ts';
import { refuse } from '../testing/upstream/fake-upstream-faults.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../testing/gateway-harness.ts';

let gate: GatewayHarness;
let caller: TestCaller;

beforeEach(async () => {
  gate = await openGateway();
  await gate.core.settings.set('RetryTimes', '1');
  caller = await gate.addCaller();
});
afterEach(() => gate.close());

const call = async (body: object = {}) => {
  const answer = await fetch(`${gate.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }], ...body }),
  });
  await answer.text();
  return answer.status;
};
const report = async (by: 'channel' | 'key' | 'model' = 'channel') => {
  await gate.core.attempts.flush();
  return (await gate.core.channelHealth.report({ period: 'hour', by, channel: 0 })).rows;
};

describe('the health of channels', () => {
  it('counts a failure against the channel that failed, though another one answered', async () => {
    const bad = await gate.addChannel({ name: 'bad', priority: 10 });
    const good = await gate.addChannel({ name: 'good', priority: 5 });
    gate.upstream.next('refuse-500');
    expect(await call({ stream: true })).toBe(200);
    const rows = await report();
    expect(rows.find(({ channel }) => channel === bad)).toMatchObject({
      name: 'bad',
      tries: 1,
      failed: 1,
      failures: { server_error: 1 },
      whole_p50: null,
    });
    const answered = rows.find(({ channel }) => channel === good)!;
    expect(answered).toMatchObject({ tries: 1, failed: 0 });
    expect(answered.first_p50).toBeGreaterThan(0);
    expect(answered.whole_p95).toBeGreaterThan(0);
    expect(answered.series.reduce((sum, { tries }) => sum + tries, 0)).toBe(1);
    // The caller saw one call, which succeeded.
    const site = await gate.core.channelHealth.site();
    expect(site.models.find(({ model }) => model === 'gpt-4o-mini')).toMatchObject({
      state: 'good',
      success_rate: 1,
    });
  });

  it.each([
    [429, 'limited'],
    [401, 'key_refused'],
    [504, 'timed_out'],
    [503, 'server_error'],
  ] as const)('knows %s as %s', async (status, kind) => {
    await gate.addChannel({ name: 'one' });
    gate.upstream.next(refuse(status));
    await call();
    expect((await report('model'))[0]).toMatchObject({
      model: 'gpt-4o-mini',
      failed: 1,
      failures: { [kind]: 1 },
    });
  });

  it('counts no failure that is the caller’s fault', async () => {
    await gate.addChannel({ name: 'one' });
    gate.upstream.next(refuse(400));
    expect(await call()).toBe(400);
    expect((await report()).reduce((sum, { failed }) => sum + failed, 0)).toBe(0);
  });

  it('writes what many calls did with one statement, and keeps a day', async () => {
    await gate.addChannel({ name: 'one' });
    for (let round = 0; round < 5; round += 1) await call();
    const rows = await report();
    expect(rows[0]).toMatchObject({ tries: 5, failed: 0 });
    const { db } = gate.core.store;
    await channelMinutes.add(db, [
      { minute: 60, channel_id: 1, key_id: '', model: 'old', ...channelMinutes.emptyCounts(), succeeded: 1 },
    ]);
    await gate.core.channelHealth.expire();
    const { kept } = await db
      .selectFrom('channel_minutes')
      .select((eb) => eb.fn.countAll<number>().as('kept'))
      .executeTakeFirstOrThrow();
    expect(Number(kept)).toBeLessThanOrEqual(4);
  });
});

/** An answer of a channel with these times, in ms after its start. */
const answered = (
  channelId: number,
  {
    first,
    whole,
    output,
    ...more
  }: { first: number; whole: number; output: number } & Record<string, unknown>,
) =>
  gate.core.attempts.answered({
    channelId,
    model: 'm',
    tries: [{ ms: first }],
    isStream: true,
    endReason: 'complete',
    usage: { output, reasoning: 0 },
    startedAt: 1_000_000,
    firstByteAt: first === 0 ? 0 : 1_000_000 + first,
    endedAt: 1_000_000 + whole,
    ...more,
  });

describe('tokens a second', () => {
  it('are those of complete streams, from their first byte to their end, with hidden reasoning', async () => {
    const id = await gate.addChannel({ name: 'one' });
    answered(id, { first: 500, whole: 2_500, output: 0, usage: { output: 60, reasoning: 40 } });
    answered(id, { first: 900, whole: 1_900, output: 50 });
    // Not in the speed: an answer in one piece, one that broke off, one without a byte.
    answered(id, { first: 100, whole: 200, output: 9_000, isStream: false });
    answered(id, { first: 100, whole: 200, output: 9_000, endReason: 'upstream_broken' });
    answered(id, { first: 0, whole: 200, output: 9_000 });
    expect((await report())[0]).toMatchObject({ tokens_per_second: 50 });
  });

  it('are unknown without a stream', async () => {
    const id = await gate.addChannel({ name: 'one' });
    answered(id, { first: 100, whole: 200, output: 9_000, isStream: false });
    expect((await report())[0]).toMatchObject({ tokens_per_second: null });
  });
});

it('a response of a realtime session is not shortened by the attempts to open the session', async () => {
  const id = await gate.addChannel({ name: 'one' });
  const tries = [{ ms: 9_000 }, { ms: 300 }];
  answered(id, { first: 4_000, whole: 12_000, output: 80, tries, realtimeSession: 'r-1' });
  const [row] = await report();
  expect(row).toMatchObject({ tokens_per_second: 10 });
  for (const [told, exact] of [
    [row!.first_p50, 4_000],
    [row!.whole_p50, 12_000],
  ] as const)
    expect(Math.abs(Math.log(told! / exact))).toBeLessThan(Math.log(1.51));
});

it('a quantile is never further off than its bucket, however times are spread', async () => {
  const id = await gate.addChannel({ name: 'one' });
  const startedAt = 1_000_000;
  const times = Array.from({ length: 400 }, (_, place) => Math.round(20 * 1.02 ** place));
  for (const ms of times)
    gate.core.attempts.answered({
      channelId: id,
      model: 'm',
      tries: [{ ms }],
      isStream: true,
      endReason: 'complete',
      usage: { output: 10, reasoning: 0 },
      startedAt,
      firstByteAt: startedAt + ms,
      endedAt: startedAt + 2 * ms,
    });
  const row = (await report('model')).find(({ model }) => model === 'm')!;
  for (const [share, told, factor] of [
    [0.5, row.first_p50, 1],
    [0.95, row.first_p95, 1],
    [0.5, row.whole_p50, 2],
    [0.95, row.whole_p95, 2],
  ] as const) {
    const exact = times[Math.ceil(times.length * share) - 1]! * factor;
    expect(told! / exact).toBeGreaterThan(1 / 1.51);
    expect(told! / exact).toBeLessThan(1.51);
  }
});
