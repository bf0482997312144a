import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { GatewayHarness, TestCaller } from '../../testing/gateway-harness.ts';
import { openGateway } from '../../testing/gateway-harness.ts';
import { lockSqlite } from '../../testing/lock-sqlite.ts';
import { RealtimeClient } from '../../testing/realtime-client.ts';
import { type FakeRealtime, startFakeRealtime } from '../../testing/upstream/fake-realtime.ts';
import { chat, sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';
import { chatChunk, delta, doneEvent, event } from '../../testing/upstream/fake-upstream-wire.ts';

const voice = 'gpt-4o-realtime-preview';
const model = 'words-of-chats';
/** Allowance for a busy machine. */
const longest = { timeout: 20_000 };

describe('an answer whose hold must grow while the database is away', () => {
  let gate: GatewayHarness;
  let voices: FakeRealtime;
  let caller: TestCaller;
  beforeEach(async () => {
    gate = await openGateway({}, { ledgerBounds: { reserveWaitMs: 100, settleWaitMs: 20_000 } });
    voices = await startFakeRealtime();
    await gate.addChannel();
    await gate.addChannel({ type: 8, models: model });
    await gate.addChannel({ models: voice, base_url: voices.url });
    await gate.core.settings.set(
      'ModelRatio',
      JSON.stringify({ 'gpt-4o-mini': 10, [model]: 10, [voice]: 2.5 }),
    );
    caller = await gate.addCaller({ balance: 1_000_000_000 });
  });
  afterEach(async () => {
    await gate.close();
    await voices.close();
  });

  const readEnd = async (): Promise<unknown> => {
    await gate.core.ledger.flush();
    const row = await gate.core.store.db
      .selectFrom('logs')
      .select('other')
      .where('type', '=', 2)
      .executeTakeFirst();
    return row && (JSON.parse(row.other) as { end_reason: unknown }).end_reason;
  };

  /** Locks the database; the function unlocks it once `isOver`, however slowly the answer comes. */
  const lockUntil = async (isOver: () => boolean): Promise<() => Promise<void>> => {
    const unlock = await lockSqlite(gate.file);
    return async () => {
      try {
        await expect.poll(isOver, longest).toBe(true);
      } finally {
        await unlock();
      }
    };
  };

  it('ends with ledger_unavailable, and never as if the balance had ended', async () => {
    gate.upstream.script(chat({ chunks: 12_000, text: () => 'some more words here, ', usage: null }));
    const answer = await fetch(`${gate.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'gpt-4o-mini',
        stream: true,
        messages: [{ role: 'user', content: 'Hi' }],
      }),
    });
    // A refused growth is not the end: the hold grows again if it can. The call has ended when it is settled.
    const settle = vi.spyOn(gate.core.ledger, 'settle');
    const unlock = await lockUntil(() => settle.mock.calls.length === 1);
    const reading = answer.text();
    await unlock();
    const text = await reading;
    expect(text).toContain('"code":"ledger_unavailable"');
    expect(text).not.toContain('quota');
    await expect.poll(readEnd, longest).toBe('ledger_unavailable');
    expect(await gate.findings()).toEqual([]);
  });

  const messages = [{ role: 'user', content: 'Hi' }];
  it.each<[string, object]>([
    ['/v1/chat/completions', { model, stream: true, messages }],
    ['/v1/responses', { model, stream: true, input: 'Hi' }],
    ['/v1/messages', { model, stream: true, max_tokens: 100_000, messages }],
    [
      `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
      { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    ],
  ])('ends so where its hold was lost: %s', async (path, body) => {
    const { promise: lost, resolve: lose } = Promise.withResolvers<void>();
    const { ledger } = gate.core;
    gate.upstream.script(async (exchange) => {
      exchange.head(200, sseHeaders);
      const words = (count: number): string =>
        event(chatChunk(model, [delta({ content: 'some more words here, '.repeat(count) })]));
      await exchange.write(words(1));
      await lost;
      for (let each = 0; each < 300; each += 1) await exchange.write(words(40));
      await exchange.end(event(chatChunk(model, [delta({}, 'stop')])) + doneEvent);
    });
    const answer = await fetch(`${gate.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await ledger.release(answer.headers.get('x-tollgate-request-id') ?? '');
    lose();
    const text = await answer.text();
    expect(text).toMatch(/数据库连接失败|database cannot be reached/);
    expect(text).not.toContain('quota');
    await expect.poll(() => gate.relay.gateway.running.size, longest).toBe(0);
    expect(await gate.findings()).toEqual([]);
  });

  it('ends a session in the same way', async () => {
    voices.script({ words: 10_000, paceMs: 2, soundBytes: 0, usage: null });
    const address = `${gate.url.replace('http', 'ws')}/v1/realtime?model=${voice}`;
    const client = await RealtimeClient.open(address, { headers: { authorization: `Bearer ${caller.key}` } });
    client.send({ type: 'response.create' });
    await client.next('response.output_text.delta');
    const extend = vi.spyOn(gate.core.ledger, 'extend');
    const unlock = await lockUntil(() => extend.mock.settledResults.some(({ type }) => type === 'rejected'));
    const error = client.next('error');
    await unlock();
    expect((await error)['error']).toMatchObject({ code: 'ledger_unavailable' });
    expect((await client.closed).code).toBe(1011);
    await expect.poll(readEnd, longest).toBe('ledger_unavailable');
    expect(await gate.findings()).toEqual([]);
  });
});
