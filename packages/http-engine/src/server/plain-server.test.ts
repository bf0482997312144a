import { Agent, createServer, request as nodeRequest, type Server } from 'node:http';
import { type AddressInfo, connect, Server as TcpServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PlainTimes } from './plain-connection.ts';
import type { PlainRequest } from './plain-request.ts';
import type { PlainResponse } from './plain-response.ts';
import { type PlainServer, servePlain } from './plain-server.ts';

type Serve = (request: PlainRequest, response: PlainResponse) => void | Promise<void>;

let server: Server | undefined;
let plain: PlainServer | undefined;
const sockets: Socket[] = [];
/** Requests that Node's server answered. */
let byNode: string[] = [];

afterEach(() => {
  plain?.close();
  server?.closeAllConnections();
  server?.close();
  for (const socket of sockets.splice(0)) socket.destroy();
  byNode = [];
});

/** A server whose lane handles paths under /v1; Node answers the other requests with `node`. */
async function open(serve: Serve, times: Partial<PlainTimes> = {}): Promise<number> {
  server = createServer((req, res) => {
    let body = '';
    req.on('data', (chunk: Buffer) => (body += chunk.toString('latin1')));
    req.on('end', () => {
      byNode.push(`${req.method} ${req.url} ${body}`);
      res.end('node');
    });
  });
  const all = { headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 5_000, ...times };
  plain = servePlain(server, all, (request, response) => {
    if (!request.url.startsWith('/v1')) return false;
    void serve(request, response);
    return true;
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Echoes the complete request. */
const echo: Serve = async (request, response) => {
  const body = await request.body();
  const echo = Buffer.concat([Buffer.from(`${request.url} `), body]);
  response.writeHead(200, { 'content-length': String(echo.length) });
  response.end(echo);
};

const timeout = { timeout: 4_000 };

class Caller {
  got = '';
  isClosed = false;
  readonly socket: Socket;

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    sockets.push(this.socket);
    this.socket.setNoDelay(true);
    this.socket.on('data', (chunk: Buffer) => (this.got += chunk.toString('latin1')));
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => (this.isClosed = true));
  }

  say(text: string): this {
    this.socket.write(text, 'latin1');
    return this;
  }

  hears(part: string): Promise<string> {
    return vi.waitUntil(() => this.got.includes(part) && this.got, timeout);
  }

  closed(): Promise<boolean> {
    return vi.waitUntil(() => this.isClosed, timeout);
  }
}

const post = (url: string, body: string, more = '') =>
  `POST ${url} HTTP/1.1\r\nHost: test\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`;
const turn = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('a plain request', () => {
  it('is served on the fast path, one after the other on one connection', async () => {
    const caller = new Caller(await open(echo));
    await caller.say(post('/v1/a?b=c', 'one')).hears('/v1/a?b=c one');
    await caller.say(post('/v1/b', '')).hears('/v1/b ');
    expect(caller.got).toMatch(
      /^HTTP\/1\.1 200 OK\r\ncontent-length: 13\r\nDate: [^\r]+ GMT\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\n\r\n/,
    );
    expect(byNode).toEqual([]);
  });

  it('is parsed the same however its bytes are cut, by either server', async () => {
    const port = await open(echo);
    const body = 'x'.repeat(40);
    const all = post('/v1/cut', body);
    const heads: string[] = [];
    for (let at = 1; at < all.length; at += 7) {
      const caller = new Caller(port);
      caller.say(all.slice(0, at));
      await turn();
      caller.say(all.slice(at));
      // Node handles a head that arrives in pieces. If the system joins the pieces again, our server handles it.
      const byLane = () => caller.got.endsWith(`/v1/cut ${body}`);
      await vi.waitUntil(() => byLane() || caller.got.endsWith('node'), timeout);
      if (byLane()) heads.push(caller.got);
      caller.socket.destroy();
    }
    expect(heads.length).toBeGreaterThan(0);
    expect(new Set(byNode)).toEqual(new Set([`POST /v1/cut ${body}`]));
  });

  it('that is pipelined waits for its turn, also for Node', async () => {
    const release = Promise.withResolvers<void>();
    const port = await open(async (request, response) => {
      if (request.url === '/v1/slow') await release.promise;
      await echo(request, response);
    });
    const caller = new Caller(port);
    caller.say(post('/v1/slow', 'a') + post('/v1/fast', 'b') + post('/other', 'c') + post('/v1/last', 'd'));
    await turn();
    expect(caller.got).toBe('');
    release.resolve();
    await expect.poll(() => byNode).toEqual(['POST /other c', 'POST /v1/last d']);
    expect(caller.got.indexOf('/v1/slow a')).toBeLessThan(caller.got.indexOf('/v1/fast b'));
    expect(caller.got.indexOf('/v1/fast b')).toBeLessThan(caller.got.indexOf('node'));
  });

  it('with a body that arrives later is served before it has arrived, and a large one arrives whole', async () => {
    const seen: string[] = [];
    const port = await open(async (request, response) => {
      seen.push(request.url);
      await echo(request, response);
    });
    const caller = new Caller(port);
    const body = 'y'.repeat(900_000);
    caller.say(post('/v1/large', body).slice(0, 200));
    await expect.poll(() => seen).toEqual(['/v1/large']);
    caller.say(post('/v1/large', body).slice(200));
    await expect.poll(() => caller.got.length, { timeout: 4_000 }).toBeGreaterThan(900_000);
    expect(caller.got.endsWith(`/v1/large ${body}`)).toBe(true);
  });

  it('that was answered before its body arrived has the rest of it skipped', async () => {
    const port = await open((_request, response) => {
      response.writeHead(401, { 'content-length': '2' });
      response.end(Buffer.from('no'));
    });
    const caller = new Caller(port);
    const all = post('/v1/no', 'POST /v1/inner HTTP/1.1\r\n\r\n'.repeat(10));
    caller.say(all.slice(0, 100));
    await caller.hears('\r\n\r\nno');
    caller.say(all.slice(100) + post('/v1/next', 'z'));
    await expect.poll(() => caller.got.split('HTTP/1.1 401').length).toBe(3);
  });

  it('closes the connection where it says so', async () => {
    const caller = new Caller(await open(echo));
    caller.say(post('/v1/bye', 'x', 'connection: Close\r\n') + post('/v1/more', 'y'));
    await caller.closed();
    expect(caller.got).toContain('Connection: close\r\n');
    expect(caller.got).toContain('/v1/bye x');
    expect(caller.got).not.toContain('/v1/more');
  });
});

describe('a request that the fast path does not accept', () => {
  const others: Record<string, string> = {
    'another method': 'GET /v1/a HTTP/1.1\r\nHost: test\r\n\r\n',
    'another path': post('/api/x', 'body'),
    'HTTP/1.0': 'POST /v1/a HTTP/1.0\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\nx',
    'a chunked body':
      'POST /v1/a HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n',
    'a header that occurs twice': post('/v1/a', 'x', 'x-a: 1\r\nX-A: 2\r\n'),
    'a packed body': post('/v1/a', 'x', 'content-encoding: gzip\r\n'),
    'a body above a megabyte': post('/v1/a', 'x'.repeat(1024 * 1024 + 1)),
  };
  it.each(Object.entries(others))('goes to Node with all its bytes: %s', async (_what, bytes) => {
    const caller = new Caller(await open(echo));
    await caller.say(post('/v1/first', '1')).hears('/v1/first 1');
    await caller.say(bytes).hears('node');
    expect(byNode).toHaveLength(1);
    expect(byNode[0]).toContain(bytes.split(' ')[1]);
    const body = bytes.includes('chunked') ? 'x' : bytes.slice(bytes.indexOf('\r\n\r\n') + 4);
    expect(byNode[0]!.endsWith(` ${body}`)).toBe(true);
  });

  const faulty: Record<string, string> = {
    'two lengths': 'POST /v1/a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxy',
    'a length and chunks':
      'POST /v1/a HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'a sign before the length': 'POST /v1/a HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\nx',
    'lines that end in LF alone': 'POST /v1/a HTTP/1.1\nHost: a\nContent-Length: 1\n\nx',
    'a header that goes on in the next line':
      'POST /v1/a HTTP/1.1\r\nHost: a\r\nX: 1\r\n Content-Length: 9\r\nContent-Length: 1\r\n\r\nx',
    'a blank before the colon': 'POST /v1/a HTTP/1.1\r\nHost: a\r\nContent-Length : 1\r\n\r\nx',
    'no host': 'POST /v1/a HTTP/1.1\r\nContent-Length: 1\r\n\r\nx',
    'a NUL': 'POST /v1/a HTTP/1.1\r\nHost: a\r\nX: \0\r\nContent-Length: 1\r\n\r\nx',
  };
  it.each(Object.entries(faulty))('is decided by Node, never by the fast path: %s', async (_what, bytes) => {
    const served: string[] = [];
    const port = await open((request, response) => {
      served.push(request.url);
      return echo(request, response);
    });
    const caller = new Caller(port).say(bytes);
    await expect.poll(() => caller.got, { timeout: 4_000 }).toMatch(/^HTTP\/1\.1 (400|200)/);
    expect(served).toEqual([]);
  });

  it("times out no later than Node's timeout", async () => {
    const caller = new Caller(await open(echo));
    caller.say('POST /v1/a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n');
    await caller.hears('HTTP/1.1 100 Continue');
    await caller.say('x').hears('node');
    expect(byNode).toEqual(['POST /v1/a x']);
  });
});

describe('a stream', () => {
  const stream: Serve = async (request, response) => {
    await request.body();
    response.writeHead(200, { 'content-type': 'text/event-stream', trailer: 'x-cost' });
    response.write(Buffer.from('data: 1\n\n'));
    await turn();
    response.write(Buffer.alloc(0));
    response.write(Buffer.from([0xff, 10]));
    response.addTrailers({ 'x-cost': '7' });
    response.end(Buffer.from('end'));
  };

  it('has chunks and trailers, as Node parses them', async () => {
    const port = await open(stream);
    const agent = new Agent({ keepAlive: true });
    for (let round = 0; round < 3; round += 1) {
      const [body, trailers] = await new Promise<[string, unknown]>((resolve, reject) => {
        const options = { port, path: '/v1/s', method: 'POST', agent, headers: { 'content-length': 2 } };
        const call = nodeRequest(options, (res) => {
          let text = '';
          res.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
          res.on('end', () => resolve([text, res.trailers]));
        });
        call.on('error', reject).end('{}');
      });
      expect([body, trailers]).toEqual(['data: 1\n\n\xff\nend', { 'x-cost': '7' }]);
    }
    agent.destroy();
    expect(byNode).toEqual([]);
  });

  it('pauses for a caller who does not read, and reports drain', async () => {
    let drains = 0;
    const port = await open(async (_request, response) => {
      response.writeHead(200, {});
      for (let at = 0; at < 8; at += 1) {
        if (response.write(Buffer.alloc(4 * 1024 * 1024))) continue;
        await new Promise<void>((resolve) => response.once('drain', resolve));
        drains += 1;
      }
      response.end();
    });
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.write(post('/v1/s', ''));
    await turn();
    expect(drains).toBeLessThan(8);
    let size = 0;
    socket.on('data', (chunk: Buffer) => (size += chunk.length));
    await expect.poll(() => size, { timeout: 10_000 }).toBeGreaterThan(32 * 1024 * 1024);
    expect(drains).toBeGreaterThan(0);
  });

  it('is notified at once that its caller has disconnected, and once', async () => {
    let closes = 0;
    const responses: PlainResponse[] = [];
    const port = await open((_request, response) => {
      responses.push(response);
      response.once('close', () => (closes += 1));
      response.writeHead(200, {});
      response.write(Buffer.from('x'));
    });
    const caller = new Caller(port).say(post('/v1/s', ''));
    await caller.hears('x');
    caller.socket.destroy();
    await expect.poll(() => closes).toBe(1);
    const [response] = responses;
    expect([response!.destroyed, response!.writableFinished]).toEqual([true, false]);
    expect(response!.write(Buffer.from('more'))).toBe(true);
    response!.end();
    await turn();
    expect(closes).toBe(1);
  });

  it('refuses to send a header with a line break', async () => {
    const found: unknown[] = [];
    const port = await open((_request, response) => {
      try {
        response.writeHead(200, { 'x-a': 'b\r\nx-c: d' });
      } catch (error) {
        found.push(error);
        response.destroy();
      }
    });
    await new Caller(port).say(post('/v1/s', '')).closed();
    expect(found[0]).toBeInstanceOf(TypeError);
  });

  it('refuses it anywhere in an answer, and can still send something else then', async () => {
    const two = 'b\r\nx-c: d';
    const unsendable: [Record<string, string>, Record<string, string>][] = [
      [{ 'x-a': two }, {}],
      [{ connection: two }, {}],
      [{ 'x-a': two, 'x-b': two }, {}],
      [{ 'x-a': 'good', 'x b': 'good' }, {}],
      [{ 'content-type': 'text/plain', 'x-a: b\r\nx-c': 'd' }, {}],
      [{ '': 'nameless' }, {}],
      [{ 'x-a': '\u0100' }, {}],
      [{}, { 'x-late': two }],
      [{}, { 'x late': 'b' }],
    ];
    const refused: boolean[] = [];
    const port = await open((_request, response) => {
      for (const [headers, late] of unsendable) {
        // Two attempts: a refused header must not enter the cache of valid headers.
        for (const _ of [1, 2]) {
          try {
            response.answer(200, headers, late, Buffer.from('no'));
          } catch (error) {
            refused.push(error instanceof TypeError && !response.headersSent);
          }
        }
      }
      // The same for the head of a stream. The answer sent instead has a length and no chunks.
      expect(() => response.writeHead(200, { 'x-a': two })).toThrow(TypeError);
      response.answer(500, { 'x-a': 'good' }, { 'x-late': 'as well' }, Buffer.from('sorry'));
    });
    const caller = new Caller(port).say(post('/v1/s', '', 'Connection: close\r\n'));
    await caller.closed();
    expect(refused).toEqual(unsendable.flatMap(() => [true, true]));
    expect(caller.got).toMatch(
      /^HTTP\/1\.1 500 Internal Server Error\r\nx-a: good\r\nx-late: as well\r\ncontent-length: 5\r\nDate: [^\r]+\r\nConnection: close\r\n\r\nsorry$/,
    );
  });
});

describe('the request timeout', () => {
  it('closes connections of callers who do not finish a request', async () => {
    const failures: string[] = [];
    const port = await open(
      async (request) => {
        try {
          await request.body();
        } catch (error) {
          failures.push(String(error));
        }
      },
      { headersTimeout: 100, requestTimeout: 100 },
    );
    const silent = new Caller(port);
    const slow = new Caller(port).say(post('/v1/slow', 'whole').slice(0, -2));
    await slow.hears('HTTP/1.1 408 Request Timeout');
    await slow.closed();
    await silent.closed();
    await expect.poll(() => failures).toHaveLength(1);
  });

  it('closes connections silently whose answered request is never finished', async () => {
    const port = await open(
      (_request, response) => {
        response.writeHead(401, { 'content-length': '2' });
        response.end(Buffer.from('no'));
      },
      { requestTimeout: 100 },
    );
    const caller = new Caller(port).say(post('/v1/no', 'whole').slice(0, -2));
    await caller.closed();
    expect(caller.got.startsWith('HTTP/1.1 401') && caller.got.endsWith('\r\n\r\nno')).toBe(true);
  });

  it('does not run while an answer is being made', async () => {
    const port = await open(
      async (request, response) => {
        await new Promise((resolve) => setTimeout(resolve, 400));
        await echo(request, response);
      },
      { headersTimeout: 50, requestTimeout: 50, keepAliveTimeout: 50 },
    );
    expect(await new Caller(port).say(post('/v1/long', 'x')).hears('/v1/long x')).toMatch(/^HTTP\/1.1 200/);
  });
});

describe('a server that stops', () => {
  it('finishes running requests, announces the close, and closes idle connections', async () => {
    const release = Promise.withResolvers<void>();
    const served: string[] = [];
    const port = await open(async (request, response) => {
      served.push(request.url);
      if (request.url === '/v1/slow') await release.promise;
      await echo(request, response);
    });
    const [idle, late] = [new Caller(port), new Caller(port)];
    await idle.say(post('/v1/a', 'x')).hears('/v1/a x');
    await late.say(post('/v1/b', 'x')).hears('/v1/b x');
    const busy = new Caller(port).say(post('/v1/slow', 'y') + post('/v1/next', 'z'));
    await expect.poll(() => served).toContain('/v1/slow');
    const closed = new Promise<void>((resolve) => TcpServer.prototype.close.call(server!, () => resolve()));
    plain!.stop();
    await late.say(post('/v1/late', 'x') + post('/v1/refused', 'x')).hears('/v1/late x');
    await late.closed();
    await idle.closed();
    expect(busy.isClosed).toBe(false);
    release.resolve();
    await busy.closed();
    await closed;
    expect(late.got.match(/Connection: \S+/g)).toEqual(['Connection: keep-alive', 'Connection: close']);
    expect(busy.got.match(/Connection: \S+/g)).toEqual(['Connection: keep-alive', 'Connection: close']);
    expect(served.toSorted()).toEqual(['/v1/a', '/v1/b', '/v1/late', '/v1/next', '/v1/slow']);
  });
});
