import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ResponseSink } from '../../http/relay/response-sink.ts';
import type { Controller } from '../../lib/outbound/http.ts';
import { ClientStream } from './client-stream.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A real response on a real socket, and the caller's view of it. */
async function connection(): Promise<{ res: ServerResponse; answer: Promise<IncomingMessage> }> {
  let give!: (res: ServerResponse) => void;
  const given = new Promise<ServerResponse>((resolve) => (give = resolve));
  server = createServer((_req, res) => give(res));
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    get({ port, host: '127.0.0.1' }, resolve).on('error', reject);
  });
  // The test may end without reading, and its caller then disconnects. That is no failure of the test.
  answer.catch(() => undefined);
  return { res: await given, answer };
}

async function readBody(message: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of message) text += String(chunk);
  return text;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

class FakeController implements Controller {
  aborted = false;
  reason = null;
  paused = false;
  pause(): void {
    this.paused = true;
  }
  resume(): void {
    this.paused = false;
  }
  abort(): void {
    this.aborted = true;
  }
}

describe('the stream to the caller', () => {
  it('sends nothing of another start before the gate opens again', async () => {
    const { res, answer } = await connection();
    const client = new ClientStream(new ResponseSink(res));
    client.head(200, { 'content-type': 'text/event-stream' });
    client.open();
    client.ping(Buffer.from(': wait\n\n'));
    client.shut();
    client.push(Buffer.from('later'));
    await turn();
    expect(client.started).toBe(false);
    client.ping(Buffer.from(': not within\n\n'));
    client.open();
    client.finish(undefined, {});
    expect(await readBody(await answer)).toBe(': wait\n\nlater');
  });

  it('sends nothing before the gate opens, not even the head', async () => {
    const { res } = await connection();
    const client = new ClientStream(new ResponseSink(res));
    client.head(200, { 'content-type': 'text/plain' });
    client.push(Buffer.from('early'));
    await turn();
    expect(res.headersSent).toBe(false);
    client.open();
    await turn();
    expect(res.headersSent).toBe(true);
    expect(client.sentBytes).toBe(5);
  });

  it('sends a short answer in one piece with its length and late fields as headers', async () => {
    const { res, answer } = await connection();
    const client = new ClientStream(new ResponseSink(res));
    client.open();
    client.head(200, { 'content-type': 'application/json', trailer: 'x-cost' });
    client.finish(Buffer.from('{"a":1}'), { 'x-cost': '7' });
    const message = await answer;
    expect(message.headers).toMatchObject({ 'content-length': '7', 'x-cost': '7' });
    expect(message.headers.trailer).toBeUndefined();
    expect(await readBody(message)).toBe('{"a":1}');
  });

  it('is a stream also where all of it arrived before the gate opened', async () => {
    const { res, answer } = await connection();
    const client = new ClientStream(new ResponseSink(res));
    client.head(200, { 'content-type': 'text/event-stream', trailer: 'x-cost' });
    client.push(Buffer.from('data: 1\n\n'));
    client.finish(Buffer.from('data: [DONE]\n\n'), { 'x-cost': '7' });
    const message = await answer;
    expect(message.headers['content-length']).toBeUndefined();
    expect(await readBody(message)).toBe('data: 1\n\ndata: [DONE]\n\n');
    expect(message.trailers).toEqual({ 'x-cost': '7' });
  });

  it('resumes an upstream that was paused behind the gate, once a slow caller has read', async () => {
    const { res, answer } = await connection();
    const client = new ClientStream(new ResponseSink(res));
    const upstream = new FakeController();
    client.follow(upstream);
    const piece = Buffer.alloc(4 * 1024 * 1024, 'x');
    client.head(200, { 'content-type': 'application/json' });
    for (let i = 0; i < 4; i += 1) client.push(piece);
    expect(upstream.paused).toBe(true);
    client.open();
    await turn();
    const body = readBody(await answer);
    await expect.poll(() => upstream.paused).toBe(false);
    client.finish(undefined, {});
    expect((await body).length).toBe(4 * piece.length);
  });

  it('sends late fields of a stream in a trailer and keeps the bytes in order', async () => {
    const { res, answer } = await connection();
    const client = new ClientStream(new ResponseSink(res));
    client.open();
    client.head(200, { 'content-type': 'text/event-stream', trailer: 'x-cost' });
    for (const piece of ['a', 'b', 'c']) client.push(Buffer.from(piece));
    await turn();
    client.push(Buffer.from('d'));
    client.finish(Buffer.from('e'), { 'x-cost': '7' });
    const message = await answer;
    expect(await readBody(message)).toBe('abcde');
    expect(message.trailers['x-cost']).toBe('7');
  });

  it('pauses the upstream while the caller does not read, and resumes it when they do', async () => {
    const { res, answer } = await connection();
    const message = await Promise.race([answer, turn()]);
    expect(message).toBeUndefined();
    const client = new ClientStream(new ResponseSink(res));
    const upstream = new FakeController();
    client.follow(upstream);
    client.open();
    client.head(200, {});
    for (let i = 0; i < 200 && !upstream.paused; i += 1) {
      client.push(Buffer.alloc(256 * 1024));
      await turn();
    }
    expect(upstream.paused).toBe(true);
    const reader = await answer;
    reader.resume();
    await expect.poll(() => upstream.paused, { timeout: 10_000 }).toBe(false);
  });

  it('pauses the upstream for a slow caller also when the gate opens late', async () => {
    const { res, answer } = await connection();
    const client = new ClientStream(new ResponseSink(res));
    const upstream = new FakeController();
    client.follow(upstream);
    client.head(200, {});
    // More than a caller can take before it reads: it fills the gate, and the socket once the gate is open.
    client.push(Buffer.alloc(16 * 1024 * 1024));
    expect(upstream.paused).toBe(true);
    client.open();
    expect(upstream.paused).toBe(true);
    (await answer).resume();
    await expect.poll(() => upstream.paused, { timeout: 10_000 }).toBe(false);
  });

  it('finds the ends of events, so that comments and cuts fall between events', async () => {
    const { res } = await connection();
    const client = new ClientStream(new ResponseSink(res));
    client.push(Buffer.from('data: {"a"'));
    expect(client.endsAtBoundary).toBe(false);
    client.push(Buffer.from(':1}\n\n'));
    expect(client.endsAtBoundary).toBe(true);
    client.push(Buffer.from('data: 1\r\n\r\n'));
    expect(client.endsAtBoundary).toBe(true);
    client.push(Buffer.from('data: 1\n'));
    expect(client.endsAtBoundary).toBe(false);
  });

  it('resumes the upstream when what it waits for is paid, but not while the caller is slow', async () => {
    const { res } = await connection();
    const client = new ClientStream(new ResponseSink(res));
    const upstream = new FakeController();
    client.follow(upstream);
    client.pauseForHold();
    expect(upstream.paused).toBe(true);
    client.resumeFromHold();
    expect(upstream.paused).toBe(false);
    client.head(200, {});
    // Before the gate opens, up to a megabyte is buffered. Then the upstream is paused.
    client.push(Buffer.alloc(1024 * 1024 + 1));
    client.pauseForHold();
    client.resumeFromHold();
    expect(upstream.paused).toBe(true);
  });
});
