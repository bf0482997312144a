import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ForbiddenAddress } from './address.ts';
import { testEngine } from '../../testing/test-engine.ts';
import { createHttp, type Outgoing } from './http.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({ close: () => server.closeAllConnections() ?? server.close() });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const get = (url: string, more: Partial<Outgoing> = {}): Outgoing => ({
  method: 'GET',
  url,
  headers: {},
  scope: 'operator',
  headersTimeoutMs: 2_000,
  bodyTimeoutMs: 2_000,
  ...more,
});

function client() {
  const http = createHttp(undefined, { engine: testEngine });
  open.push(http);
  return http;
}

/**
 * A SOCKS5 proxy (RFC 1928, RFC 1929) that requires a name and password;
 * returns its port and the requested hosts.
 */
async function socksProxy(): Promise<{ port: number; hosts: string[] }> {
  const hosts: string[] = [];
  const server = createTcpServer((socket) => {
    socket.on('error', () => socket.destroy());
    let step = 0;
    socket.on('data', function onData(data: Buffer) {
      step += 1;
      if (step === 1) return void socket.write(Buffer.from([5, 2]));
      if (step === 2) {
        const name = data.subarray(2, 2 + data[1]!).toString();
        return void socket.write(Buffer.from([1, name === 'me' ? 0 : 1]));
      }
      socket.off('data', onData);
      const host =
        data[3] === 3 ? data.subarray(5, 5 + data[4]!).toString() : [...data.subarray(4, 8)].join('.');
      hosts.push(host);
      const target = connect(data.readUInt16BE(data.length - 2), '127.0.0.1', () => {
        socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
        socket.pipe(target).pipe(socket);
      });
      target.on('error', () => socket.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({ close: () => server.close() });
  return { port: (server.address() as AddressInfo).port, hosts };
}

describe('the outbound client', () => {
  it('gathers an answer and returns redirects instead of following them', async () => {
    const url = await serve((_req, res) =>
      res.writeHead(302, { location: 'http://169.254.169.254/' }).end('moved'),
    );
    const answer = await client().request(get(url), 1000);
    expect(answer.status).toBe(302);
    expect(answer.body.toString()).toBe('moved');
  });

  it('stops reading an answer that is larger than allowed', async () => {
    const url = await serve((_req, res) => res.end(Buffer.alloc(100_000)));
    await expect(client().request(get(url), 1000)).rejects.toThrow('larger than 1000 bytes');
  });

  it('refuses private addresses that users gave, before anything is sent', async () => {
    let visits = 0;
    const url = await serve((_req, res) => {
      visits += 1;
      res.end();
    });
    await expect(client().request(get(url, { scope: 'public' }), 1000)).rejects.toThrow(ForbiddenAddress);
    const named = url.replace('127.0.0.1', 'localhost');
    await expect(client().request(get(named, { scope: 'public' }), 1000)).rejects.toThrow('not allowed');
    expect(visits).toBe(0);
  });

  it('times out on an upstream that never answers', async () => {
    const url = await serve(() => undefined);
    await expect(client().request(get(url, { headersTimeoutMs: 200 }), 1000)).rejects.toThrow(/timeout/i);
  });

  it('uses a socks5 proxy with its name and password, and never bypasses it', async () => {
    const target = await serve((_req, res) => res.end('through socks'));
    const { port, hosts } = await socksProxy();
    for (const scheme of ['socks5', 'socks5h']) {
      const proxy = `${scheme}://me:secret@127.0.0.1:${port}`;
      const answer = await client().request(get(target, { proxy }), 1000);
      expect(answer.body.toString()).toBe('through socks');
    }
    expect(hosts).toEqual(['127.0.0.1', '127.0.0.1']);
    const wrong = `socks5://stranger:secret@127.0.0.1:${port}`;
    await expect(client().request(get(target, { proxy: wrong }), 1000)).rejects.toThrow(/auth/i);
  });

  it('uses an http proxy that is configured', async () => {
    const target = await serve((_req, res) => res.end('through'));
    const proxy = await serve((req, res) => {
      res.setHeader('x-seen', String(req.url));
      res.end(`proxied ${req.url}`);
    });
    const answer = await client().request(get(`${target}/path`, { proxy }), 1000);
    expect(answer.body.toString()).toContain('proxied');
  });
});

describe('a call that no caller waits for any longer', () => {
  it('is broken off', async () => {
    const arrived = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const url = await serve((req) => {
      req.once('close', () => closed.resolve());
      arrived.resolve();
    });
    const leaving = new AbortController();
    const call = client().request(get(url), 100, leaving.signal);
    const failure = call.catch((error: unknown) => error);
    await arrived.promise;
    leaving.abort();
    expect(await failure).toMatchObject({ message: 'nobody waits for this answer' });
    await closed.promise;
  });

  it('never begins where it was cancelled before', async () => {
    let calls = 0;
    const url = await serve((_req, res) => {
      calls += 1;
      res.end('ok');
    });
    const http = client();
    await expect(http.request(get(url), 100, AbortSignal.abort())).rejects.toThrow('nobody waits');
    const { body } = await http.request(get(url), 100, new AbortController().signal);
    expect([body.toString(), calls]).toEqual(['ok', 1]);
  });
});
