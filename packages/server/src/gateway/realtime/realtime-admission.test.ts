import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { product } from '@tollgate/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { startFakeRealtime } from '../../testing/upstream/fake-realtime.ts';
import type { TestCaller } from '../../testing/gateway-harness.ts';
import { RealtimeClient, Refused } from '../../testing/realtime-client.ts';
import { openRealtimeWorld, realtimeModel, type RealtimeWorld } from '../../testing/worlds/realtime-world.ts';

let world: RealtimeWorld;
let caller: TestCaller;
beforeAll(async () => {
  world = await openRealtimeWorld();
  caller = await world.gate.addCaller();
});
afterAll(() => world.close());
afterEach(() => world.upstream.script());

/** HTTP response to a handshake that must not open a socket. */
async function refusal(
  query: string,
  headers: Record<string, string>,
  protocols: string[] = [],
): Promise<Refused> {
  const opened = RealtimeClient.open(world.address(query), { headers, protocols });
  const refused: unknown = await opened.then(
    (client) => client.ws.terminate(),
    (error: unknown) => error,
  );
  if (!(refused instanceof Refused)) throw new Error('the socket was opened', { cause: refused });
  return refused;
}

const asked = `?model=${realtimeModel}`;
const bearer = (key = caller.key) => ({ authorization: `Bearer ${key}` });

describe('the admission of a session', () => {
  it('refuses with an HTTP answer in OpenAI’s shape, and asks no upstream', async () => {
    const before = world.upstream.handshakes.length;
    const admin = await world.gate.addCaller({ role: 10 });
    const poor = await world.gate.addCaller({ balance: 0 });
    await world.gate.addChannel({ models: 'unpriced-realtime', base_url: world.upstream.url });
    const cases: [string, Record<string, string>, number, string | undefined][] = [
      [asked, {}, 401, undefined],
      [asked, bearer('sk-nobody'), 401, undefined],
      ['', bearer(), 400, 'model_required'],
      ['?model=unknown', bearer(), 404, 'model_not_found'],
      ['?model=unpriced-realtime', bearer(), 400, 'model_price_error'],
      [asked, bearer(poor.key), 403, 'insufficient_user_quota'],
      [asked, { ...bearer(admin.key), [product.headers.explain]: 'dry' }, 501, 'api_not_implemented'],
      [asked, { ...bearer(), [product.headers.explain]: 'dry' }, 403, 'explain_forbidden'],
      [asked, { ...bearer(), 'x-tollgate-hop': '1' }, 508, 'loop_detected'],
      [asked, { ...bearer(), cookie: 'session=x', origin: 'https://evil.test' }, 403, 'origin_not_allowed'],
    ];
    for (const [query, headers, status, code] of cases) {
      const { status: got, body, headers: answer } = await refusal(query, headers);
      expect(got).toBe(status);
      expect(body.error).toMatchObject(code === undefined ? {} : { code });
      expect(answer['x-oneapi-request-id']).toBeTruthy();
      expect(body.error?.message).toContain(`(request id: ${String(answer['x-oneapi-request-id'])})`);
    }
    expect(world.upstream.handshakes).toHaveLength(before);
    expect(await world.gate.openHolds()).toBe(0);
  });

  it('accepts a page of any origin that sends a key and no cookie', async () => {
    const headers = { ...bearer(), origin: 'https://app.test' };
    const client = await RealtimeClient.open(world.address(), { headers });
    expect((await client.respond())['response']).toMatchObject({ status: 'completed' });
    await client.leave();
  });

  it('answers plain requests with 426, and ignores upgrades to other paths and protocols', async () => {
    const { url } = world.gate;
    const plain = await fetch(`${url}/v1/realtime${asked}`, { headers: bearer() });
    expect([plain.status, plain.headers.get('upgrade')]).toEqual([426, 'websocket']);
    expect(await plain.json()).toMatchObject({ error: { code: 'upgrade_required' } });
    expect((await fetch(`${url}/v1/realtime${asked}`)).status).toBe(401);
    const old = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 7';
    expect(await rawStatus(`GET /v1/realtime${asked} HTTP/1.1\r\n${old}`)).toBe(400);
    for (const upgrade of ['websocket', 'h2c']) {
      expect(await rawStatus(`GET /v1/models HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}`)).toBe(
        200,
      );
    }
  });

  it('opens no socket while a call on the same connection is still being answered', async () => {
    const { port } = new URL(world.gate.url);
    const call = `GET /v1/models HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${caller.key}\r\n\r\n`;
    const upgrade = `GET /v1/realtime${asked} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${caller.key}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;
    const socket = connect(Number(port), '127.0.0.1');
    let answer = '';
    socket.on('data', (data: Buffer) => {
      answer += data.toString();
    });
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => {
      socket.on('close', resolve);
    });
    socket.write(call + upgrade);
    // The first of two results: the connection is cut, or the call was answered before and the socket is open.
    await Promise.race([
      closed,
      vi.waitFor(() => expect(answer).toContain('101 Switching'), { timeout: 20_000 }),
    ]);
    socket.destroy();
    const client = await world.open(caller);
    expect((await client.respond())['response']).toMatchObject({ status: 'completed' });
    await client.leave();
  });

  it('survives handshakes that break off at every byte', async () => {
    const head = `GET /v1/realtime${asked} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${caller.key}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;
    const { port } = new URL(world.gate.url);
    for (const length of [20, head.length - 2, head.length]) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(head.slice(0, length));
      await new Promise((resolve) => setImmediate(resolve));
      socket.destroy();
    }
    const client = await world.open(caller);
    expect((await client.respond())['response']).toMatchObject({ status: 'completed' });
    await client.leave();
  });
});

/** Status of a handwritten request with the caller's key. */
function rawStatus(head: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(world.gate.url).port), '127.0.0.1');
    socket.write(`${head}\r\nHost: x\r\nAuthorization: Bearer ${caller.key}\r\n\r\n`);
    socket.once('data', (data: Buffer) => {
      resolve(Number(data.toString().split(' ')[1]));
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

describe('the choice of a channel', () => {
  it('tries another one while the handshake fails, and logs each attempt', async () => {
    const own = await openRealtimeWorld();
    const refusing = await startFakeRealtime();
    refusing.script({ refuse: 500 });
    const bad = await own.gate.addChannel({ models: realtimeModel, base_url: refusing.url, priority: 10 });
    const gone = await own.gate.addChannel({
      models: realtimeModel,
      base_url: 'http://127.0.0.1:9',
      priority: 9,
    });
    // The channel does not support realtime, and it uses no attempt.
    await own.gate.addChannel({ models: realtimeModel, type: 14, base_url: own.upstream.url, priority: 8 });
    await own.gate.core.settings.set('RetryTimes', '2');
    const one = await own.gate.addCaller();
    const client = await own.open(one);
    await client.respond();
    await client.leave();
    const [row] = await own.readRows(one);
    const { use_channel } = row!.other['admin_info'] as { use_channel: string[] };
    expect([use_channel[0], use_channel[1], use_channel.at(-1)]).toEqual([
      String(bad),
      String(gone),
      String(own.channelId),
    ]);
    expect(refusing.handshakes).toHaveLength(1);
    await own.close();
    await refusing.close();
  });

  it.each([
    [429, 429, 'no sockets today'],
    [401, 502, 'the upstream rejected this channel'],
    [400, 400, 'no sockets today'],
    [302, 502, 'no sockets today'],
  ])('reports a final %i as %i', async (status, shown, words) => {
    world.upstream.script({ refuse: status });
    const { status: got, body } = await refusal(asked, bearer());
    expect(got).toBe(shown);
    expect(body.error?.message).toContain(words);
    expect(JSON.stringify(body)).not.toContain('sk-upstream-secret');
    expect(await world.gate.openHolds()).toBe(0);
  });

  it('connects to no forbidden address', async () => {
    const own = await openRealtimeWorld();
    await own.gate.addChannel({ models: 'gpt-4o-realtime', base_url: 'http://169.254.169.254' });
    await own.gate.core.settings.set('ModelRatio', JSON.stringify({ 'gpt-4o-realtime': 1 }));
    const { key } = await own.gate.addCaller();
    const opened = RealtimeClient.open(own.address('?model=gpt-4o-realtime'), { headers: bearer(key) });
    await expect(opened).rejects.toMatchObject({
      status: 502,
      body: { error: { code: 'do_request_failed' } },
    });
    await own.close();
  });

  it('goes through the channel’s proxy', async () => {
    const own = await openRealtimeWorld();
    const seen: string[] = [];
    const proxy = createServer();
    proxy.on('connect', (req, socket, head) => {
      seen.push(`${req.url} ${req.headers['proxy-authorization']}`);
      const { port } = new URL(own.upstream.url);
      const target = connect(Number(port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        target.write(head);
        socket.pipe(target).pipe(socket);
      });
      socket.on('error', () => target.destroy());
      target.on('error', () => socket.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const setting = JSON.stringify({
      proxy: `http://me:secret@127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    });
    const base = { models: 'gpt-4o-realtime', base_url: 'http://vendor.test:81', setting };
    await own.gate.addChannel(base);
    await own.gate.core.settings.set('ModelRatio', JSON.stringify({ 'gpt-4o-realtime': 1 }));
    const { key } = await own.gate.addCaller();
    const client = await RealtimeClient.open(own.address('?model=gpt-4o-realtime'), { headers: bearer(key) });
    await client.respond();
    await client.leave();
    expect(seen).toEqual([`vendor.test:81 Basic ${Buffer.from('me:secret').toString('base64')}`]);
    await own.close();
    await new Promise((resolve) => proxy.close(resolve));
  });
});

describe('the handshake with the upstream', () => {
  const headersOf = () => world.upstream.handshakes.at(-1)!;

  it('has the channel’s key in place of the caller’s, the mapped model, and the rest of the query', async () => {
    const own = await openRealtimeWorld();
    await own.gate.addChannel({
      models: 'house-voice',
      base_url: own.upstream.url,
      openai_organization: 'org-1',
      model_mapping: JSON.stringify({ 'house-voice': 'gpt-realtime' }),
    });
    await own.gate.core.settings.set('ModelRatio', JSON.stringify({ 'house-voice': 2.5 }));
    const one = await own.gate.addCaller();
    const query = '?model=house-voice&intent=conversation';
    const client = await RealtimeClient.open(own.address(query), { headers: bearer(one.key) });
    await client.respond();
    await client.leave();
    const { path, headers, protocols } = own.upstream.handshakes.at(-1)!;
    expect(path).toBe('/v1/realtime?model=gpt-realtime&intent=conversation');
    expect(headers).toMatchObject({
      authorization: 'Bearer sk-upstream-secret',
      'openai-organization': 'org-1',
    });
    expect(headers).not.toHaveProperty('openai-beta');
    expect(headers).not.toHaveProperty('origin');
    expect(protocols).toEqual([]);
    const [row] = await own.readRows(one);
    expect(row!.other).toMatchObject({ is_model_mapped: true, upstream_model_name: 'gpt-realtime' });
    await own.close();
  });

  it('answers sub-protocols with sub-protocols, and never repeats the caller’s key', async () => {
    const protocols = ['realtime', `openai-insecure-api-key.${caller.key}`, 'openai-beta.realtime-v1'];
    const client = await RealtimeClient.open(world.address(), { protocols });
    expect(client.ws.protocol).toBe('realtime');
    await client.leave();
    const { headers, protocols: sent } = headersOf();
    expect(sent).toEqual([
      'realtime',
      'openai-insecure-api-key.sk-upstream-secret',
      'openai-beta.realtime-v1',
    ]);
    expect(headers).not.toHaveProperty('authorization');
    expect(JSON.stringify(headers)).not.toContain(caller.key);
  });

  it('requests the older version where the caller does', async () => {
    const headers = { ...bearer(), 'openai-beta': 'realtime=v1' };
    const client = await RealtimeClient.open(world.address(), { headers });
    await client.leave();
    expect(headersOf().headers).toMatchObject({ 'openai-beta': 'realtime=v1' });
  });

  it('goes to Azure’s path with Azure’s header', async () => {
    const own = await openRealtimeWorld();
    const model = 'gpt-4o-realtime';
    await own.gate.addChannel({
      type: 3,
      models: model,
      base_url: own.upstream.url,
      other: '2025-04-01-preview',
    });
    await own.gate.core.settings.set('ModelRatio', JSON.stringify({ [model]: 1 }));
    const { key } = await own.gate.addCaller();
    const protocols = ['realtime', `openai-insecure-api-key.${key}`];
    const client = await RealtimeClient.open(own.address(`?model=${model}`), { protocols });
    await client.leave();
    const { path, headers } = own.upstream.handshakes.at(-1)!;
    expect(path).toBe('/openai/realtime?deployment=gpt-4o-realtime&api-version=2025-04-01-preview');
    expect(headers).toMatchObject({ 'api-key': 'sk-upstream-secret' });
    expect(headers).not.toHaveProperty('authorization');
    await own.close();
  });

  it('is available under Google’s path for OpenAI’s callers, too', async () => {
    const url = world.address().replace('/v1/realtime', '/v1beta/openai/realtime');
    const client = await RealtimeClient.open(url, { headers: bearer() });
    expect((await client.respond())['response']).toMatchObject({ status: 'completed' });
    await client.leave();
  });
});
