import type { FakeExchange } from './fake-upstream-exchange.ts';
import {
  type Behaviour,
  chatEvents,
  type ChatScript,
  json,
  type ModelBehaviour,
  modelOf,
  sseHeaders,
} from './fake-upstream-scripts.ts';
import { chatBody, errorBody, event, usageBody } from './fake-upstream-wire.ts';

// The upstream faults of the reliability catalogue (docs/reliability.md), each as a script.

/** Form of a refusal. */
export interface Refusal {
  /** Value of Retry-After; none by default. */
  retryAfter?: string;
  /** An error in OpenAI's format, a proxy's HTML page, or no body at all. */
  body?: 'openai' | 'html' | 'empty';
  message?: string;
  type?: string;
  code?: string | null;
}

const htmlPage = (status: number) =>
  `<html><head><title>${status}</title></head><body><center><h1>${status}</h1></center><hr>nginx</body></html>`;

/** Refuses with a status. */
export const refuse =
  (status: number, refusal: Refusal = {}): ModelBehaviour =>
  async (exchange) => {
    const headers: Record<string, string> = refusal.retryAfter ? { 'retry-after': refusal.retryAfter } : {};
    if (refusal.body === 'empty' || refusal.body === 'html') {
      const page = refusal.body === 'html' ? htmlPage(status) : '';
      exchange.head(status, { 'content-type': 'text/html', 'content-length': page.length, ...headers });
      return exchange.end(page);
    }
    const { message = `fake refusal ${status}`, type = 'server_error', code = null } = refusal;
    await json(errorBody(message, type, code), status, headers)(exchange);
  };

/** Closes the connection with a reset before any byte (U1). */
export const resetAtOnce = (): Behaviour => (exchange) => exchange.cut();

/** Never answers; ends when the peer gives up (U2). */
export const stallBeforeHeaders = (): Behaviour => (exchange) => exchange.closed;

async function sendFirst(exchange: FakeExchange, count: number, script: ChatScript): Promise<string[]> {
  const events = chatEvents(exchange, script);
  exchange.head(200, sseHeaders);
  for (const one of events.slice(0, count)) {
    await exchange.write(one);
    await exchange.turn();
  }
  return events.slice(count);
}

/** Sends `count` events, then nothing until the peer gives up (U3). */
export const stallMidStream =
  (count = 3, script: ChatScript = {}): Behaviour =>
  async (exchange) => {
    await sendFirst(exchange, count, script);
    await exchange.closed;
  };

/** Sends `count` events and half of the next, then closes: without the end of the body and without [DONE] (U4). */
export const cutMidEvent =
  (count = 3, script: ChatScript = {}): Behaviour =>
  async (exchange) => {
    const [next = ''] = await sendFirst(exchange, count, script);
    await exchange.write(next.slice(0, Math.ceil(next.length / 2)));
    await exchange.fin();
  };

/** Same as `cutMidEvent`, in the middle of a three-byte character (U4). */
export const cutMidCharacter =
  (count = 3): Behaviour =>
  async (exchange) => {
    await sendFirst(exchange, count, { text: () => '天' });
    const next = Buffer.from(event({ choices: [{ index: 0, delta: { content: '天' } }] }));
    await exchange.write(next.subarray(0, next.indexOf(Buffer.from('天')) + 1));
    await exchange.fin();
  };

/** A stream with a correct end in HTTP but without [DONE] (U4). */
export const endWithoutDone =
  (script: ChatScript = {}): Behaviour =>
  async (exchange) => {
    exchange.head(200, sseHeaders);
    await exchange.end(chatEvents(exchange, { ...script, done: false }).join(''));
  };

/** A stream without a length, closed by the FIN after `count` events and without [DONE] (U4). */
export const finWithoutDone =
  (count = 3, script: ChatScript = {}): Behaviour =>
  async (exchange) => {
    const events = chatEvents(exchange, script).slice(0, count);
    await exchange.raw('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n');
    await exchange.raw(events.join(''));
    await exchange.fin();
  };

/** A whole answer, byte by byte (U5). */
export const drip =
  (byteEveryMs: number, script: ChatScript = {}): Behaviour =>
  async (exchange) => {
    exchange.head(200, sseHeaders);
    for (const byte of Buffer.from(chatEvents(exchange, script).join(''))) {
      if (exchange.isGone) return;
      await exchange.write(Buffer.of(byte));
      await exchange.pause(byteEveryMs);
    }
    await exchange.end();
  };

/** Any body with status 200: an HTML page, half a JSON, nothing (U6). */
export const body =
  (bytes: string | Buffer, contentType = 'application/json', status = 200): Behaviour =>
  async (exchange) => {
    exchange.head(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(bytes) });
    await exchange.end(bytes);
  };

/**
 * A chat answer whose Content-Length is off by `by`: a negative value leaves extra bytes, a positive one ends too early
 * (U7).
 */
export const wrongLength =
  (by: number): Behaviour =>
  async (exchange) => {
    const bytes = JSON.stringify(chatBody(modelOf(exchange), 'word0 ', usageBody(10, 1)));
    const length = Buffer.byteLength(bytes) + by;
    await exchange.raw(
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${bytes}`,
    );
    await exchange.fin();
  };

/** A correct answer and, in the same write, a second, unrequested one, marked `stray` (U7). */
export const twoAnswers = (): Behaviour => async (exchange) => {
  const answer = (content: string) => {
    const bytes = JSON.stringify(chatBody(modelOf(exchange), content, usageBody(10, 1)));
    return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(bytes)}\r\n\r\n${bytes}`;
  };
  await exchange.raw(answer('word0 ') + answer('stray'));
  await exchange.closed;
};

/** One event of `sizeBytes` on a single line (U8). */
export const hugeLine =
  (sizeBytes: number): Behaviour =>
  async (exchange) => {
    exchange.head(200, sseHeaders);
    await exchange.write('data: {"choices":[{"index":0,"delta":{"content":"');
    const block = 'x'.repeat(64 * 1024);
    for (let sent = 0; sent < sizeBytes && !exchange.isGone; sent += block.length)
      await exchange.write(block);
    await exchange.end('"}}]}\n\ndata: [DONE]\n\n');
  };

/** `count` events of one letter each, many per write (U8). */
export const tinyEvents =
  (count: number): Behaviour =>
  async (exchange) => {
    exchange.head(200, sseHeaders);
    const one = event({ choices: [{ index: 0, delta: { content: 'x' } }] });
    for (let sent = 0; sent < count && !exchange.isGone; sent += 500) {
      await exchange.write(one.repeat(Math.min(500, count - sent)));
    }
    await exchange.end('data: [DONE]\n\n');
  };

/** A good answer with headers that no caller may see, and `extra` more of them (U8, U11). */
export const hostileHeaders =
  (extra = 0): Behaviour =>
  async (exchange) => {
    const bytes = JSON.stringify(chatBody(modelOf(exchange), 'word0 ', usageBody(10, 1)));
    const lines = [
      'HTTP/1.1 200 OK',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(bytes)}`,
      'Set-Cookie: session=stolen; Path=/',
      'Location: http://127.0.0.1:1/',
      'Access-Control-Allow-Origin: *',
      'Refresh: 0; url=http://127.0.0.1:1/',
      'X-Accel-Redirect: /etc/passwd',
      'Server: fake/1.0',
      'Connection: close',
      ...Array.from({ length: extra }, (_, index) => `X-Extra-${index}: ${index}`),
    ];
    await exchange.raw(`${lines.join('\r\n')}\r\n\r\n${bytes}`);
    await exchange.fin();
  };

/** `count` good events, then a failure as an event, as several vendors report it in a 200 answer. */
export const errorEvent =
  (count = 0, style: 'named' | 'data' = 'named', message = 'fake failure in the stream'): Behaviour =>
  async (exchange) => {
    await sendFirst(exchange, count, {});
    const data = event(errorBody(message, 'server_error', null));
    await exchange.end(style === 'named' ? `event: error\n${data}` : data);
  };

/**
 * A recording, byte for byte, in pieces of the given sizes (the last size repeats): each piece is a separate write in a
 * separate turn, so that the reader meets every boundary.
 */
export const replay =
  (bytes: Buffer, pieces: readonly number[], contentType = 'text/event-stream', status = 200): Behaviour =>
  async (exchange) => {
    exchange.head(status, { 'content-type': contentType });
    let at = 0;
    for (let index = 0; at < bytes.length && !exchange.isGone; index += 1) {
      const size = Math.max(1, pieces[Math.min(index, pieces.length - 1)] ?? bytes.length);
      await exchange.write(bytes.subarray(at, at + size));
      await exchange.turn();
      at += size;
    }
    await exchange.end();
  };

/** Continues after the peer's disconnect, like a vendor that does not notice it: `bytesAfterClose` counts the bytes. */
export const stubborn =
  (chunks: number, paceMs: number): Behaviour =>
  async (exchange) => {
    exchange.head(200, sseHeaders);
    for (const one of chatEvents(exchange, { chunks })) {
      await exchange.write(one);
      await new Promise((resolve) => setTimeout(resolve, paceMs));
    }
    await exchange.end();
  };
