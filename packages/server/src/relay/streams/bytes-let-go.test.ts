import { expect, test } from 'vitest';
import { buildChannel, buildRequest, relayOptions } from '../../testing/protocols/build-relay.ts';
import type { JsonObject } from '../../lib/json.ts';
import { bridge } from '../bridge.ts';
import { providerOf } from '../registry.ts';
import type { AnswerPipe, ProtocolId } from '../types/index.ts';

/** The beginning of an answer in each wire format, and the type of a vendor with that format. */
const wires = {
  chat: {
    type: 1,
    events: ['{"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"}}]}'],
  },
  messages: {
    type: 14,
    events: [
      '{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":5,"output_tokens":1}}}',
      '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
      '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}',
    ],
  },
  gemini: {
    type: 24,
    events: [
      '{"candidates":[{"content":{"parts":[{"text":"Hello"}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":1,"totalTokenCount":6}}',
    ],
  },
};

const message = { role: 'user', content: 'hi' };
const callers: Partial<Record<ProtocolId, [JsonObject, JsonObject?]>> = {
  'openai-chat': [{ model: 'm', stream: true, messages: [message] }],
  'anthropic-messages': [{ model: 'm', stream: true, max_tokens: 9, messages: [message] }],
  gemini: [{ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }, { model: 'm', stream: true }],
};

/** True if a memory is reachable from an object, through members, entries and the text of private fields. */
function reaches(from: unknown, memory: ArrayBufferLike, seen = new Set<unknown>()): boolean {
  if (typeof from !== 'object' || from === null || seen.has(from)) return false;
  seen.add(from);
  if (ArrayBuffer.isView(from)) return from.buffer === memory;
  const inner = from instanceof Map || from instanceof Set ? [...from] : [];
  return [...inner, ...Object.values(from)].some((value) => reaches(value, memory, seen));
}

function open(type: number, caller: ProtocolId): AnswerPipe {
  const [body, fromPath] = callers[caller]!;
  const request = buildRequest(caller, body, fromPath);
  const call = bridge(providerOf(type)!, buildChannel({ type }), request, 'm', relayOptions);
  return call.openPipe(200, 'text/event-stream');
}

const cases = Object.entries(wires).flatMap(([name, wire]) =>
  (Object.keys(callers) as ProtocolId[]).map((caller) => ({ name, caller, ...wire })),
);

// A small buffer is a view of memory that it shares with other data of the same time. An idle stream with one byte of
// passed data keeps all of that memory.
test.each(cases)(
  'a stream of $name for $caller keeps no byte that it has passed, once its text was read',
  ({ type, events, caller }) => {
    const pipe = open(type, caller);
    const memory = new ArrayBuffer(64 * 1024);
    let at = 0;
    const read = (text: string): Buffer => {
      const bytes = Buffer.from(memory, at, Buffer.byteLength(text));
      at += bytes.write(text);
      return bytes;
    };
    let passed = 0;
    for (const data of events) {
      const name = data.startsWith('{"type"') ? `event: ${/"type":"(\w+)"/.exec(data)![1]}\n` : '';
      passed += pipe.push(read(`${name}data: ${data}\n\n`))?.length ?? 0;
    }
    expect([passed > 0, pipe.takeText().output]).toEqual([true, 'Hello']);
    expect(reaches(pipe, memory)).toBe(false);
  },
);
