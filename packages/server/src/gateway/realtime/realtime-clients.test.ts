import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import OpenAI from 'openai';
import { OpenAIRealtimeWebSocket } from 'openai/realtime/websocket';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCaller } from '../../testing/gateway-harness.ts';
import { openRealtimeWorld, realtimeModel, type RealtimeWorld } from '../../testing/worlds/realtime-world.ts';
import { makeTestCertificate, trustCertificate } from '@tollgate/http-engine/testing';

// OpenAI's own clients from the registry, which know only Tollgate's address and a key. They connect only to
// encrypted servers, so the gateway has a certificate here.

let world: RealtimeWorld;
let caller: TestCaller;
let openai: OpenAI;
const undo: (() => unknown)[] = [];

beforeAll(async () => {
  world = await openRealtimeWorld();
  caller = await world.gate.addCaller();
  const certificate = makeTestCertificate();
  undo.push(trustCertificate(certificate.cert));
  const { relay } = world.gate;
  const options = { ...certificate, shouldUpgradeCallback: relay.upgrades.takes };
  const server = createServer(options, (req, res) => void relay.doors.listener(req, res));
  server.on('upgrade', relay.upgrades.upgrade);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  undo.push(() => server.close());
  const baseURL = `https://localhost:${(server.address() as AddressInfo).port}/v1`;
  openai = new OpenAI({ apiKey: caller.key, baseURL });
});
afterAll(async () => {
  for (const one of undo.toReversed()) await one();
  await world.close();
});

/** One turn of conversation with either client: the audio heard, and the usage at its end. */
function talk(
  realtime: OpenAIRealtimeWS | OpenAIRealtimeWebSocket,
): Promise<{ heard: string; usage: unknown }> {
  return new Promise((resolve, reject) => {
    let heard = '';
    realtime.on('session.created', () => {
      realtime.send({ type: 'session.update', session: { type: 'realtime', instructions: 'Be brief.' } });
    });
    realtime.on('session.updated', () => realtime.send({ type: 'response.create' }));
    realtime.on('response.output_audio_transcript.delta', ({ delta }) => {
      heard += delta;
    });
    realtime.on('response.done', ({ response }) => {
      resolve({ heard, usage: response.usage });
      realtime.close();
    });
    realtime.on('error', reject);
  });
}

describe('OpenAI’s realtime clients', () => {
  it('converse over the ws package, with the key in a header', async () => {
    const realtime = new OpenAIRealtimeWS({ model: realtimeModel }, openai);
    const { heard, usage } = await talk(realtime);
    expect(heard).toBe('word0 word1 word2 ');
    expect(usage).toMatchObject({ input_tokens: 200, output_tokens: 150 });
    expect(world.upstream.handshakes.at(-1)!.headers.authorization).toBe('Bearer sk-upstream-secret');
  });

  it('converse over the built-in socket, with the key in a sub-protocol', async () => {
    const realtime = new OpenAIRealtimeWebSocket({ model: realtimeModel }, openai);
    expect((await talk(realtime)).heard).toBe('word0 word1 word2 ');
    expect(realtime.socket.protocol).toBe('realtime');
    expect(world.upstream.handshakes.at(-1)!.protocols).toContain(
      'openai-insecure-api-key.sk-upstream-secret',
    );
  });

  it('receive the end of the balance as an error of the API', async () => {
    const poor = await world.gate.addCaller({ balance: 6_000 });
    const realtime = new OpenAIRealtimeWS({ model: realtimeModel }, openai.withOptions({ apiKey: poor.key }));
    const answered = new Promise((resolve) => {
      realtime.on('response.done', resolve);
    });
    const failed = new Promise<{ error?: { code?: string | null } | undefined }>((resolve) => {
      realtime.on('error', resolve);
    });
    realtime.socket.on('open', () => realtime.send({ type: 'response.create' }));
    await answered;
    expect((await failed).error?.code).toBe('insufficient_user_quota');
  });

  it('receive a refusal of the handshake', async () => {
    const stranger = openai.withOptions({ apiKey: 'sk-nobody' });
    const realtime = new OpenAIRealtimeWS({ model: realtimeModel }, stranger);
    const failed = new Promise<Error>((resolve) => {
      realtime.on('error', resolve);
    });
    expect((await failed).message).toContain('401');
  });
});

it('are charged what they used, to the unit', async () => {
  const rows = await world.readRows(caller);
  expect(rows.map(({ quota }) => quota)).toEqual([5_650, 5_650]);
});
