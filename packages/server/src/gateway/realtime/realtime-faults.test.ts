import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createLedger } from '../../services/money/ledger/index.ts';
import { holds } from '../../store/index.ts';
import type { RealtimeEvent } from '../../testing/realtime-client.ts';
import { openRealtimeWorld, type RealtimeWorld } from '../../testing/worlds/realtime-world.ts';

let world: RealtimeWorld;
beforeAll(async () => {
  world = await openRealtimeWorld();
});
afterAll(() => world.close());
afterEach(async () => {
  world.upstream.script();
  await vi.waitFor(async () => expect(await world.gate.openHolds()).toBe(0), { timeout: 20_000 });
  expect(await world.gate.findings()).toEqual([]);
});

const long = { words: 10_000, paceMs: 5 };

describe('a session that breaks', () => {
  it('cancels the upstream when its caller leaves, and charges what was delivered', async () => {
    const { gate, upstream, open, readRows: rowsOf } = world;
    upstream.script(long);
    const caller = await gate.addCaller();
    const client = await open(caller);
    client.send({ type: 'response.create' });
    for (let piece = 0; piece < 5; piece += 1) await client.next('response.output_audio.delta');
    client.ws.terminate();
    const session = upstream.sessions.at(-1)!;
    await session.closed;
    await vi.waitFor(async () => expect(await rowsOf(caller)).toHaveLength(1), { timeout: 20_000 });
    const [row] = await rowsOf(caller);
    expect(row!.other).toMatchObject({ end_reason: 'client_gone', usage_source: 'counted' });
    expect(row!.quota).toBeGreaterThan(0);
    expect(row!.other['audio_output']).toBeGreaterThanOrEqual(7);
    expect((await gate.readBalance(caller)).balance).toBe(5_000_000 - row!.quota);
  });

  it('costs nothing when its caller leaves before any content', async () => {
    const { gate, upstream, open, readRows: rowsOf } = world;
    upstream.script({ after: { words: 0, end: 'silence' } });
    const caller = await gate.addCaller();
    const client = await open(caller);
    client.send({ type: 'response.create' });
    await client.next('response.created');
    client.ws.terminate();
    await vi.waitFor(
      async () => expect(await gate.readBalance(caller)).toEqual({ balance: 5_000_000, held: 0 }),
      { timeout: 20_000 },
    );
    expect(await rowsOf(caller)).toEqual([]);
  });

  it.each([
    ['cut', { code: 1011, error: 'upstream_broken', reason: 'upstream_broken' }],
    ['silence', { code: 1011, error: 'upstream_broken', reason: 'upstream_broken' }],
    ['close', { code: 1011, error: 'upstream_broken', reason: 'upstream_broken' }],
    ['error-and-close', { code: 1011, error: 'session_broken', reason: 'upstream_error' }],
  ] as const)(
    'is closed with an error when the upstream ends a response by %s, after its charge',
    async (end, expected) => {
      const { gate, upstream, open, readRows: rowsOf } = world;
      upstream.script({ after: { words: 2, end } });
      const caller = await gate.addCaller();
      const client = await open(caller);
      client.send({ type: 'response.create' });
      expect((await client.next('error'))['error']).toMatchObject({ code: expected.error });
      expect((await client.closed).code).toBe(expected.code);
      expect(client.events.filter(({ type }) => type === 'error')).toEqual([]);
      const [row] = await rowsOf(caller);
      expect(row!.other).toMatchObject({
        end_reason: expected.reason,
        usage_source: 'counted',
        audio_output: 3,
      });
    },
  );

  it('passes on the upstream’s error without the key of the channel', async () => {
    const { gate, upstream, open } = world;
    const client = await open(await gate.addCaller());
    await client.respond();
    const session = upstream.sessions.at(-1)!;
    const plain = { type: 'error', event_id: 'e1', error: { code: 'odd', message: 'see http://a.test ' } };
    session.send(plain);
    expect(await client.next('error')).toEqual(plain);
    const complaint = (key: string) => ({
      type: 'error',
      error: { code: 'invalid_api_key', message: `Incorrect API key provided: ${key}` },
    });
    session.send(complaint('sk-upstream-secret'));
    expect(await client.next('error')).toEqual(complaint('[hidden]'));
    session.close(1011, 'sk-upstream-secret is no good');
    expect(await client.closed).toEqual({ code: 1011, reason: '[hidden] is no good' });
  });

  it('charges a response once whose end the upstream reports twice, and another one with its id', async () => {
    const { gate, upstream, open, readRows: rowsOf } = world;
    const caller = await gate.addCaller();
    const client = await open(caller);
    client.send({ type: 'response.create' });
    const done = (await client.next('response.done')) as RealtimeEvent & { response: { id: string } };
    const session = upstream.sessions.at(-1)!;
    session.send(done);
    expect(await client.next('response.done')).toEqual(done);
    expect(await rowsOf(caller)).toHaveLength(1);
    session.send({ type: 'response.created', response: { id: done.response.id } });
    session.send(done);
    await client.next('response.done');
    await client.leave();
    const rows = await rowsOf(caller);
    expect(rows.map(({ quota }) => quota)).toEqual([rows[0]!.quota, rows[0]!.quota]);
    expect((await gate.readBalance(caller)).balance).toBe(5_000_000 - 2 * rows[0]!.quota);
  });

  it('charges a transcript once that the upstream reports twice, and each of those without an id', async () => {
    const { gate, upstream, open, readRows: rowsOf } = world;
    const caller = await gate.addCaller();
    const client = await open(caller);
    await client.next('session.created');
    const type = 'conversation.item.input_audio_transcription.completed';
    const usage = { type: 'tokens', total_tokens: 50, input_tokens: 40, output_tokens: 10 };
    const speech = [
      { item_id: 'item_1', content_index: 0 },
      { item_id: 'item_1', content_index: 0 },
      { item_id: 'item_1', content_index: 1 },
      { item_id: 'item_2', content_index: 0 },
      {},
      {},
    ];
    for (const named of speech) {
      upstream.sessions.at(-1)!.send({ type, transcript: 'what was said', usage, ...named });
      await client.next(type);
    }
    await client.leave();
    expect(await rowsOf(caller)).toHaveLength(5);
  });

  it('ends as its upstream ends it, between two responses', async () => {
    const { gate, upstream, open } = world;
    const client = await open(await gate.addCaller());
    await client.respond();
    const session = upstream.sessions.at(-1)!;
    session.close(1001, 'time is up');
    expect(await client.closed).toEqual({ code: 1001, reason: 'time is up' });
    expect(client.events.map(({ type }) => type)).not.toContain('error');
  });
});

describe('a session whose tokens cannot be counted', () => {
  const uncountable = async (): Promise<RealtimeWorld> => {
    const own = await openRealtimeWorld();
    own.gate.relay.gateway.countTokens = () => Promise.reject(new Error('no thread'));
    return own;
  };

  it('is charged by the bytes of its content, where the vendor reports nothing', async () => {
    const own = await uncountable();
    own.upstream.script({ words: 6, soundBytes: 0, usage: null });
    const caller = await own.gate.addCaller();
    const client = await own.open(caller);
    await client.respond();
    await client.leave();
    await expect.poll(() => own.gate.openHolds()).toBe(0);
    const [row, ...others] = await own.readRows(caller);
    expect(others).toEqual([]);
    expect(row!.other).toMatchObject({ end_reason: 'complete', usage_source: 'estimated' });
    const written = client.events
      .filter(({ type }) => type.endsWith('.delta'))
      .map((event) => String((event as { delta?: unknown }).delta))
      .join('');
    expect(row!.completion_tokens).toBe(Buffer.byteLength(written));
    expect(row!.quota).toBeGreaterThan(0);
    expect(await own.gate.readBalance(caller)).toEqual({ balance: 5_000_000 - row!.quota, held: 0 });
    await own.close();
  });

  it('goes on by the upper bound to the end of its balance, which pays for what came', async () => {
    const own = await uncountable();
    own.upstream.script({ words: 10_000, soundBytes: 0, usage: null });
    const caller = await own.gate.addCaller({ balance: 5_000 });
    const client = await own.open(caller);
    client.send({ type: 'response.create' });
    expect((await client.next('error'))['error']).toMatchObject({ code: 'insufficient_user_quota' });
    expect((await client.closed).code).toBe(1008);
    const [row] = await own.readRows(caller);
    expect(row!.other).toMatchObject({ end_reason: 'quota_exhausted', usage_source: 'estimated' });
    const { balance, held } = await own.gate.readBalance(caller);
    expect({ balance, held }).toEqual({ balance: 5_000 - row!.quota, held: 0 });
    expect(row!.quota).toBeGreaterThan(4_500);
    expect(await own.gate.findings()).toEqual([]);
    await own.close();
  });
});

describe('a crash in mid-session', () => {
  it('loses no charge, and recovery ends the hold at what was delivered', async () => {
    const own = await openRealtimeWorld();
    const { gate, upstream } = own;
    const { core } = gate;
    const caller = await gate.addCaller({ balance: 1_000_000 });
    const client = await own.open(caller);
    await client.respond();
    const [charged] = await own.readRows(caller);
    // Long enough for a mark to be written.
    upstream.script({ ...long, paceMs: 50 });
    client.send({ type: 'response.create' });
    const marked = async (): Promise<number> => (await holds.listHolds(core.store.db))[0]?.progress ?? 0;
    await vi.waitFor(async () => expect(await marked()).toBeGreaterThan(0), { timeout: 5_000 });
    // No write may be pending: the rows are read after the crash.
    await core.ledger.flush();
    core.ledger.abandon();
    const progress = await marked();
    const after = createLedger({ store: core.store, log: core.log, clock: core.clock, node: 'afterwards' });
    expect(await after.recover()).toMatchObject({ settled: 1, released: 0, charged: progress });
    const rows = await own.readRows(caller);
    expect(rows.map(({ quota }) => quota)).toEqual([charged!.quota, progress]);
    expect(rows[1]!.other).toMatchObject({ end_reason: 'crash' });
    expect(await gate.readBalance(caller)).toEqual({
      balance: 1_000_000 - charged!.quota - progress,
      held: 0,
    });
    expect(await gate.findings()).toEqual([]);
    client.ws.terminate();
    await after.close();
    await own.close();
  });
});

describe('a stop of the process', () => {
  it('ends idle sessions at once and others behind their response', async () => {
    const own = await openRealtimeWorld();
    const caller = await own.gate.addCaller();
    const idle = await own.open(caller);
    const busy = await own.open(caller);
    own.upstream.script({ words: 5, paceMs: 20 });
    busy.send({ type: 'response.create' });
    await busy.next('response.created');
    own.gate.relay.stop();
    expect((await idle.next('error'))['error']).toMatchObject({ code: 'shutting_down' });
    expect((await idle.closed).code).toBe(1012);
    await busy.next('response.done');
    expect((await busy.closed).code).toBe(1012);
    await vi.waitFor(() => expect(own.gate.relay.gateway.running.size).toBe(0), { timeout: 20_000 });
    const rows = await own.readRows(caller);
    expect(rows.map(({ other }) => other['end_reason'])).toEqual(['complete']);
    await own.close();
  });

  it('ends a response that outlasts the drain, and charges what was delivered', async () => {
    const own = await openRealtimeWorld();
    const caller = await own.gate.addCaller();
    const client = await own.open(caller);
    own.upstream.script(long);
    client.send({ type: 'response.create' });
    await client.next('response.output_audio.delta');
    own.gate.relay.stop();
    own.gate.relay.gateway.running.endAll();
    expect((await client.closed).code).toBe(1012);
    expect(await own.gate.relay.gateway.running.settled(5_000)).toBe(true);
    const [row] = await own.readRows(caller);
    expect(row!.other).toMatchObject({ end_reason: 'shutdown' });
    expect(row!.quota).toBeGreaterThan(0);
    await own.close();
  });
});
