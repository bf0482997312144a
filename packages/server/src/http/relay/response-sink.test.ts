import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ResponseSink } from './response-sink.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

type Answer = (sink: ResponseSink, res: ServerResponse, path: string) => void | Promise<void>;

/** A server that answers through the sink, with a byte-level client: returns the received text once `until` accepts it. */
async function exchange(sent: string, answer: Answer, until: (got: string) => boolean): Promise<string> {
  server = createServer((req, res) => void answer(new ResponseSink(res), res, req.url ?? ''));
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(sent);
  let got = '';
  for await (const chunk of socket) {
    got += (chunk as Buffer).toString('latin1');
    if (until(got)) break;
  }
  return got;
}

const get = (path: string, version = '1.1', more = '') =>
  `GET ${path} HTTP/${version}\r\nhost: test\r\n${more}\r\n`;
const bodyOf = (got: string) => got.slice(got.indexOf('\r\n\r\n') + 4);
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('an answer written past the framing of Node', () => {
  it('is the chunks that were written, each with its length, and the trailers after them', async () => {
    const got = await exchange(
      get('/'),
      async (sink) => {
        sink.writeHead(200, { trailer: 'x-cost' });
        sink.write(Buffer.from('first'));
        await turn();
        sink.write(Buffer.alloc(0));
        sink.write(Buffer.from([0xff, 0x0a]));
        sink.write(Buffer.alloc(300, 'z'));
        await turn();
        sink.addTrailers({ 'x-cost': '7' });
        sink.end(Buffer.from('last'));
      },
      (text) => text.endsWith('\r\n\r\n') && text.includes('\r\n0\r\n'),
    );
    expect(got).toContain('Transfer-Encoding: chunked\r\n');
    expect(bodyOf(got)).toBe(
      `5\r\nfirst\r\n2\r\n\xff\n\r\n12c\r\n${'z'.repeat(300)}\r\n4\r\nlast\r\n0\r\nx-cost: 7\r\n\r\n`,
    );
  });

  it('has no chunk lengths for a caller of HTTP/1.0', async () => {
    const got = await exchange(
      get('/', '1.0'),
      async (sink) => {
        sink.writeHead(200, {});
        sink.write(Buffer.from('one '));
        await turn();
        sink.write(Buffer.from('two '));
        sink.end(Buffer.from('three'));
      },
      () => false,
    );
    expect(bodyOf(got)).toBe('one two three');
  });

  it('in one piece keeps every byte unchanged', async () => {
    for (const size of [256, 200 * 1024]) {
      const body = Buffer.alloc(size, Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)));
      const got = await exchange(
        get('/', '1.1', 'connection: close\r\n'),
        (sink) => {
          sink.writeHead(200, { 'content-length': String(body.length) });
          sink.end(body);
        },
        () => false,
      );
      expect(got).not.toContain('chunked');
      expect(bodyOf(got) === body.toString('latin1')).toBe(true);
    }
  });

  it('waits for its turn where its caller pipelined the next request', async () => {
    const release = Promise.withResolvers<void>();
    const got = await exchange(
      get('/first') + get('/second'),
      async (sink, _res, path) => {
        if (path === '/first') await release.promise;
        sink.writeHead(200, {});
        sink.write(Buffer.from(`${path} a`));
        await turn();
        sink.write(Buffer.from(`${path} b`));
        sink.end();
        if (path === '/second') release.resolve();
      },
      (text) => text.split('0\r\n\r\n').length === 3,
    );
    const bodies = got.split('HTTP/1.1 200 OK').slice(1).map(bodyOf);
    expect(bodies).toEqual([
      '8\r\n/first a\r\n8\r\n/first b\r\n0\r\n\r\n',
      '9\r\n/second a\r\n9\r\n/second b\r\n0\r\n\r\n',
    ]);
  });

  it('emits drain when there is room again, on a connection that goes on afterwards', async () => {
    let drains = 0;
    const got = await exchange(
      get('/large') + get('/small', '1.1', 'connection: close\r\n'),
      async (sink, _res, path) => {
        sink.writeHead(200, {});
        for (let at = 0; path === '/large' && at < 8; at += 1) {
          if (sink.write(Buffer.alloc(4 * 1024 * 1024))) continue;
          await new Promise<void>((resolve) => sink.once('drain', resolve));
          drains += 1;
        }
        sink.end(Buffer.from('end'));
      },
      () => false,
    );
    expect(drains).toBeGreaterThan(0);
    expect(got.endsWith('3\r\nend\r\n0\r\n\r\n')).toBe(true);
    expect(got.length).toBeGreaterThan(32 * 1024 * 1024);
  });
});
