import { connect } from 'node:net';
import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import {
  cutMidCharacter,
  errorEvent,
  refuse,
  replay,
  stubborn,
  wrongLength,
} from './fake-upstream-faults.ts';
import { chat } from './fake-upstream-scripts.ts';
import { type FakeUpstream, namedScripts, startFakeUpstream } from './fake-upstream.ts';

let upstream: FakeUpstream;
const sockets: { destroy(): void }[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await upstream.close();
});

/** Sends one request on its own connection and reads until the upstream closes or `until` is seen. */
function rawCall(body: object, until?: string): Promise<{ bytes: Buffer; closeClient: () => void }> {
  const text = JSON.stringify(body);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(upstream.port, '127.0.0.1');
    sockets.push(socket);
    const done = () => resolve({ bytes: Buffer.concat(chunks), closeClient: () => socket.destroy() });
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (until !== undefined && Buffer.concat(chunks).includes(until)) done();
    });
    socket.on('close', done);
    socket.on('error', done);
    const keep = until === undefined ? 'close' : 'keep-alive';
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: ${keep}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    );
  });
}

async function call(path: string, body: object): Promise<{ status: number; text: string }> {
  const answer = await fetch(upstream.url + path, { method: 'POST', body: JSON.stringify(body) });
  return { status: answer.status, text: await answer.text() };
}

const stream = { model: 'm', stream: true };

describe('a healthy fake upstream', () => {
  it('records method, path, headers and the exact bytes of each body', async () => {
    upstream = await startFakeUpstream();
    await new Promise((resolve) => {
      const req = request(
        `${upstream.url}/v1/chat/completions?a=1`,
        { method: 'POST', headers: { 'X-Mark': 'a, b' } },
        (res) => res.resume().on('end', resolve),
      );
      req.end('{ "model":"m" , "extra": 1.50 }');
    });
    const [seen] = upstream.requests;
    expect(seen?.method).toBe('POST');
    expect(seen?.path).toBe('/v1/chat/completions?a=1');
    expect(seen?.headers['x-mark']).toBe('a, b');
    expect(seen?.body.toString()).toBe('{ "model":"m" , "extra": 1.50 }');
    expect(seen?.cutByPeer).toBe(false);
  });

  it('reports usage in a stream only when asked, as OpenAI does', async () => {
    upstream = await startFakeUpstream(chat({ chunks: 2 }));
    const silent = await call('/v1/chat/completions', stream);
    const asked = await call('/v1/chat/completions', { ...stream, stream_options: { include_usage: true } });
    expect(silent.text).not.toContain('usage');
    expect(asked.text).toContain('"prompt_tokens":10,"completion_tokens":2');
    expect(asked.text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it.each([
    ['/v1/completions', { model: 'm', prompt: 'x' }, 'text_completion'],
    ['/v1/embeddings', { model: 'm', input: ['a', 'b'], encoding_format: 'base64' }, '"index":1'],
    ['/v1/moderations', { input: 'x' }, '"flagged":false'],
    ['/v1/models', {}, 'fake-embedding'],
    ['/v1/dashboard/billing/subscription', {}, '"hard_limit_usd":120'],
    ['/v1/dashboard/billing/usage', {}, '"total_usage":2000'],
  ])('answers %s', async (path, body, part) => {
    upstream = await startFakeUpstream();
    const answer = await call(path, body);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain(part);
  });

  it('answers the next requests by their own scripts, then by the default one', async () => {
    upstream = await startFakeUpstream();
    upstream.next(refuse(429, { retryAfter: '7' }), 'refuse-503');
    const statuses = [];
    for (let index = 0; index < 3; index += 1) {
      statuses.push((await call('/v1/chat/completions', { model: 'm' })).status);
    }
    expect(statuses).toEqual([429, 503, 200]);
  });
});

describe('a faulty fake upstream', () => {
  it('ends inside an event, without the end of the chunked body', async () => {
    upstream = await startFakeUpstream('cut-mid-event');
    const { bytes } = await rawCall(stream);
    expect(bytes.toString()).toContain('200 OK');
    expect(bytes.toString()).not.toMatch(/0\r\n\r\n$/);
    expect(bytes.toString()).not.toContain('[DONE]');
  });

  it('ends inside a character of three bytes', async () => {
    upstream = await startFakeUpstream(cutMidCharacter(2));
    const { bytes } = await rawCall(stream);
    expect(bytes.includes(Buffer.from([0x22, 0xe5, 0x0d, 0x0a]))).toBe(true);
  });

  it('declares lengths that are too short and too long', async () => {
    upstream = await startFakeUpstream();
    for (const by of [-5, 5]) {
      upstream.next(wrongLength(by));
      const text = (await rawCall({ model: 'm' })).bytes.toString();
      const declared = Number(/Content-Length: (\d+)/.exec(text)?.[1]);
      expect(Buffer.byteLength(text.slice(text.indexOf('\r\n\r\n') + 4))).toBe(declared - by);
    }
  });

  it('reports a failure as an event within a 200', async () => {
    upstream = await startFakeUpstream(errorEvent(1));
    const { status, text } = await call('/v1/chat/completions', stream);
    expect(status).toBe(200);
    expect(text).toMatch(/event: error\ndata: {"error"/);
  });

  it('puts two answers on one connection', async () => {
    upstream = await startFakeUpstream('two-answers');
    const { bytes } = await rawCall({ model: 'm' }, 'stray');
    expect(bytes.toString().match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  });

  it('closes every stalled script when the peer disconnects', async () => {
    upstream = await startFakeUpstream('stall-mid-stream');
    const { closeClient } = await rawCall(stream, 'word0');
    closeClient();
    const seen = await upstream.arrived(0);
    await seen.finished;
    expect(seen.cutByPeer).toBe(true);
  });

  it('counts what it produced after the peer had disconnected', async () => {
    upstream = await startFakeUpstream(stubborn(20, 5));
    const { closeClient } = await rawCall(stream, 'word0');
    closeClient();
    const seen = await upstream.arrived(0);
    await seen.finished;
    expect(seen.bytesAfterClose).toBeGreaterThan(0);
    expect(seen.bytesAfterClose).toBeLessThan(seen.bytesWritten);
    expect(upstream.bytesAfterClose).toBe(seen.bytesAfterClose);
  });

  it('replays a recording byte for byte, in any pieces', async () => {
    upstream = await startFakeUpstream();
    const recording = Buffer.from('data: {"a":"天"}\r\n\r\n: note\n\ndata: [DONE]\n\n');
    for (const pieces of [[1], [7, 3], [4096]]) {
      upstream.next(replay(recording, pieces));
      const answer = await fetch(upstream.url, { method: 'POST' });
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(recording);
    }
  });

  it('fails the test whose script throws', async () => {
    const broken = await startFakeUpstream(() => {
      throw new Error('a broken script');
    });
    await expect(fetch(broken.url, { method: 'POST' })).rejects.toThrow('fetch failed');
    await expect(broken.close()).rejects.toThrow('a broken script');
    upstream = await startFakeUpstream();
  });

  it.each(Object.keys(namedScripts) as (keyof typeof namedScripts)[])('ends the script %s', async (name) => {
    upstream = await startFakeUpstream(name);
    const waitsForPeer = name.startsWith('stall') || name === 'two-answers';
    const outcome = rawCall(stream);
    const seen = await upstream.arrived(0);
    if (waitsForPeer) for (const socket of sockets) socket.destroy();
    await seen.finished;
    await outcome;
    expect(seen.cutByPeer).toBe(waitsForPeer);
  });
});
