import { checkBill, noCostRule } from '@tollgate/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openRealtimeWorld, realtimeModel, type RealtimeWorld } from '../../testing/worlds/realtime-world.ts';

// Real sockets on both sides of a real gateway with a real database; only the vendor is fake.

/** Charge of `realtimeUsage`: (80 + 64·0.5 + 56·8 + 50·2 + 100·8·2) · 2.5. */
const responseCost = 5_650;
/** A tenth of a second of silence, in base64, and the tokens of its input. */
const sound = Buffer.alloc(4_800).toString('base64');

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

describe('the billing of a session', () => {
  it('charges every response to the unit before its end reaches the caller', async () => {
    const { gate, open, readRows: rowsOf } = world;
    const caller = await gate.addCaller({ balance: 1_000_000 });
    const client = await open(caller);
    await client.next('session.created');
    await client.respond();
    expect((await gate.readBalance(caller)).balance).toBe(1_000_000 - responseCost);
    await client.respond();
    expect((await gate.readBalance(caller)).balance).toBe(1_000_000 - 2 * responseCost);
    await client.leave();
    const rows = await rowsOf(caller);
    const session = String(rows[0]?.other['realtime_session']);
    expect(rows.map(({ quota, request_id }) => [quota, request_id])).toEqual([
      [responseCost, `${session}-1`],
      [responseCost, `${session}-2`],
    ]);
    for (const { quota, other } of rows) {
      expect(checkBill({ quota, ...other.receipt })).toBe(true);
      expect(other).toMatchObject({
        ws: true,
        audio: true,
        audio_input: 56,
        audio_output: 100,
        text_input: 144,
        text_output: 50,
        usage_source: 'upstream',
        end_reason: 'complete',
      });
    }
  });

  it('has the operator’s cost by the cost prices of its channel, each response by itself', async () => {
    const { gate, open, channelId } = world;
    await gate.core.costs.save(channelId, { ...noCostRule, factor: 0.5 });
    const caller = await gate.addCaller();
    const client = await open(caller);
    await client.respond();
    await client.respond();
    await client.leave();
    await gate.core.ledger.flush();
    const rows = await gate.core.store.db
      .selectFrom('logs')
      .select(['quota', 'cost'])
      .where('user_id', '=', caller.userId)
      .where('type', '=', 2)
      .execute();
    const row = { quota: responseCost, cost: responseCost / 2 };
    expect(rows).toEqual([row, row]);
    await gate.core.costs.save(channelId, noCostRule);
  });

  it('counts input and output where the vendor reports nothing, and shows it in the log', async () => {
    const { gate, upstream, open, readRows: rowsOf } = world;
    upstream.script({ usage: null });
    const caller = await gate.addCaller();
    const client = await open(caller);
    client.send({ type: 'input_audio_buffer.append', audio: sound });
    const content = [{ type: 'input_text', text: 'What is the weather in Paris?' }];
    client.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
    await client.respond();
    // The first response was charged for the input, so the second pays only for new input.
    await client.respond();
    await client.leave();
    const [first, second] = await rowsOf(caller);
    // Seven tokens of text, 0.1 s heard (3), the words, three times 0.1 s spoken (5).
    const words = first!.other['text_output'] as number;
    expect(first!.other).toMatchObject({
      usage_source: 'counted',
      text_input: 7,
      audio_input: 3,
      audio_output: 5,
    });
    expect(words).toBeGreaterThanOrEqual(3);
    expect(first!.quota).toBe(Math.round((7 + 3 * 8 + words * 2 + 5 * 16) * 2.5));
    expect(second!.other).toMatchObject({
      text_input: 0,
      audio_input: 0,
      text_output: words,
      audio_output: 5,
    });
    expect(checkBill({ quota: first!.quota, ...first!.other.receipt })).toBe(true);
  });

  it('treats a usage that is empty, negative or absurd as none', async () => {
    const { gate, upstream, open, readRows: rowsOf } = world;
    const caller = await gate.addCaller();
    for (const usage of [
      { input_tokens: 0, output_tokens: 0 },
      { input_tokens: -5, output_tokens: '9' },
    ]) {
      upstream.script({ usage });
      const client = await open(caller);
      await client.respond();
      await client.leave();
    }
    const rows = await rowsOf(caller);
    expect(rows.map(({ other }) => other['usage_source'])).toEqual(['counted', 'counted']);
    expect(rows.every(({ quota }) => quota > 0)).toBe(true);
  });

  it('charges nothing without content, or for a response that failed with nothing delivered', async () => {
    const { gate, upstream, open, readRows: rowsOf } = world;
    upstream.script({ words: 0, usage: null, status: 'failed' });
    const caller = await gate.addCaller({ balance: 1_000_000 });
    const client = await open(caller);
    await client.respond();
    await client.leave();
    await vi.waitFor(
      async () => expect(await gate.readBalance(caller)).toEqual({ balance: 1_000_000, held: 0 }),
      { timeout: 20_000 },
    );
    expect(await rowsOf(caller)).toEqual([]);
  });

  it('charges for the model that transcribes the caller, at the price of that model', async () => {
    const { gate, upstream, open, readRows: rowsOf } = world;
    const caller = await gate.addCaller();
    const client = await open(caller);
    const transcribe = async (name: string, transcription: object): Promise<void> => {
      upstream.script({ transcription });
      const audio = { input: { transcription: { model: name } } };
      client.send({ type: 'session.update', session: { type: 'realtime', audio } });
      await client.next('session.updated');
      client.send({ type: 'input_audio_buffer.commit' });
      await client.next('conversation.item.input_audio_transcription.completed');
    };
    const details = { text_tokens: 0, audio_tokens: 40 };
    const tokens = {
      type: 'tokens',
      total_tokens: 50,
      input_tokens: 40,
      output_tokens: 10,
      input_token_details: details,
    };
    await transcribe('gpt-4o-mini-transcribe', tokens);
    await transcribe('whisper-1', { type: 'duration', seconds: 90 });
    await client.leave();
    const rows = await rowsOf(caller);
    expect(rows.map(({ model_name, prompt_tokens }) => [model_name, prompt_tokens])).toEqual([
      ['gpt-4o-mini-transcribe', 40],
      ['whisper-1', 1_500],
    ]);
    expect(rows[1]!.quota).toBe(1_500 * 15);
    for (const { quota, other } of rows) expect(checkBill({ quota, ...other.receipt })).toBe(true);
  });

  it('reports the end of the balance, within a response and after one, and ends the session', async () => {
    const { gate, upstream, open, readRows: rowsOf } = world;
    const behind = await gate.addCaller({ balance: responseCost + 100 });
    const first = await open(behind);
    await first.respond();
    expect((await first.next('error'))['error']).toMatchObject({ code: 'insufficient_user_quota' });
    expect(await first.closed).toMatchObject({ code: 1008 });
    expect(await gate.readBalance(behind)).toEqual({ balance: 100, held: 0 });

    upstream.script({ words: 10_000, paceMs: 1, soundBytes: 4_800 });
    const within = await gate.addCaller({ balance: 20_000 });
    const second = await open(within);
    second.send({ type: 'response.create' });
    const { error } = (await second.next('error')) as { error?: { code?: string; type?: string } };
    expect(error).toMatchObject({ code: 'insufficient_user_quota', type: 'new_api_error' });
    expect(await second.closed).toMatchObject({ code: 1008 });
    const [row] = await rowsOf(within);
    expect(row!.other).toMatchObject({ end_reason: 'quota_exhausted', usage_source: 'counted' });
    const { balance } = await gate.readBalance(within);
    expect(balance).toBe(20_000 - row!.quota);
    // The hold uses the 20 tokens per second that a vendor may report. Without a usage, the charge uses the counted
    // 13.9. Apart from this difference, the rest of the balance is less than the next piece may cost.
    expect(balance).toBeLessThan(20_000 * (1 - 13.9 / 20) + 2_000);
  });

  it('never charges more than the balance: eight sessions on a balance for three responses', async () => {
    const { gate, open, readRows: rowsOf } = world;
    const caller = await gate.addCaller({ balance: 3 * responseCost, allowance: 10_000_000 });
    const talk = async (): Promise<number> => {
      let answers = 0;
      try {
        const client = await open(caller);
        for (; answers < 3; answers += 1) {
          client.send({ type: 'response.create' });
          const ended = client.closed.then(() => undefined);
          if (!(await Promise.race([client.next('response.done'), ended]))) break;
        }
        client.ws.close();
        await client.closed;
      } catch {
        // Refused before the session opens: the balance is empty.
      }
      return answers;
    };
    await Promise.all(Array.from({ length: 8 }, talk));
    await vi.waitFor(async () => expect((await gate.readBalance(caller)).held).toBe(0), { timeout: 20_000 });
    const { balance } = await gate.readBalance(caller);
    const charged = (await rowsOf(caller)).reduce((sum, { quota }) => sum + quota, 0);
    expect(balance).toBeGreaterThanOrEqual(0);
    expect(charged).toBe(3 * responseCost - balance);
    expect(charged).toBeGreaterThan(0);
  });

  it('charges what other responses had delivered when the key is disabled between them', async () => {
    const { gate, upstream, open, readRows: rowsOf } = world;
    const caller = await gate.addCaller();
    const client = await open(caller);
    upstream.script({ words: 1_000, paceMs: 5 });
    client.send({ type: 'response.create' });
    await client.next('response.output_audio.delta');
    await gate.core.store.db
      .updateTable('tokens')
      .set({ status: 2 })
      .where('id', '=', caller.tokenId)
      .execute();
    gate.core.keys.forgetAll();
    upstream.script();
    client.send({ type: 'response.create' });
    await client.closed;
    const rows = await rowsOf(caller);
    expect(rows.map(({ other }) => other['end_reason'])).toEqual(['complete', 'refused']);
    expect(rows[1]!.quota).toBeGreaterThan(0);
    const charged = rows.reduce((sum, { quota }) => sum + quota, 0);
    expect((await gate.readBalance(caller)).balance).toBe(5_000_000 - charged);
  });

  it('checks the key before each response: a disabled key ends its sessions', async () => {
    const { gate, open } = world;
    const caller = await gate.addCaller();
    const client = await open(caller);
    await client.next('session.created');
    await gate.core.store.db
      .updateTable('tokens')
      .set({ status: 2 })
      .where('id', '=', caller.tokenId)
      .execute();
    gate.core.keys.forgetAll();
    await client.respond();
    expect((await client.next('error'))['error']).toMatchObject({
      message: expect.stringContaining('API key'),
    });
    expect(await client.closed).toMatchObject({ code: 1008 });
  });

  it('counts each response against the limits of requests', async () => {
    const { gate, open } = world;
    const { settings } = gate.core;
    await settings.set('ModelRequestRateLimitEnabled', 'true');
    await settings.set('ModelRequestRateLimitCount', '2');
    try {
      const client = await open(await gate.addCaller());
      await client.respond();
      await client.respond();
      client.send({ type: 'response.create' });
      expect((await client.next('error'))['error']).toMatchObject({ code: 'rate_limit_exceeded' });
      expect(await client.closed).toMatchObject({ code: 1008 });
    } finally {
      await settings.set('ModelRequestRateLimitEnabled', 'false');
    }
  });

  it(`is in the price list under its model's name (${realtimeModel})`, async () => {
    const { gate, open } = world;
    const caller = await gate.addCaller();
    const client = await open(caller);
    await client.respond();
    await client.leave();
    const [row] = await gate.core.store.db
      .selectFrom('quota_data')
      .select(['model_name', 'quota', 'token_used'])
      .where('user_id', '=', caller.userId)
      .execute();
    expect(row).toEqual({ model_name: realtimeModel, quota: responseCost, token_used: 350 });
  });
});
