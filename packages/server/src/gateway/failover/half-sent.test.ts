import { afterEach, beforeEach, expect, it } from 'vitest';
import { sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';
import { chatChunk, doneEvent, event, usageBody } from '../../testing/upstream/fake-upstream-wire.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';

// A call that fails after a part of its answer was sent.

let gate: GatewayHarness;
let caller: TestCaller;
beforeEach(async () => {
  gate = await openGateway();
  await gate.addChannel({ models: 'gpt-4o-mini,tts-1' });
  caller = await gate.addCaller();
});
afterEach(() => gate.close());

const model = 'gpt-4o-mini';
const sound = 'sound '.repeat(1_000);
const kinds = {
  'a whole answer': {
    path: '/v1/audio/speech',
    body: { model: 'tts-1', input: 'hi', voice: 'alloy' },
    headers: { 'content-type': 'audio/mpeg' },
    pieces: [sound.slice(0, 3_000), sound.slice(3_000)],
  },
  'a stream': {
    path: '/v1/chat/completions',
    body: { model, stream: true, messages: [{ role: 'user', content: 'hi' }] },
    headers: sseHeaders,
    pieces: [
      event(chatChunk(model, [{ index: 0, delta: { content: 'many' }, finish_reason: null }])),
      event(chatChunk(model, [{ index: 0, delta: {}, finish_reason: 'stop' }], usageBody(10, 2))) + doneEvent,
    ],
  },
};

/**
 * A call whose settlement fails after its first piece has reached the caller. Returns the text that the caller reads.
 */
async function cutShort(
  kind: keyof typeof kinds,
): Promise<{ status: number; text: string; isBroken: boolean }> {
  const { path, body, headers, pieces } = kinds[kind];
  const arrived = Promise.withResolvers<void>();
  gate.upstream.script(async (exchange) => {
    exchange.head(200, headers);
    await exchange.write(pieces[0]!);
    await arrived.promise;
    await exchange.end(pieces[1]);
  });
  const answer = await fetch(gate.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const decoder = new TextDecoder();
  const read = { status: answer.status, text: '', isBroken: false };
  try {
    for await (const chunk of answer.body!) {
      read.text += decoder.decode(chunk as Uint8Array, { stream: true });
      gate.core.ledger.abandon();
      arrived.resolve();
    }
  } catch {
    read.isBroken = true;
  }
  return read;
}

it('closes the connection of an answer in one piece without adding bytes of its own', async () => {
  const { status, text, isBroken } = await cutShort('a whole answer');
  expect(status).toBe(200);
  expect(text).not.toBe('');
  expect(sound.startsWith(text)).toBe(true);
  expect(isBroken).toBe(true);
});

it('ends a stream with an error event', async () => {
  const { text, isBroken } = await cutShort('a stream');
  expect(text).toContain('many');
  expect(text).toContain('"code":"ledger_unavailable"');
  expect(isBroken).toBe(false);
});
