import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { PlainRequest } from './plain-request.ts';
import type { PlainResponse } from './plain-response.ts';
import { type PlainServer, servePlain } from './plain-server.ts';

const times = { headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 5_000 };
const sockets: Socket[] = [];
let server: Server;
let plain: PlainServer | undefined;

afterEach(() => {
  plain?.close();
  plain = undefined;
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  server.close();
});

async function listen(): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** A server whose lane handles every plain request with `serve`. */
function open(serve: (request: PlainRequest, response: PlainResponse) => Promise<void>): Promise<number> {
  server = createServer((_req, res) => res.end('node'));
  plain = servePlain(server, times, (request, response) => {
    void serve(request, response);
    return true;
  });
  return listen();
}

/** Echoes the request body. */
async function echo(request: PlainRequest, response: PlainResponse): Promise<void> {
  const body = await request.body();
  response.answer(200, {}, {}, body);
}

/** A caller and the bytes that it has received. */
function call(port: number): { socket: Socket; heard: () => string } {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  const pieces: Buffer[] = [];
  socket.setNoDelay(true).on('data', (piece: Buffer) => pieces.push(piece));
  return { socket, heard: () => Buffer.concat(pieces).toString('latin1') };
}

const post = (body: string) =>
  `POST /v1/echo HTTP/1.1\r\nHost: test\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const turn = () => new Promise((resolve) => setTimeout(resolve, 3));
const timeout = { timeout: 10_000 };

describe('reads of callers', () => {
  it('do not mix the bytes of several callers', async () => {
    const port = await open(echo);
    const callers = Array.from({ length: 20 }, (_, i) => {
      return { ...call(port), text: post(String.fromCharCode(97 + i).repeat(90_000)) };
    });
    for (let at = 0; at < 90_200; at += 9_001) {
      for (const { socket, text } of callers) socket.write(text.slice(at, at + 9_001));
      await turn();
    }
    for (const { heard, text } of callers) {
      await expect.poll(() => heard().endsWith(text.slice(-90_000)), timeout).toBe(true);
    }
  });

  it('pause while too much is pipelined, and resume after it', async () => {
    const release = Promise.withResolvers<void>();
    const port = await open(async (request, response) => {
      await release.promise;
      await echo(request, response);
    });
    const { socket, heard } = call(port);
    const bodies = Array.from({ length: 60 }, (_, i) => `${i}:`.padEnd(40_000, '.'));
    for (const body of bodies) socket.write(post(body));
    await turn();
    release.resolve();
    await expect.poll(() => heard().includes('59:.'), timeout).toBe(true);
    const order = [...heard().matchAll(/(\d+):\./g)].map(([, number]) => Number(number));
    expect(order).toEqual(bodies.map((_, i) => i));
  });

  it('count as connections of the server until they end', async () => {
    const port = await open(echo);
    const { socket, heard } = call(port);
    socket.write(post('x'));
    await expect.poll(() => heard().endsWith('x'), timeout).toBe(true);
    const count = () =>
      new Promise<number>((resolve, reject) => {
        server.getConnections((error, open) => (error ? reject(error) : resolve(open)));
      });
    expect(await count()).toBe(1);
    socket.end();
    await expect.poll(count, timeout).toBe(0);
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  it('become those of an upgraded socket, without losing bytes', async () => {
    const port = await open(echo);
    const size = 8 * 1024 * 1024;
    const pieces: Buffer[] = [];
    server.on('upgrade', (_req, socket: Socket, head: Buffer) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: test\r\n\r\n');
      pieces.push(head);
      // A slow reader: data that arrives in the meantime waits in the system's buffer, not in this process.
      void (async () => {
        for await (const piece of socket) {
          pieces.push(piece as Buffer);
          await turn();
          expect(socket.readableLength).toBeLessThan(1024 * 1024);
        }
      })().then(() => socket.end('all'));
    });
    const { socket, heard } = call(port);
    socket.write(post('before'));
    await expect.poll(() => heard().endsWith('before'), timeout).toBe(true);
    socket.write('GET /x HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: test\r\n\r\n');
    await expect.poll(() => heard().includes('101 Switching'), timeout).toBe(true);
    const sent = Buffer.alloc(size, 'abcdefg');
    socket.end(sent);
    await expect.poll(() => heard().endsWith('all'), timeout).toBe(true);
    expect(Buffer.concat(pieces).equals(sent)).toBe(true);
  });
});
