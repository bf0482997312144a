import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TestCaller } from '../../testing/gateway-harness.ts';
import { RealtimeClient } from '../../testing/realtime-client.ts';
import { openRealtimeWorld, realtimeModel, type RealtimeWorld } from '../../testing/worlds/realtime-world.ts';

// Callers who try to get more than they pay for, use another model than they named, or overload the process.

let world: RealtimeWorld;
beforeAll(async () => {
  world = await openRealtimeWorld({ REALTIME_SESSIONS_PER_USER: '3' });
});
afterAll(() => world.close());
afterEach(async () => {
  world.upstream.script();
  await vi.waitFor(async () => expect(await world.gate.openHolds()).toBe(0), { timeout: 5_000 });
  expect(await world.gate.findings()).toEqual([]);
});

const say = (text: string): object => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});
/** About 20,000 tokens. */
const speech = 'Everything that is said has to be paid for by someone. '.repeat(2_000);
const typesOf = (frames: readonly (string | Buffer)[]): string[] =>
  frames.map((frame) => (JSON.parse(frame.toString()) as { type: string }).type);
const received = (): string[] => typesOf(world.upstream.sessions.at(-1)!.frames);

describe('what a balance cannot pay for is not sent upstream:', () => {
  it('neither a long text, nor a question after it', async () => {
    const caller = await world.gate.addCaller({ balance: 30_000 });
    const client = await world.open(caller);
    await client.next('session.created');
    client.send(say(speech));
    client.send({ type: 'response.create' });
    expect((await client.next('error'))['error']).toMatchObject({ code: 'insufficient_user_quota' });
    expect(await client.closed).toMatchObject({ code: 1008 });
    expect(received()).toEqual([]);
    expect(await world.gate.readBalance(caller)).toEqual({ balance: 30_000, held: 0 });
  });

  it('nor a dozen responses at once to a text that is paid for once', async () => {
    const caller = await world.gate.addCaller({ balance: 200_000 });
    const client = await world.open(caller);
    world.upstream.script({ words: 1_000, paceMs: 5 });
    client.send(say(speech));
    for (let answer = 0; answer < 12; answer += 1) {
      client.send({ type: 'response.create', response: { conversation: 'none' } });
    }
    expect((await client.next('error'))['error']).toMatchObject({ code: 'insufficient_user_quota' });
    await client.closed;
    // 20,000 tokens cost 50,000 at each read.
    expect(received().filter((type) => type === 'response.create').length).toBeLessThanOrEqual(4);
  });

  it('nor endless sound', async () => {
    const caller = await world.gate.addCaller({ balance: 30_000 });
    const client = await world.open(caller);
    // Ten seconds each: 278 tokens, 5,560 quota.
    const audio = Buffer.alloc(480_000).toString('base64');
    for (let piece = 0; piece < 12; piece += 1) client.send({ type: 'input_audio_buffer.append', audio });
    await client.closed;
    expect(received().length).toBeLessThanOrEqual(6);
  });
});

describe('the model of a session', () => {
  it('is the one that was requested: another is refused, and the channel’s name for it stays hidden', async () => {
    const { gate, upstream } = world;
    await gate.core.settings.set(
      'ModelRatio',
      JSON.stringify({ [realtimeModel]: 2.5, 'house-voice': 2.5, 'gpt-4o-mini-transcribe': 1 }),
    );
    const mapping = JSON.stringify({ 'house-voice': 'gpt-realtime' });
    await gate.addChannel({ models: 'house-voice', base_url: upstream.url, model_mapping: mapping });
    const { key } = await gate.addCaller();
    const client = await RealtimeClient.open(world.address('?model=house-voice'), {
      headers: { authorization: `Bearer ${key}` },
    });
    const update = (model: string): object => ({
      type: 'session.update',
      session: { type: 'realtime', model },
    });
    client.send(update('gpt-realtime-pro'));
    expect((await client.next('error'))['error']).toMatchObject({ code: 'model_not_allowed' });
    client.send({ type: 'response.create', response: { model: 'gpt-realtime-pro' } });
    expect((await client.next('error'))['error']).toMatchObject({ code: 'model_not_allowed' });
    client.send(update('house-voice'));
    expect(await client.next('session.updated')).toMatchObject({ session: { model: 'gpt-realtime' } });
    // Clients may send back a session that they received.
    client.send(update('gpt-realtime'));
    await client.next('session.updated');
    await client.leave();
    expect(received()).toEqual(['session.update', 'session.update']);
  });

  it('is not hidden in events that two parsers read differently, nor in large ones', async () => {
    const client = await world.open(await world.gate.addCaller());
    const session = '{"model":"gpt-realtime-pro"}';
    client.ws.send(`{"type":"session.update","session":${session},"type":"ping"}`);
    client.ws.send(`{"type":"session.update","session":${session},"session":{}}`);
    client.ws.send(`{"type":"session.update","session":${session},"x":NaN}`);
    client.ws.send(
      `{"type":"session.update","session":{"model":"gpt-realtime-pro","model":"${realtimeModel}"}}`,
    );
    for (let event = 0; event < 3; event += 1) {
      expect((await client.next('error'))['error']).toMatchObject({ code: 'invalid_event' });
    }
    client.ws.send(`{"type":"session.update","session":${session}${' '.repeat(2_000_000)}}`);
    expect((await client.next('error'))['error']).toMatchObject({ code: 'model_not_allowed' });
    await client.leave();
    // A session with duplicate names is sent as parsed, without the duplicates.
    expect(world.upstream.sessions.at(-1)!.frames).toEqual([
      `{"type":"session.update","session":{"model":"${realtimeModel}"}}`,
    ]);
  });
});

describe('the process', () => {
  it('survives a sound format that does not exist, and bills by the default one', async () => {
    const { gate, upstream, open, readRows: rowsOf } = world;
    upstream.script({ usage: null });
    const caller = await gate.addCaller();
    const client = await open(caller);
    for (const rate of [1e-300, 1e300, -1, 0]) {
      const format = { type: 'audio/pcm', rate };
      client.send({ type: 'session.update', session: { audio: { input: { format }, output: { format } } } });
      await client.next('session.updated');
    }
    client.send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(4_800).toString('base64') });
    await client.respond();
    await client.leave();
    const [row] = await rowsOf(caller);
    expect(row!.other).toMatchObject({ audio_input: 3, audio_output: 5 });
  });

  it('ends a session whose caller sends forbidden words and does not read refusals', async () => {
    const { gate, open } = world;
    await gate.core.settings.setMany({
      CheckSensitiveEnabled: 'true',
      CheckSensitiveOnPromptEnabled: 'true',
      SensitiveWords: 'forbidden',
    });
    const client = await open(await gate.addCaller());
    await client.next('session.created');
    client.ws.pause();
    const event = JSON.stringify(say('forbidden'));
    for (let sent = 0; sent < 60_000; sent += 1) client.ws.send(event);
    await vi.waitFor(() => expect(gate.relay.gateway.running.size).toBe(0), { timeout: 20_000 });
    client.ws.terminate();
    await gate.core.settings.set('SensitiveWords', '');
  });
});

describe('the sessions of a user', () => {
  const openFor = ({ key }: TestCaller): Promise<RealtimeClient> =>
    RealtimeClient.open(world.address(), { headers: { authorization: `Bearer ${key}` } });

  it('are bounded, and one that ended frees its place', async () => {
    const caller = await world.gate.addCaller();
    const clients = await Promise.all([openFor(caller), openFor(caller), openFor(caller)]);
    await expect(openFor(caller)).rejects.toMatchObject({
      status: 429,
      body: { error: { code: 'too_many_sessions' } },
    });
    // Sessions of other users are not counted.
    await (await openFor(await world.gate.addCaller())).leave();
    await clients[0]!.leave();
    await vi.waitFor(async () => (await openFor(caller)).leave(), { timeout: 20_000 });
    await Promise.all(clients.slice(1).map((client) => client.leave()));
  });

  it('are not used up by handshakes that failed', async () => {
    const caller = await world.gate.addCaller();
    world.upstream.script({ refuse: 400 });
    for (let attempt = 0; attempt < 4; attempt += 1) {
      await expect(openFor(caller)).rejects.toMatchObject({ status: 400 });
    }
    world.upstream.script();
    await (await openFor(caller)).leave();
  });
});

it('keys and calls of others in the query are not sent upstream', async () => {
  const { key } = await world.gate.addCaller();
  const query = `?model=${realtimeModel}&key=${key}&Key=${key}&call_id=rtc_another&intent=conversation&model=gpt-realtime`;
  const headers = { authorization: `Bearer ${key}` };
  await (await RealtimeClient.open(world.address(query), { headers })).leave();
  const { path } = world.upstream.handshakes.at(-1)!;
  expect(path).toBe(`/v1/realtime?model=${realtimeModel}&intent=conversation`);
});
