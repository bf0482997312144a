import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { localGuard, wideBound } from '../testing/local-guard.ts';
import { call, exchange, type Listener } from '../testing/direct-calls.ts';
import { type RawRequest, type RawUpstream, startRawUpstream } from '../testing/raw-upstream.ts';
import { standStill } from '../testing/stand-still.ts';
import { Client } from './client.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const evil = 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil';

async function world(answer: (request: RawRequest) => void) {
  const upstream = await startRawUpstream(answer);
  const client = new Client({ guard: localGuard, bound: wideBound });
  open.push(upstream, client);
  return { upstream, client };
}

/** Waits for turns of the event loop, in which a connection becomes idle and then free. */
async function turns(count = 5): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const connectionsOf = (upstream: RawUpstream) => upstream.requests.map(({ connection }) => connection);

describe('a call', () => {
  it('is sent whole and its answer arrives in order', async () => {
    const { upstream, client } = await world(({ socket }) => socket.write(ok));
    const heard = await exchange(client, `${upstream.url}/v1?x=1`, {
      headers: { 'content-type': 'text/plain' },
      body: Buffer.from('hello'),
    });
    expect([heard.heard, heard.status, heard.body]).toEqual([['start', 'head', 'data', 'end'], 200, 'ok']);
    expect(upstream.requests[0]!.text).toBe(
      `POST /v1?x=1 HTTP/1.1\r\nhost: 127.0.0.1:${upstream.port}\r\nconnection: keep-alive\r\n` +
        'accept-encoding: identity\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\nhello',
    );
  });

  it.each([0, 1, 16 * 1024, 16 * 1024 + 1, 3_000_000])(
    'with a body of %i bytes arrives byte for byte',
    async (size) => {
      const { upstream, client } = await world(({ socket }) => socket.write(ok));
      const body = Buffer.alloc(size, 'abcdefg');
      await exchange(client, upstream.url, { body });
      expect(upstream.requests[0]!.text.split('\r\n\r\n')[1]).toBe(body.toString());
    },
  );

  it('may be one of a thousand at once: each caller gets its own answer', async () => {
    const server = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        const body = Buffer.concat(chunks);
        if (req.url === '/whole') return void res.end(body);
        for (let at = 0; at < body.length; at += 1_000) res.write(body.subarray(at, at + 1_000));
        setTimeout(() => res.end(), body.length % 7);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push({ close: () => server.close() }, { close: () => server.closeAllConnections() });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = new Client({ guard: localGuard, bound: wideBound });
    open.push(client);
    for (let round = 0; round < 2; round += 1) {
      const calls = Array.from({ length: 1_000 }, async (_, index) => {
        const body = Buffer.from(`${index} `.repeat((index * 13) % 700));
        const heard = await exchange(client, url + (index % 3 === 0 ? '/whole' : '/parts'), { body });
        expect([heard.error, heard.status, heard.body === body.toString()]).toEqual([undefined, 200, true]);
      });
      await Promise.all(calls);
    }
  });
});

describe('a connection', () => {
  it('has one call after the other, never two', async () => {
    const { upstream, client } = await world(({ socket }) => setTimeout(() => socket.write(ok), 5));
    for (let index = 0; index < 3; index += 1) {
      await exchange(client, upstream.url);
      await turns();
    }
    expect(connectionsOf(upstream)).toEqual([0, 0, 0]);
    await Promise.all([exchange(client, upstream.url), exchange(client, upstream.url)]);
    expect(
      connectionsOf(upstream)
        .slice(3)
        .toSorted((a, b) => a - b),
    ).toEqual([0, 1]);
  });

  it('that was used last is reused first', async () => {
    const { upstream, client } = await world(({ socket, text }) =>
      setTimeout(() => socket.write(ok), text.includes('/late') ? 40 : 1),
    );
    await Promise.all([exchange(client, `${upstream.url}/late`), exchange(client, upstream.url)]);
    await turns();
    const late = upstream.requests.find(({ text }) => text.includes('/late'))!.connection;
    await exchange(client, upstream.url);
    expect(upstream.requests.at(-1)!.connection).toBe(late);
  });

  it.each([
    ['the other side says so', 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok'],
    ['it keeps it for no time', 'HTTP/1.1 200 OK\r\nkeep-alive: timeout=1\r\ncontent-length: 2\r\n\r\nok'],
    ['more came than the answer', ok + evil],
  ])('is not reused where %s', async (_, answer) => {
    const { upstream, client } = await world(({ socket }) => socket.write(answer));
    for (let index = 0; index < 2; index += 1) {
      expect((await exchange(client, upstream.url)).body).toBe('ok');
      await turns();
    }
    expect(connectionsOf(upstream)).toEqual([0, 1]);
    await expect.poll(() => upstream.open.size).toBe(0);
  });

  it('that receives bytes without a request is closed', async () => {
    const { upstream, client } = await world(({ socket }) => socket.write(ok));
    await exchange(client, upstream.url);
    upstream.requests[0]!.socket.write(evil);
    await expect.poll(() => upstream.open.size).toBe(0);
    expect((await exchange(client, upstream.url)).body).toBe('ok');
    expect(connectionsOf(upstream)).toEqual([0, 1]);
  });

  it.each([0, 1])('with bytes after the answer is not reused, %i turns later', async (later) => {
    const { upstream, client } = await world(({ socket }) => socket.write(ok));
    const next = Promise.withResolvers<Listener>();
    const ask = () => next.resolve(call(client, upstream.url));
    call(client, upstream.url, {}, (what) => {
      if (what !== 'end') return;
      // The answer has been read. These bytes have arrived at the socket, but are not read yet.
      upstream.requests[0]!.socket.write(evil);
      if (later === 0) ask();
      else setImmediate(ask);
    });
    const heard = await next.promise;
    await heard.done;
    expect([heard.error, heard.body]).toEqual([undefined, 'ok']);
    expect(connectionsOf(upstream)).toEqual([0, 1]);
  });

  it('that the server has closed is not reused', async () => {
    const { upstream, client } = await world(({ socket, connection }) => {
      socket.write(ok);
      if (connection === 0) setTimeout(() => socket.end(), 5);
    });
    await exchange(client, upstream.url);
    await expect.poll(() => upstream.open.size).toBe(0);
    expect((await exchange(client, upstream.url)).body).toBe('ok');
    expect(connectionsOf(upstream)).toEqual([0, 1]);
  });

  it('is closed after the keep-alive time that the server names', async () => {
    const { upstream, client } = await world(({ socket }) =>
      socket.write('HTTP/1.1 200 OK\r\nkeep-alive: timeout=2\r\ncontent-length: 2\r\n\r\nok'),
    );
    await exchange(client, upstream.url);
    await turns();
    await exchange(client, upstream.url);
    expect(connectionsOf(upstream)).toEqual([0, 0]);
    await expect.poll(() => upstream.open.size, { timeout: 10_000 }).toBe(0);
  });

  it('whose time has passed while this process was suspended is not reused', async () => {
    const next = Promise.withResolvers<Listener>();
    const { upstream, client } = await world(({ socket, text }) => {
      socket.write('HTTP/1.1 200 OK\r\nkeep-alive: timeout=2\r\ncontent-length: 2\r\n\r\nok');
      if (!text.includes('/freeze')) return;
      standStill(1_200);
      // The call is in this turn of the event loop, before the timers run, like a call that waited.
      next.resolve(call(client, upstream.url));
    });
    await exchange(client, upstream.url);
    await turns();
    const other = new Client({ guard: localGuard, bound: wideBound });
    open.push(other);
    await exchange(other, `${upstream.url}/freeze`);
    const heard = await next.promise;
    await heard.done;
    expect([heard.error, heard.body]).toEqual([undefined, 'ok']);
    expect(connectionsOf(upstream)).toEqual([0, 1, 2]);
  });

  it('is not reused when its close arrived in the turn in which the call is made', async () => {
    const { upstream, client } = await world(({ socket }) => socket.write(ok));
    await exchange(client, upstream.url);
    // The close has arrived when the call starts, but has not been read yet.
    const next = Promise.withResolvers<Listener>();
    setTimeout(() => {
      upstream.requests[0]!.socket.destroy();
      next.resolve(call(client, upstream.url));
    }, 10);
    const heard = await next.promise;
    await heard.done;
    expect([heard.error, heard.body]).toEqual([undefined, 'ok']);
    expect(connectionsOf(upstream)).toEqual([0, 1]);
  });

  it('to an origin that others have displaced is closed when its call is over', async () => {
    const held = Promise.withResolvers<void>();
    const { upstream } = await world(({ socket, text }) => {
      if (text.includes('/held')) void held.promise.then(() => socket.write(ok));
      else socket.write(ok);
    });
    const client = new Client({ maxOrigins: 1, guard: localGuard, bound: wideBound });
    open.push(client);
    const running = call(client, `${upstream.url}/held`);
    await exchange(client, `${upstream.url}/free`);
    await turns();
    expect(upstream.open.size).toBe(2);
    const other = `http://localhost:${upstream.port}`;
    await exchange(client, other);
    await expect.poll(() => upstream.open.size).toBe(2);
    held.resolve();
    await running.done;
    expect(running.body).toBe('ok');
    await expect.poll(() => upstream.open.size).toBe(1);
    await exchange(client, other);
    expect(upstream.connections).toBe(3);
  });

  it('of one scope is not reused for another', async () => {
    const { upstream, client } = await world(({ socket }) => socket.write(ok));
    const url = `http://localhost:${upstream.port}`;
    expect((await exchange(client, url, { scope: 'operator' })).body).toBe('ok');
    await turns();
    const refused = await exchange(client, url, { scope: 'public' });
    expect(refused.error).toMatchObject({ name: 'ForbiddenPlace' });
    expect(upstream.requests).toHaveLength(1);
  });
});

describe('calls of one turn', () => {
  it('are sent at its end, and one that was aborted before is not', async () => {
    const { upstream, client } = await world(({ socket }) => socket.write(ok));
    await exchange(client, upstream.url);
    await turns();
    const calls = ['/a', '/b', '/c'].map((path) => call(client, upstream.url + path));
    calls[1]!.controller.abort(new Error('nobody waits'));
    await Promise.all(calls.map(({ done }) => done));
    expect(calls.map(({ body }) => body)).toEqual(['ok', '', 'ok']);
    const paths = upstream.requests.slice(1).map(({ text }) => text.split(' ')[1]);
    expect(new Set(paths)).toEqual(new Set(['/a', '/c']));
    // The third call used the connection of the second.
    expect(connectionsOf(upstream).toSorted((a, b) => a - b)).toEqual([0, 0, 1]);
  });

  it('fail when the client is closed before they were sent, and nothing is sent', async () => {
    const { upstream, client } = await world(({ socket }) => socket.write(ok));
    const late = call(client, upstream.url);
    client.close();
    expect(late.heard).toEqual(['start', 'error']);
    await turns();
    expect(upstream.connections).toBe(0);
  });
});

describe('a call whose connection breaks', () => {
  it('fails, and is not sent a second time', async () => {
    const { upstream, client } = await world(({ socket, connection }) => {
      if (upstream.requests.length === 1) socket.write(ok);
      else if (connection === 0) socket.destroy();
      else socket.write(ok);
    });
    await exchange(client, upstream.url);
    await turns();
    const heard = await exchange(client, upstream.url, { body: Buffer.from('pay') });
    expect(heard.heard).toEqual(['start', 'error']);
    await turns(20);
    expect(connectionsOf(upstream)).toEqual([0, 0]);
    expect((await exchange(client, upstream.url)).body).toBe('ok');
  });

  it('fails with the reason when the connection is refused', async () => {
    const { upstream, client } = await world(() => undefined);
    await upstream.close();
    const heard = await exchange(client, upstream.url);
    expect([heard.heard, heard.error]).toMatchObject([['start', 'error'], { code: 'ECONNREFUSED' }]);
  });

  it('fails with the reason when the name cannot be resolved', async () => {
    const client = new Client({ guard: localGuard, bound: wideBound });
    open.push(client);
    const heard = await exchange(client, 'http://nobody.invalid');
    expect(heard.error).toMatchObject({ syscall: 'getaddrinfo' });
  });
});

describe('closing the client', () => {
  it('ends the running calls and accepts no others', async () => {
    const { upstream, client } = await world(({ socket, text }) => {
      if (text.includes('/head')) socket.write('HTTP/1.1 200 OK\r\n\r\nab');
    });
    const arrived: Listener[] = [call(client, `${upstream.url}/none`), call(client, `${upstream.url}/head`)];
    await expect.poll(() => arrived[1]!.bytes).toBe(2);
    await expect.poll(() => upstream.requests.length).toBe(2);
    client.close();
    for (const { error } of [...arrived, await exchange(client, upstream.url)]) {
      expect(error?.message).toBe('the client is closed');
    }
    await expect.poll(() => upstream.open.size).toBe(0);
  });
});

describe('a streamed body', () => {
  /** Answers each whole request with its body, in whatever coding it was sent. */
  async function echo() {
    const server = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        const { 'content-length': length = '', 'transfer-encoding': coding = '' } = req.headers;
        res.writeHead(200, { 'x-sent': `${length}${coding}` }).end(Buffer.concat(chunks));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push({ close: () => server.close() }, { close: () => server.closeAllConnections() });
    const client = new Client({ guard: localGuard, bound: wideBound });
    open.push(client);
    return { client, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }
  const pieces = Array.from({ length: 400 }, (_, index) => Buffer.alloc(index * 37, `${index};`));
  const whole = Buffer.concat(pieces);

  it('arrives whole and in order, with its length or in chunks, and larger than any buffer', async () => {
    const { client, url } = await echo();
    const known = { 'content-length': String(whole.length) };
    for (const headers of [known, {}]) {
      const sent = await exchange(client, url, { headers, body: Readable.from(pieces) });
      expect([sent.error, sent.headers['x-sent']]).toEqual([
        undefined,
        known === headers ? String(whole.length) : 'chunked',
      ]);
      expect(sent.body === whole.toString('latin1')).toBe(true);
    }
  });

  it('that breaks off ends its call with the error, and the server never has a whole request', async () => {
    const { upstream, client } = await world(({ socket }) => socket.write(ok));
    const broken = new Readable({ read: () => undefined });
    broken.push('half');
    const sent = call(client, upstream.url, { headers: { 'content-length': '8' }, body: broken });
    await turns(20);
    broken.destroy(new Error('the caller left'));
    await sent.done;
    expect(sent.error?.message).toBe('the caller left');
    for (const error of [undefined, new Error('gone before')]) {
      const gone = new Readable({ read: () => undefined });
      gone.on('error', () => undefined).destroy(error);
      const late = await exchange(client, upstream.url, { headers: { 'content-length': '8' }, body: gone });
      expect(late.error?.message).toBe(error?.message ?? 'the body broke off');
    }
    await turns(20);
    expect(upstream.requests).toHaveLength(0);
  });

  it('is not read on after an early answer or the end of its call, and its connection is not used again', async () => {
    const server = createServer((_req, res) => res.writeHead(413).end('no'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push({ close: () => server.close() }, { close: () => server.closeAllConnections() });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = new Client({ guard: localGuard, bound: wideBound });
    open.push(client);
    const endless = new Readable({ read: () => undefined });
    endless.push('a');
    const sent = await exchange(client, url, { body: endless });
    expect([sent.status, sent.body, endless.destroyed]).toEqual([413, 'no', true]);
    const other = new Readable({ read: () => undefined });
    const aborted = call(client, url, { body: other });
    await turns();
    aborted.controller.abort(new Error('enough'));
    await aborted.done;
    expect(other.destroyed).toBe(true);
  });

  it('waits no longer than the timeout for its next piece', async () => {
    const { client, url } = await echo();
    const stuck = new Readable({ read: () => undefined });
    stuck.push('a');
    const sent = await exchange(client, url, { body: stuck, headersTimeoutMs: 30 });
    expect(sent.error?.message).toContain('no answer within 30 ms');
  });
});
