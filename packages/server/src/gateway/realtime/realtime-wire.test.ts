import { BodyMemory } from '../../lib/body-memory.ts';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createUpgradeListener } from '../../http/relay/index.ts';
import type { SocketLimits } from '../../lib/websocket/frame-socket.ts';
import { createAcceptor } from '../../lib/websocket/websocket.ts';
import { openaiChat } from '../../relay/protocols/openai-chat/index.ts';
import { providerOf } from '../../relay/registry.ts';
import { relayOptions } from '../../testing/protocols/build-relay.ts';
import { RealtimeClient } from '../../testing/realtime-client.ts';
import { openRealtimeWorld, realtimeModel, type RealtimeWorld } from '../../testing/worlds/realtime-world.ts';
import { realtimeLimits } from './limits.ts';
import { refuseCall } from '../failover/refuse-call.ts';
import { serveRealtime } from './serve-realtime.ts';
import { createLiveHandles } from './live-handles.ts';
import { Sessions } from './sessions.ts';
import { createSealer } from '../../lib/seal.ts';

let world: RealtimeWorld;
const open: (() => unknown)[] = [];
beforeAll(async () => {
  world = await openRealtimeWorld();
});
afterAll(() => world.close());
afterEach(async () => {
  world.upstream.script();
  for (const close of open.splice(0)) await close();
  await vi.waitFor(async () => expect(await world.gate.openHolds()).toBe(0), { timeout: 20_000 });
  expect(await world.gate.findings()).toEqual([]);
});

/** The same gateway behind a server with other limits. */
async function openLimited(
  changes: Partial<SocketLimits>,
  idleMs = 60_000,
): Promise<{ client: RealtimeClient; caller: Parameters<RealtimeWorld['readRows']>[0] }> {
  const { gateway } = world.gate.relay;
  const usual = realtimeLimits(60_000);
  const limits = { ...usual, idleMs, socket: { ...usual.socket, ...changes } };
  const caller = await world.gate.addCaller();
  const { userId, accountId, tokenId } = caller;
  const identity = {
    userId,
    accountId,
    tokenId,
    username: 'u',
    tokenName: 't',
    role: 1,
    userGroup: 'default',
  };
  const rights = {
    acceptUnsetPrice: false,
    tokenGroup: '',
    crossGroupRetry: false,
    maskedKey: '',
    tokenUnlimited: true,
    modelLimits: null,
    channelRule: null,
    pinnedChannelId: 0,
    team: null,
  };
  const upgrades = createUpgradeListener({
    traces: undefined,
    memory: new BodyMemory({ process: 1e9, owner: 1e9 }),
    routes: [
      { method: 'GET', path: '/v1/realtime', access: 'key', kind: 'realtime', inbound: openaiChat.inbound },
    ],
    clock: Date.now,
    clientIp: () => '127.0.0.1',
    identify: () => Promise.resolve({ ...identity, ...rights }),
    refuse: (target, error) => refuseCall(gateway, target, error),
    isStopping: () => false,
    acceptor: createAcceptor(limits.socket),
    ownOrigin: () => '',
    findGrant: () => Promise.resolve(undefined),
    useGrant: () => Promise.resolve(false),
    sessions: new Sessions(0),
    identifyGrant: () => Promise.resolve({ ...identity, ...rights }),
    serverAddress: () => '',
    identityHeaders: () => ({}),
    serveResponses: () => Promise.reject(new Error('there is no such route')),
    serve: (request) =>
      serveRealtime(
        {
          gateway,
          sessions: new Sessions(0),
          limits,
          handles: createLiveHandles({ sealer: createSealer(Buffer.alloc(32)) }),
          dial: { provider: providerOf, options: () => relayOptions },
        },
        request,
      ),
  });
  const server = createServer({ shouldUpgradeCallback: upgrades.takes });
  server.on('upgrade', upgrades.upgrade);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const client = await RealtimeClient.open(`ws://127.0.0.1:${port}/v1/realtime?model=${realtimeModel}`);
  return { client, caller };
}

describe('the frames of a session', () => {
  it('pass untouched both ways, whatever they are', async () => {
    const { gate, upstream } = world;
    const client = await world.open(await gate.addCaller());
    await client.next('session.created');
    const sent = [
      '{ "type" : "session.update", "session":{"voice":"another", "x":1e2} }',
      '{"type":"unknown.event","é":"\\u00e9"}',
      '{"type":"input_audio_buffer.append","audio":""}',
    ];
    for (const frame of sent) client.ws.send(frame);
    client.ws.send(Buffer.from([0, 1, 254, 255]));
    await vi.waitFor(() => expect(client.binary).toEqual([Buffer.from([0, 1, 254, 255])]), {
      timeout: 20_000,
    });
    const { frames } = upstream.sessions.at(-1)!;
    expect(frames).toEqual([...sent, Buffer.from([0, 1, 254, 255])]);
    const raw: string[] = [];
    client.ws.on('message', (data: Buffer) => raw.push(data.toString()));
    const odd = { type: 'rate_limits.updated', rate_limits: [{ name: 'requests', remaining: 1e21 }] };
    upstream.sessions.at(-1)!.send(odd);
    await vi.waitFor(() => expect(raw).toEqual([JSON.stringify(odd)]), { timeout: 20_000 });
    await client.leave();
  });

  it('with forbidden words are kept from the upstream, and the session goes on', async () => {
    const { gate, upstream } = world;
    const { settings } = gate.core;
    await settings.set('CheckSensitiveEnabled', 'true');
    await settings.set('CheckSensitiveOnPromptEnabled', 'true');
    await settings.set('SensitiveWords', 'forbidden-word');
    const client = await world.open(await gate.addCaller());
    const item = {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: 'a forbidden-word' }],
    };
    client.send({ type: 'conversation.item.create', item });
    expect((await client.next('error'))['error']).toMatchObject({ code: 'sensitive_words_detected' });
    await client.respond();
    expect(JSON.stringify(upstream.sessions.at(-1)!.frames)).not.toContain('forbidden-word');
    await client.leave();
    await settings.set('SensitiveWords', '');
  });

  it('are bounded: an oversized one of a caller closes with 1009, of an upstream breaks the session off', async () => {
    const limits = { maxPayloadBytes: 20_000 };
    const first = await openLimited(limits);
    first.client.ws.send('x'.repeat(20_001));
    expect((await first.client.closed).code).toBe(1009);
    world.upstream.script({ hugeFrame: 20_001 });
    const second = await openLimited(limits);
    second.client.send({ type: 'response.create' });
    expect((await second.client.next('error'))['error']).toMatchObject({ code: 'upstream_broken' });
    expect((await second.client.closed).code).toBe(1011);
    const [row] = await world.readRows(second.caller);
    expect(row!.other).toMatchObject({ end_reason: 'upstream_broken' });
  });

  it('wait for a slow caller: the upstream is not read meanwhile, and nothing is lost', async () => {
    const { upstream } = world;
    const { client, caller } = await openLimited({ fullBytes: 64 * 1024 });
    await client.next('session.created');
    client.ws.pause();
    const pieces = 800;
    upstream.script({ words: pieces, soundBytes: 48_000 });
    client.send({ type: 'response.create' });
    const session = upstream.sessions.at(-1)!;
    // 50 MB are sent. The gateway takes at most its limit and the capacity of the sockets.
    await vi.waitFor(() => expect(session.waitingBytes()).toBeGreaterThan(20 * 1024 * 1024), {
      timeout: 20_000,
    });
    client.ws.resume();
    await client.next('response.done');
    expect(client.events.filter(({ type }) => type === 'response.output_audio.delta')).toHaveLength(pieces);
    expect(session.waitingBytes()).toBe(0);
    await client.leave();
    expect(await world.readRows(caller)).toHaveLength(1);
  });

  it('do not restart by themselves: a session without events is closed', async () => {
    const { client, caller } = await openLimited({}, 100);
    expect((await client.next('error'))['error']).toMatchObject({ code: 'session_idle' });
    expect((await client.closed).code).toBe(1001);
    expect(await world.readRows(caller)).toEqual([]);
  });

  it('of several responses at once are counted apart', async () => {
    const { gate, upstream } = world;
    upstream.script({ words: 20, paceMs: 2, usage: null });
    const caller = await gate.addCaller();
    const client = await world.open(caller);
    for (let index = 0; index < 3; index += 1) client.send({ type: 'response.create' });
    for (let index = 0; index < 3; index += 1) await client.next('response.done');
    await client.leave();
    const rows = await world.readRows(caller);
    expect(rows.map(({ other }) => other['audio_output'])).toEqual([28, 28, 28]);
    expect(new Set(rows.map(({ request_id }) => request_id)).size).toBe(3);
  });
});
