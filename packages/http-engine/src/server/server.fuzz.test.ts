/** @module-tag rounds */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { fuzzCases, fuzzOptions, requestTexts } from '../testing/fuzz-texts.ts';
import { MemorySocket, turns } from '../testing/memory-socket.ts';
import { servePlain } from './plain-server.ts';

/** Interpretation of a connection's bytes: the parsed requests and their outcomes. */
interface Meaning {
  requests: string[];
  /** Status lines and `Connection` headers, in order. */
  answers: string[];
  isClosed: boolean;
}

/** Requests of the connection whose bytes are currently read. */
const seen = new WeakMap<object, string[]>();
const note = (
  socket: object,
  method: string | undefined,
  url: string | undefined,
  headers: object,
  body: string,
): void => {
  const fields = Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1));
  seen.get(socket)?.push(`${method} ${url} ${JSON.stringify(fields)} ${body}`);
};

function byNode(req: IncomingMessage, res: ServerResponse): void {
  let body = '';
  req.on('error', () => undefined);
  req.on('data', (chunk: Buffer) => (body += chunk.toString('latin1')));
  req.on('end', () => {
    note(req.socket, req.method, req.url, req.headers, body);
    res.writeHead(200, { 'content-length': '2' }).end('ok');
  });
}

const node = createServer(byNode);
const behind = createServer(byNode);
let served = 0;
const times = { headersTimeout: 60_000, requestTimeout: 60_000, keepAliveTimeout: 60_000 };
const lane = servePlain(behind, times, (request, response) => {
  served += 1;
  void Promise.resolve(request.body()).then(
    (body) => {
      note(request.socket, request.method, request.url, request.headers, body.toString('latin1'));
      response.writeHead(200, { 'content-length': '2' });
      response.end(Buffer.from('ok'));
    },
    () => undefined,
  );
  return true;
});

afterAll(() => {
  lane.close();
  node.close();
  behind.close();
});

/** Result of a server for these reads. Each read follows once the previous one is answered as far as possible. */
async function read(server: Server, texts: readonly string[], timeout: number): Promise<Meaning> {
  const socket = new MemorySocket();
  const requests: string[] = [];
  seen.set(socket, requests);
  server.emit('connection', socket as unknown as Socket);
  for (const text of texts) {
    socket.feed(text);
    await turns(timeout);
  }
  const answers = [...socket.written.matchAll(/^HTTP\/1\.1 \d+|^Connection: [\w-]+/gim)].map(
    ([text]) => text,
  );
  const isClosed = socket.destroyed || socket.writableEnded;
  socket.destroy();
  return { requests, answers, isClosed };
}

/** Passes if our server agrees with Node's, apart from differences that depend on the timing of reads. */
async function agrees(texts: readonly string[]): Promise<void> {
  const [ours, nodes] = await Promise.all([read(behind, texts, 4), read(node, texts, 4)]);
  if (JSON.stringify(ours) === JSON.stringify(nodes)) return;
  // Node refuses bytes after a request before it answers the request. With single-byte reads it answers first.
  const slowly = await read(node, Array.from(texts.join('')), 4);
  expect(await read(behind, texts, 12)).toEqual(slowly);
}

describe('arbitrary bytes of callers', () => {
  it(
    `are parsed by our server as by Node's (${fuzzCases} cases)`,
    async () => {
      await fc.assert(
        fc.asyncProperty(requestTexts, (requests) => agrees(requests.flat())),
        fuzzOptions,
      );
      // A minimum of requests served by our server keeps the test from comparing Node with itself.
      expect(served).toBeGreaterThan(fuzzCases / 20);
    },
    Math.max(120_000, fuzzCases * 10),
  );

  it('with Proxy-Connection are left to Node, which lets it decide whether the connection stays', async () => {
    for (const value of ['close', 'keep-alive']) {
      const before = served;
      const text = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nProxy-Connection: ${value}\r\n\r\nx`;
      await agrees([text, text]);
      expect(served).toBe(before);
    }
  });
});
