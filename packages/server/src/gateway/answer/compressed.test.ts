import {
  brotliCompressSync,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { answerEvents } from '../../testing/upstream/answer-events.ts';
import { textOfEvents } from '../../testing/upstream/content-of-events.ts';
import { chatBody, errorBody, usageBody } from '../../testing/upstream/fake-upstream-wire.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

// Upstream behind a proxy that compresses without a request for it. Every token costs one quota unit.

const model = 'gpt-4o-compressed';
const words = ['One', ' two', ' three', ' four'];
const balance = 100_000;
let gate: GatewayHarness;
let caller: TestCaller;

beforeAll(async () => {
  gate = await openGateway();
  await gate.addChannel({ type: 31, models: model });
  const each = JSON.stringify({ [model]: 1 });
  await gate.core.settings.setMany({ ModelRatio: each, CompletionRatio: each, RetryTimes: '0' });
});
afterEach(async () => {
  await expect.poll(() => gate.relay.gateway.running.size).toBe(0);
  await gate.checkAtRest();
});
afterAll(() => gate.close());

const bodies = {
  '/v1/chat/completions': { model, messages: [{ role: 'user', content: 'Count.' }] },
  '/v1/messages': { model, max_tokens: 100, messages: [{ role: 'user', content: 'Count.' }] },
} as const;
type Path = keyof typeof bodies;
const protocols = { '/v1/chat/completions': 'openai-chat', '/v1/messages': 'anthropic-messages' } as const;
const paths = Object.keys(bodies) as Path[];

async function ask(path: Path, stream: boolean) {
  caller = await gate.addCaller({ balance });
  const answer = await fetch(gate.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...bodies[path], stream }),
  });
  const text = await answer.text();
  await expect.poll(() => gate.relay.gateway.running.size).toBe(0);
  await gate.core.ledger.flush();
  return { answer, text, paid: balance - (await gate.readBalance(caller)).balance };
}

const streams = { gzip: createGzip, br: createBrotliCompress, zstd: createZstdCompress };
const wholes = { gzip: gzipSync, br: brotliCompressSync, zstd: zstdCompressSync };
const codings = Object.keys(streams) as (keyof typeof streams)[];

it.each(paths.flatMap((path) => codings.map((coding) => [path, coding] as const)))(
  'streams to %s in %s are delivered event by event and charged by their usage',
  async (path, coding) => {
    gate.upstream.next(async (exchange) => {
      exchange.head(200, { 'content-type': 'text/event-stream', 'content-encoding': coding });
      const packer = streams[coding]();
      packer.on('data', (data: Buffer) => void exchange.write(data));
      for (const event of answerEvents['openai-chat']({ pieces: words, input: 30, output: 12 })) {
        packer.write(event);
        await new Promise<void>((resolve) => packer.flush(() => resolve()));
        await exchange.turn();
      }
      const packed = new Promise((resolve) => packer.on('end', resolve));
      packer.end();
      await packed;
      await exchange.end();
    });
    const { answer, text, paid } = await ask(path, true);
    expect(answer.headers.get('content-encoding')).toBeNull();
    expect(textOfEvents(protocols[path], text)).toBe('One two three four');
    expect(paid).toBe(42);
  },
);

it.each(paths.flatMap((path) => codings.map((coding) => [path, coding] as const)))(
  'a whole answer to %s in %s is delivered and charged',
  async (path, coding) => {
    const body = wholes[coding](JSON.stringify(chatBody(model, words.join(''), usageBody(30, 12))));
    gate.upstream.next(async (exchange) => {
      const type = { 'content-type': 'application/json', 'content-encoding': coding };
      exchange.head(200, { ...type, 'content-length': body.length });
      await exchange.end(body);
    });
    const { answer, text, paid } = await ask(path, false);
    expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, null]);
    expect(JSON.stringify(JSON.parse(text))).toContain('One two three four');
    expect(paid).toBe(42);
  },
);

it('a refusal in gzip is decompressed and passed to the caller', async () => {
  const body = gzipSync(JSON.stringify(errorBody('that is too long for me', 'invalid_request_error', null)));
  gate.upstream.next(async (exchange) => {
    exchange.head(400, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    await exchange.end(body);
  });
  const { answer, text, paid } = await ask('/v1/chat/completions', false);
  expect([answer.status, paid]).toEqual([400, 0]);
  expect(text).toContain('that is too long for me');
});

it('a stream whose compression breaks off is charged for what was delivered, and ends with an error', async () => {
  const events = answerEvents['openai-chat']({ pieces: words, input: 30, output: 12 });
  const packed = gzipSync(events.join(''));
  gate.upstream.next(async (exchange) => {
    exchange.head(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
    await exchange.end(packed.subarray(0, packed.length * 0.8));
  });
  const { text } = await ask('/v1/chat/completions', true);
  expect(text).toContain('"error"');
});

it('a whole answer of a hundred megabytes, compressed to a hundred kilobytes, is refused and costs nothing', async () => {
  const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024, ' '));
  gate.upstream.next(async (exchange) => {
    exchange.head(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    await exchange.write(bomb);
    await exchange.end();
  });
  const { answer, paid } = await ask('/v1/chat/completions', false);
  expect([answer.status, paid]).toEqual([502, 0]);
});
