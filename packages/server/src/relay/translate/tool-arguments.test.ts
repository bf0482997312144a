/** @module-tag rounds */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { feed, writerOptions } from '../../testing/protocols/build-relay.ts';
import { readAnswer, readStream } from '../../testing/protocols/codec-bench.ts';
import { chatChunk, delta, doneEvent, event, usageBody } from '../../testing/upstream/fake-upstream-wire.ts';
import type { ChatEvent, ChatCodec, BodyKind } from '../types/index.ts';
import type { JsonObject } from '../../lib/json.ts';
import { callerProtocol } from '../protocols.ts';
import { TranslatePipe } from './translate-pipe.ts';

// Arguments of tools arrive in pieces, alternately for several calls, with cuts at any position. The assembled
// arguments are those of the model, in every protocol.

const codecOf = (id: 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini'): ChatCodec =>
  callerProtocol(id)!.codec!;
const chat = codecOf('openai-chat');

interface ToolCall {
  id: string;
  name: string;
  input: string;
}

const call = fc.record({
  name: fc.stringMatching(/^[a-z][a-z0-9_]{0,12}$/),
  input: fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 6 }), fc.jsonValue({ maxDepth: 3 }), {
    maxKeys: 4,
  }),
});

/** Calls, and the order of their pieces: each number takes the next piece of the call that it selects. */
const turn = fc.record({
  calls: fc.array(call, { minLength: 1, maxLength: 4 }).map((calls) =>
    calls.map(({ name, input }, at): ToolCall => ({
      id: `call_${at}`,
      name,
      input: JSON.stringify(input),
    })),
  ),
  pieceSize: fc.integer({ min: 1, max: 12 }),
  order: fc.array(fc.nat(), { maxLength: 200 }),
  /** Number of bytes that arrive at once. */
  chunkSize: fc.integer({ min: 1, max: 400 }),
});

/** Pieces of all calls, alternately: `order` selects the next call; the remaining pieces follow call by call. */
function inTurns(calls: readonly ToolCall[], size: number, order: readonly number[]): [number, string][] {
  const waiting = calls.map(({ input }) => [...(input.match(new RegExp(`[^]{1,${size}}`, 'gu')) ?? [])]);
  const taken: [number, string][] = [];
  for (const choice of order) {
    const index = choice % calls.length;
    const piece = waiting[index]!.shift();
    if (piece !== undefined) taken.push([index, piece]);
  }
  for (const [index, rest] of waiting.entries()) for (const piece of rest) taken.push([index, piece]);
  return taken;
}

/** A stream of chat in which a model makes the calls. */
function streamOf(calls: readonly ToolCall[], pieces: readonly [number, string][]): Buffer {
  const tool = (index: number, fields: object) =>
    event(chatChunk('m', [delta({ tool_calls: [{ index, ...fields }] })]));
  const begin = calls.map(({ id, name }, index) =>
    tool(index, { id, type: 'function', function: { name, arguments: '' } }),
  );
  return Buffer.from(
    begin.join('') +
      pieces.map(([index, text]) => tool(index, { function: { arguments: text } })).join('') +
      event(chatChunk('m', [delta({}, 'tool_calls')])) +
      event(chatChunk('m', [], usageBody(1, 1))) +
      doneEvent,
  );
}

/** Calls in the events of an answer. */
function callsIn(events: readonly ChatEvent[]): { name: string; input: unknown }[] {
  const found = new Map<number, { name: string; text: string }>();
  for (const each of events) {
    if (each.type === 'tool-input-start') found.set(each.block, { name: each.name, text: '' });
    if (each.type === 'tool-input-delta') found.get(each.block)!.text += each.text;
  }
  return [...found.values()].map(({ name, text }) => ({ name, input: JSON.parse(text || '{}') as unknown }));
}

function translate(
  body: Buffer,
  chunkSize: number,
  to: ChatCodec,
  kind: BodyKind,
  from: { codec: ChatCodec; kind: BodyKind } = { codec: chat, kind: 'stream' },
): Buffer {
  const pipe = new TranslatePipe({
    from,
    to: { codec: to, kind },
    writer: writerOptions(),
    thinkingToContent: false,
    secrets: [],
    rewrite: undefined,
  });
  const chunks = Array.from({ length: Math.ceil(body.length / chunkSize) }, (_, at) =>
    body.subarray(at * chunkSize, (at + 1) * chunkSize),
  );
  const { passed, end } = feed(pipe, chunks);
  expect(end.outcome).toBe('complete');
  return Buffer.concat([passed, end.tail!]);
}

describe('the arguments of tools', () => {
  test.each(['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const)(
    'are the same in %s, streamed and whole, however they were cut and mixed',
    (protocol) => {
      const codec = codecOf(protocol);
      fc.assert(
        fc.property(turn, ({ calls, pieceSize, order, chunkSize }) => {
          const body = streamOf(calls, inTurns(calls, pieceSize, order));
          const expected = calls.map(({ name, input }) => ({ name, input: JSON.parse(input) as unknown }));
          const streamed = translate(body, chunkSize, codec, 'stream');
          expect(callsIn(readStream(codec, [streamed]))).toEqual(expected);
          const whole = JSON.parse(translate(body, chunkSize, codec, 'json').toString()) as JsonObject;
          expect(callsIn(readAnswer(codec, whole))).toEqual(expected);
        }),
        { numRuns: Number(process.env.FUZZ_RUNS ?? 50) },
      );
    },
  );

  const all = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;
  const kinds = ['stream', 'json'] as const;
  test.each(all.flatMap((vendor) => kinds.map((kind) => [vendor, kind] as const)))(
    'keep the text of their numbers from a vendor of %s (%s) to every caller',
    (vendor, kind) => {
      const input = '{"id":1234567890123456789,"price":1.0,"big":[-1e400],"w":"x"}';
      const call = { id: 'call_1', name: 'f', input };
      const codec = codecOf(vendor);
      const answer = translate(streamOf([call], [[0, input]]), 400, codec, kind);
      for (const caller of all) {
        for (const wanted of kinds) {
          const told = translate(answer, 400, codecOf(caller), wanted, { codec, kind }).toString();
          const pieces = told.replaceAll('\\', '');
          expect(pieces, `${caller} ${wanted}`).toContain(input);
        }
      }
    },
  );
});
