import type { FakeExchange } from './fake-upstream-exchange.ts';
import { type Behaviour, json, sseHeaders } from './fake-upstream-scripts.ts';
import { errorBody, type WireUsage } from './fake-upstream-wire.ts';

// OpenAI's images and sound in the fake upstream.

/** A form as parsed by the upstream: texts unchanged, files by name and bytes. */
export async function readForm({ body, headers }: Pick<FakeExchange, 'body' | 'headers'>): Promise<{
  texts: Record<string, string>;
  files: Record<string, { name: string; bytes: Buffer }>;
}> {
  const type = headers['content-type'] ?? '';
  const form = await new Response(new Uint8Array(body), {
    headers: { 'content-type': String(type) },
  }).formData();
  const read: Awaited<ReturnType<typeof readForm>> = { texts: {}, files: {} };
  for (const [key, value] of form) {
    if (typeof value === 'string') read.texts[key] = value;
    else read.files[key] = { name: value.name, bytes: Buffer.from(await value.arrayBuffer()) };
  }
  return read;
}

/** Script of an answer with images. */
export interface ImagesScript {
  /** Images in the answer; by default as many as requested. */
  images?: number;
  /** Base64 letters in each; 100 by default. */
  letters?: number;
  usage?: WireUsage;
  /** End of a stream after its parts: it ends normally, breaks off, or sends more parts until its reader leaves. */
  ending?: 'end' | 'cut' | 'stall';
  /** A stream waits for this before its end. */
  until?: Promise<unknown>;
}

/** Usage in the format of gpt-image-1. */
export const imageUsage = (text: number, sent: number, made: number): WireUsage => ({
  total_tokens: text + sent + made,
  input_tokens: text + sent,
  output_tokens: made,
  input_tokens_details: { text_tokens: text, image_tokens: sent },
});

/** Images, streamed on request. */
export const images =
  (script: ImagesScript = {}): Behaviour =>
  async (exchange) => {
    const isForm = String(exchange.headers['content-type']).startsWith('multipart/');
    const body: Record<string, unknown> = isForm ? (await readForm(exchange)).texts : exchange.json();
    const count = script.images ?? Number(body['n'] ?? 1);
    const letters = 'QUJD'.repeat(Math.ceil((script.letters ?? 100) / 4));
    if (body['stream'] === true || body['stream'] === 'true') return streamImages(exchange, letters, script);
    const data = Array.from({ length: count }, () => ({ b64_json: letters }));
    await json({ created: 1, data, ...(script.usage && { usage: script.usage }) })(exchange);
  };

async function streamImages(exchange: FakeExchange, letters: string, script: ImagesScript): Promise<void> {
  const event = (type: string, fields: object) => {
    const name = `image_generation.${type}`;
    return `event: ${name}\ndata: ${JSON.stringify({ type: name, b64_json: letters, ...fields })}\n\n`;
  };
  exchange.head(200, sseHeaders);
  for (const index of [0, 1]) await exchange.write(event('partial_image', { partial_image_index: index }));
  await script.until;
  if (script.ending === 'cut') return exchange.fin();
  if (script.ending === 'stall') return exchange.closed;
  await exchange.end(event('completed', { usage: script.usage }));
}

/** Script of an answer with speech. */
export interface SpeechScript {
  /** Content-Type; `audio/mpeg` by default. */
  type?: string;
  /** Ends normally by default, breaks off, or sends nothing until its reader leaves. */
  ending?: 'end' | 'cut' | 'stall';
  /** Awaited before the end. */
  until?: Promise<unknown>;
}

/** Sound in pieces. */
export const speech =
  (sound: Buffer, { type = 'audio/mpeg', ending = 'end', until }: SpeechScript = {}): Behaviour =>
  async (exchange) => {
    exchange.head(200, { 'content-type': type, 'transfer-encoding': 'chunked' });
    for (let at = 0; at < sound.length; at += 4_096) {
      await exchange.write(sound.subarray(at, at + 4_096));
      await exchange.turn();
    }
    await until;
    if (ending === 'cut') return exchange.fin();
    if (ending === 'stall') return exchange.closed;
    await exchange.end();
  };

/** The transcript: an object as JSON, or a text of the given type. */
export const transcript =
  (body: string | object, type = 'application/json'): Behaviour =>
  async (exchange) => {
    if (typeof body === 'object') return json(body)(exchange);
    exchange.head(200, { 'content-type': type });
    await exchange.end(body);
  };

/** Events by their `type`, as in streams of sound and transcripts; an item that is not an event is awaited. */
export const typedEvents =
  (...events: ((Record<string, unknown> & { type: string }) | Promise<unknown>)[]): Behaviour =>
  async (exchange) => {
    exchange.head(200, sseHeaders);
    for (const event of events) {
      if (event instanceof Promise) await event;
      else await exchange.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      await exchange.turn();
    }
    await exchange.end();
  };

/** A refusal in OpenAI's format. */
export const refusal = (status: number, code: string): Behaviour =>
  json(errorBody('no', 'invalid_request_error', code), status);
