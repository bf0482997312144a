import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { WebSocket } from 'ws';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { makeTestCertificate, trustCertificate } from '@tollgate/http-engine/testing';
import { ForbiddenAddress } from '../outbound/address.ts';
import { BodyMemory } from '../body-memory.ts';
import { type Frame, type FrameSocket, isSendable, type SocketLimits } from './frame-socket.ts';
import { createAcceptor, HandshakeRefused, openSocket, type OutgoingSocket } from './websocket.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

const usual: SocketLimits = {
  maxPayloadBytes: 1024 * 1024,
  fullBytes: 64 * 1024,
  stuckAfterMs: 60_000,
  pingEveryMs: 60_000,
  closeGraceMs: 100,
};

/** Our server; returns its address and each accepted socket. */
async function serve(
  changes: Partial<SocketLimits> = {},
  server: Server = createServer(),
  scheme = 'http',
  memory = new BodyMemory({ process: 1e9, owner: 1e9 }),
): Promise<{ url: string; accepted: Promise<FrameSocket> }> {
  const acceptor = createAcceptor({ ...usual, ...changes });
  const accepted = new Promise<FrameSocket>((resolve) => {
    server.on('upgrade', (req, socket, head) => {
      const share = memory.open(1);
      resolve(
        acceptor.accept({ req, socket, head, headers: { 'x-told': 'yes' }, protocol: '', memory: share }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => server.close());
  return { url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/`, accepted };
}

const call = (url: string, changes: Partial<OutgoingSocket> = {}): OutgoingSocket => ({
  url,
  headers: {},
  protocols: [],
  scope: 'operator',
  proxy: '',
  handshakeTimeoutMs: 2_000,
  limits: usual,
  signal: new AbortController().signal,
  ...changes,
});

/** Collects the messages; returns the way in which the socket ended. */
function collect(socket: FrameSocket): { frames: Frame[]; closed: Promise<number> } {
  const frames: Frame[] = [];
  const closed = new Promise<number>((resolve) => {
    socket.listen({
      onFrame: (frame) => frames.push(frame),
      onRoom: () => undefined,
      onClose: (code) => resolve(code),
    });
  });
  return { frames, closed };
}

/** A plain client of `ws`, for features that our client does not have. */
async function strange(url: string, options: object = {}): Promise<WebSocket> {
  const ws = new WebSocket(url.replace('http', 'ws'), options);
  ws.on('error', () => undefined);
  open.push(() => ws.terminate());
  await new Promise((resolve) => ws.once('open', resolve));
  return ws;
}

/** Blocks this process, as if it were frozen. */
const standStill = (ms: number): void =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const text = (data: string): Frame => ({ data: Buffer.from(data), isBinary: false });

describe('a socket', () => {
  it('loses nothing that arrives before there is a listener, and keeps order, kind and the close after it', async () => {
    const { url, accepted } = await serve();
    const client = await openSocket(call(url));
    const server = await accepted;
    server.send(text('first'));
    server.send({ data: Buffer.from([0, 255]), isBinary: true });
    void server.close(4001, 'done');
    await new Promise((resolve) => setTimeout(resolve, 30));
    const { frames, closed } = collect(client);
    expect(await closed).toBe(4001);
    expect(frames).toEqual([text('first'), { data: Buffer.from([0, 255]), isBinary: true }]);
  });

  it('counts the bytes of incomplete frames, and ends where there is no room for more', async () => {
    const memory = new BodyMemory({ process: 1e9, owner: 300_000 });
    const { url, accepted } = await serve({}, createServer(), 'http', memory);
    const client = await strange(url);
    const { frames } = collect(await accepted);
    for (let sent = 1; sent <= 5; sent += 1) {
      client.send('x'.repeat(200_000));
      await vi.waitFor(() => expect(frames).toHaveLength(sent), { timeout: 20_000 });
    }
    const code = new Promise((resolve) => client.once('close', resolve));
    client.send('x'.repeat(150_000), { fin: false });
    await vi.waitFor(() => expect(memory.bytes).toBeGreaterThan(100_000), { timeout: 20_000 });
    client.send('x'.repeat(200_000), { fin: false });
    expect(await code).toBe(1013);
    expect(frames).toHaveLength(5);
    await vi.waitFor(() => expect(memory.bytes).toBe(0), { timeout: 20_000 });
  });

  it('passes on frames one by one while it is paused and resumed, and the close last', async () => {
    const { url, accepted } = await serve();
    const client = await openSocket(call(url));
    const server = await accepted;
    for (let index = 0; index < 50; index += 1) server.send(text(String(index)));
    void server.close(1000, '');
    const seen: string[] = [];
    const code = await new Promise<number>((resolve) => {
      client.listen({
        onFrame({ data }) {
          seen.push(data.toString());
          client.pause();
          setImmediate(() => client.resume());
        },
        onRoom: () => undefined,
        onClose: resolve,
      });
    });
    expect([seen.length, seen.at(-1), code]).toEqual([50, '49', 1000]);
  });

  it('closes with 1009 on a frame that is too large, whole or in endless parts', async () => {
    for (const isWhole of [true, false]) {
      const { url, accepted } = await serve({ maxPayloadBytes: 1_000 });
      const client = await strange(url);
      const closed = new Promise((resolve) => {
        client.on('close', resolve);
      });
      const { frames } = collect(await accepted);
      if (isWhole) client.send(Buffer.alloc(1_001));
      else for (let piece = 0; piece < 100; piece += 1) client.send(Buffer.alloc(20), { fin: false });
      expect(await closed).toBe(1009);
      expect(frames).toEqual([]);
    }
  });

  it('reports when it is full and when there is room again', async () => {
    const { url, accepted } = await serve();
    const client = await strange(url);
    client.pause();
    const server = await accepted;
    let rooms = 0;
    server.listen({ onFrame: () => undefined, onRoom: () => (rooms += 1), onClose: () => undefined });
    let sent = 0;
    while (!server.isFull && sent < 1_000) {
      server.send({ data: Buffer.alloc(64 * 1024), isBinary: true });
      sent += 1;
    }
    expect(server.isFull).toBe(true);
    expect(rooms).toBe(0);
    client.resume();
    await vi.waitFor(() => expect(rooms).toBe(1), { timeout: 20_000 });
    expect(server.isFull).toBe(false);
  });

  it('disconnects a peer that reads nothing for too long, and one that does not answer pings', async () => {
    for (const limits of [{ stuckAfterMs: 50 }, { pingEveryMs: 50 }]) {
      const { url, accepted } = await serve(limits);
      const client = await strange(url, { autoPong: false });
      const server = await accepted;
      const { closed } = collect(server);
      if ('stuckAfterMs' in limits) {
        client.pause();
        for (let sent = 0; sent < 400; sent += 1)
          server.send({ data: Buffer.alloc(64 * 1024), isBinary: true });
      }
      expect(await closed).toBe(1006);
    }
  });

  it('is not taken for gone where its pong came while this process stood still', async () => {
    const { url, accepted } = await serve({ pingEveryMs: 50 });
    const client = await strange(url);
    let isGone = false;
    void collect(await accepted).closed.then(() => (isGone = true));
    for (let pings = 0; pings < 3; pings += 1) {
      await new Promise((resolve) => client.once('ping', resolve));
      // The pong has been sent, but not read yet.
      standStill(120);
    }
    await new Promise((resolve) => client.once('ping', resolve));
    expect(isGone).toBe(false);
  });

  it('does not wait for ever for the answer to its close', async () => {
    const { url, accepted } = await serve();
    const client = await strange(url);
    client.pause();
    const server = await accepted;
    await server.close(1001, 'x'.repeat(200));
    expect(server.isOpen).toBe(false);
  });

  it('survives a flood of pings', async () => {
    const { url, accepted } = await serve();
    const client = await strange(url);
    const { frames } = collect(await accepted);
    for (let index = 0; index < 5_000; index += 1) client.ping();
    client.send('still here');
    await vi.waitFor(() => expect(frames.length === 1 || client.readyState !== client.OPEN).toBe(true), {
      timeout: 20_000,
    });
  });

  it('answers only as many pings as are read, so that answers do not accumulate', async () => {
    const { url, accepted } = await serve();
    const client = await strange(url);
    const { frames } = collect(await accepted);
    let answers = 0;
    client.on('pong', () => (answers += 1));
    client.pause();
    const pings = 200_000;
    for (let index = 0; index < pings; index += 1) client.ping('x'.repeat(125));
    client.send('behind all of them');
    await vi.waitFor(() => expect(frames).toHaveLength(1), { timeout: 20_000 });
    client.resume();
    const last = Promise.withResolvers<void>();
    client.on('pong', (data) => {
      if (data.toString() === 'last') last.resolve();
    });
    // A client that reads again gets answers again.
    const asking = setInterval(() => client.ping('last'), 10);
    await last.promise;
    clearInterval(asking);
    expect(answers).toBeGreaterThan(0);
    expect(answers).toBeLessThan(pings * 0.75);
  });

  it('accepts only the codes that a close may have', () => {
    const codes = [999, 1000, 1004, 1005, 1006, 1011, 1015, 2999, 3000, 4999, 5000];
    expect(codes.filter(isSendable)).toEqual([1000, 1011, 3000, 4999]);
  });
});

describe('a socket that is opened', () => {
  it('connects to no address outside its scope, by number or by name, before anything is sent', async () => {
    let visits = 0;
    const server = createServer();
    server.on('connection', () => (visits += 1));
    const { url } = await serve({}, server);
    await expect(openSocket(call(url, { scope: 'public' }))).rejects.toThrow(ForbiddenAddress);
    const named = url.replace('127.0.0.1', 'localhost');
    await expect(openSocket(call(named, { scope: 'public' }))).rejects.toThrow('not allowed');
    await expect(openSocket(call('http://169.254.169.254/'))).rejects.toThrow(ForbiddenAddress);
    await expect(openSocket(call('file:///etc/passwd'))).rejects.toThrow('not a socket address');
    expect(visits).toBe(0);
  });

  it('reports a refusal with its body, bounded, and follows no redirect', async () => {
    const server = createServer((_req, res) => {
      res
        .writeHead(302, { location: 'http://169.254.169.254/', 'retry-after': '7' })
        .end('x'.repeat(1_000_000));
    });
    const { url } = await serve({}, server);
    server.removeAllListeners('upgrade');
    const refused: unknown = await openSocket(call(url)).catch((error: unknown) => error);
    if (!(refused instanceof HandshakeRefused)) throw new Error('not refused');
    expect([refused.status, refused.retryAfter]).toEqual([302, '7']);
    expect(refused.body.length).toBeLessThan(200_000);
  });

  it('opens where its answer came in time, although this process stood still', async () => {
    const server = createServer();
    const { url } = await serve({}, server);
    // The listener of `serve` has already answered at this point.
    server.on('upgrade', () => standStill(300));
    const socket = await openSocket(call(url, { handshakeTimeoutMs: 100 }));
    expect(socket.isOpen).toBe(true);
  });

  it('gives up on a server that never answers, and when it is aborted', async () => {
    const silent = createTcpServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    open.push(() => silent.close());
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    await expect(openSocket(call(url, { handshakeTimeoutMs: 100 }))).rejects.toThrow('timed out');
    const signal = AbortSignal.timeout(50);
    await expect(openSocket(call(url, { signal }))).rejects.toThrow('given up');
  });
});

/** A SOCKS5 proxy (RFC 1928, RFC 1929) that requires a name and password and connects every host to this machine. */
async function socksProxy(): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const server = createTcpServer((socket) => {
    socket.on('error', () => socket.destroy());
    let step = 0;
    socket.on('data', function onData(data: Buffer) {
      step += 1;
      if (step === 1) return void socket.write(Buffer.from([5, data.includes(2, 2) ? 2 : 255]));
      if (step === 2) {
        const name = data.subarray(2, 2 + data[1]!).toString();
        return void socket.write(Buffer.from([1, name === 'me' ? 0 : 1]));
      }
      socket.off('data', onData);
      const port = data.readUInt16BE(data.length - 2);
      asked.push(
        `${data[3] === 3 ? data.subarray(5, 5 + data[4]!).toString() : [...data.subarray(4, 8)].join('.')}:${port}`,
      );
      const target = connect(port, '127.0.0.1', () => {
        socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
        socket.pipe(target).pipe(socket);
      });
      target.on('error', () => socket.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => server.close());
  return { port: (server.address() as AddressInfo).port, asked };
}

describe('a socket through a proxy', () => {
  it('uses a SOCKS proxy, which resolves the name; TLS inside is checked against the target', async () => {
    const certificate = makeTestCertificate();
    open.push(trustCertificate(certificate.cert));
    const { url, accepted } = await serve({}, createTlsServer(certificate), 'https');
    const { port, asked } = await socksProxy();
    const named = url.replace('127.0.0.1', 'localhost');
    const proxy = `socks5h://me:secret@127.0.0.1:${port}`;
    const client = await openSocket(call(named, { proxy }));
    const { frames } = collect(client);
    (await accepted).send(text('through socks'));
    await vi.waitFor(() => expect(frames).toEqual([text('through socks')]), { timeout: 20_000 });
    await client.close(1000, '');
    const wrongName = call(url.replace('127.0.0.1', 'elsewhere.test'), { proxy });
    await expect(openSocket(wrongName)).rejects.toThrow(/altnames|certificate/i);
    expect(asked.map((each) => each.split(':')[0])).toEqual(['localhost', 'elsewhere.test']);
  });

  it('never bypasses a proxy that refuses', async () => {
    const { url } = await serve();
    const { port } = await socksProxy();
    const through = (proxy: string) => openSocket(call(url, { proxy }));
    await expect(through(`socks5://stranger:x@127.0.0.1:${port}`)).rejects.toThrow(
      'refused the authentication',
    );
    await expect(through(`socks5://127.0.0.1:${port}`)).rejects.toThrow('no way to authenticate');
    await expect(through('socks5://127.0.0.1:9')).rejects.toThrow('ECONNREFUSED');
    const forbids = createServer();
    forbids.on('connect', (_req, socket) => socket.end('HTTP/1.1 407 Who are you\r\n\r\n'));
    await new Promise<void>((resolve) => forbids.listen(0, '127.0.0.1', resolve));
    open.push(() => forbids.close());
    const { port: httpPort } = forbids.address() as AddressInfo;
    await expect(through(`http://127.0.0.1:${httpPort}`)).rejects.toThrow('the proxy answered 407');
  });
});
