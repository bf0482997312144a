import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TestCaller } from '../../testing/gateway-harness.ts';
import { RealtimeClient } from '../../testing/realtime-client.ts';
import { openRealtimeWorld, realtimeModel, type RealtimeWorld } from '../../testing/worlds/realtime-world.ts';

const model = 'gpt-4o-mini-transcribe';
let world: RealtimeWorld;
beforeAll(async () => {
  world = await openRealtimeWorld();
  const { settings } = world.gate.core;
  await settings.set('ModelRatio', JSON.stringify({ ...settings.get('ModelRatio'), mapped: 0.625 }));
  await world.gate.addChannel({
    models: `${model},mapped`,
    base_url: world.upstream.url,
    model_mapping: JSON.stringify({ mapped: model }),
  });
});
afterAll(() => world.close());

const usage = {
  type: 'tokens',
  input_tokens: 100,
  output_tokens: 20,
  input_token_details: { audio_tokens: 100 },
};
const configuration = (name: string) => ({
  type: 'transcription' as const,
  audio: { input: { transcription: { model: name as 'gpt-4o-mini-transcribe', language: 'en' } } },
});
const secretOf = ({ key }: TestCaller, name = model) =>
  new OpenAI({ apiKey: key, baseURL: `${world.gate.url}/v1`, maxRetries: 0 }).realtime.clientSecrets.create({
    session: configuration(name),
  });
const open = (key: string, query = '') =>
  RealtimeClient.open(world.address(query), { headers: { authorization: `Bearer ${key}` } });
const sound = { type: 'input_audio_buffer.append', audio: Buffer.alloc(48_000).toString('base64') };

describe('a session that only transcribes', () => {
  it('is opened with a secret, and each transcript is charged by its usage at the price of its model', async () => {
    const caller = await world.gate.addCaller();
    world.upstream.script({ transcription: usage });
    const { value, session } = await secretOf(caller, 'mapped');
    expect(session).toMatchObject({ type: 'transcription', object: 'realtime.transcription_session' });
    const client = await open(value);
    await client.next('session.updated');
    const at = world.upstream.sessions.at(-1)!;
    expect(at.handshake.path).toBe('/v1/realtime?intent=transcription');
    expect(JSON.parse(String(at.frames[0]))).toEqual({
      type: 'session.update',
      session: configuration(model),
    });
    for (let speech = 0; speech < 2; speech += 1) {
      client.send(sound);
      client.send({ type: 'input_audio_buffer.commit' });
      await client.next('conversation.item.input_audio_transcription.completed');
    }
    await client.leave();
    const rows = await world.readRows(caller);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({ model_name: 'mapped', other: { audio_input: 100, ws: true } });
    expect(rows[0]!.quota).toBeGreaterThan(0);
    expect(rows[1]!.quota).toBe(rows[0]!.quota);
  });

  it('is opened with a key, and its model cannot be changed', async () => {
    const caller = await world.gate.addCaller();
    const client = await open(caller.key, `?intent=transcription&model=${model}`);
    await client.next('session.created');
    client.send({ type: 'session.update', session: configuration('whisper-1') });
    expect((await client.next('error'))['error']).toMatchObject({ code: 'model_not_allowed' });
    const { audio } = configuration('whisper-1');
    // Two models in one event: only one of them would be checked.
    for (const more of [
      { model, audio },
      { audio: configuration(model).audio, input_audio_transcription: { model: 'whisper-1' } },
    ]) {
      client.send({ type: 'session.update', session: { type: 'transcription', ...more } });
      expect((await client.next('error'))['error']).toMatchObject({ code: 'invalid_event' });
    }
    client.send({ type: 'session.update', session: configuration(model) });
    await client.next('session.updated');
    await client.leave();
  });

  it('is charged for what was delivered if it breaks within a transcript, or reports no usage', async () => {
    const caller = await world.gate.addCaller();
    world.upstream.script();
    const client = await open((await secretOf(caller)).value);
    await client.next('session.updated');
    const at = world.upstream.sessions.at(-1)!;
    client.send(sound);
    client.send({ type: 'input_audio_buffer.commit' });
    await client.next('conversation.item.input_audio_transcription.completed');
    client.send(sound);
    const type = 'conversation.item.input_audio_transcription.delta';
    at.send({ type, item_id: 'item_x', content_index: 0, delta: 'what was ' });
    await client.next(type);
    client.ws.terminate();
    await vi.waitFor(async () => expect(await world.readRows(caller)).toHaveLength(2), { timeout: 20_000 });
    for (const { other } of await world.readRows(caller))
      expect(other).toMatchObject({ usage_source: 'counted', audio_input: 28 });
    expect(await world.gate.openHolds()).toBe(0);
  });

  it('needs a model', async () => {
    const caller = await world.gate.addCaller();
    const refused = secretOf(caller, '').catch((error: unknown) => error);
    expect(await refused).toMatchObject({ status: 400 });
    await expect(open(caller.key, '?intent=transcription')).rejects.toMatchObject({ status: 400 });
    expect(realtimeModel).not.toBe(model);
  });
});
