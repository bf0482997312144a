import { describe, expect, test } from 'vitest';
import { buildChannel, buildRequest, feed, relayOptions } from '../../../testing/protocols/build-relay.ts';
import { bridge } from '../../bridge.ts';
import { providerOf } from '../../registry.ts';
import type { AnswerPipe, ProtocolId } from '../../types/index.ts';

// Gemini 1.5, and servers that copy it, send a finish reason in every chunk of a stream.

const chunk = (text: string, more: object = {}): string =>
  `data: ${JSON.stringify({
    candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' }],
    ...more,
  })}\r\n\r\n`;
const usageMetadata = { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 };

function open(caller: ProtocolId): AnswerPipe {
  const asked = [{ role: 'user', content: 'hi' }];
  const body =
    caller === 'gemini'
      ? { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }
      : { model: 'm', stream: true, messages: asked, max_tokens: 9 };
  const fromPath = caller === 'gemini' ? { model: 'm', stream: true } : {};
  const request = buildRequest(caller, body, fromPath);
  const call = bridge(providerOf(24)!, buildChannel({ type: 24 }), request, 'm', relayOptions);
  return call.openPipe(200, 'text/event-stream');
}

const words = Array.from({ length: 300 }, (_, index) => `word ${index} ${'x'.repeat(300)} `);
const last = chunk('', { usageMetadata });
const stream = words.map((word) => chunk(word)).join('') + last;

/** The stream in pieces of this many bytes. */
function* pieces(size: number): Generator<Buffer> {
  const bytes = Buffer.from(stream);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('a stream with a finish reason in every chunk', () => {
  test.each([1_000, 4_096, 100_000, 1_000_000])('passes whole, in pieces of %i bytes', (size) => {
    const { passed, end, text } = feed(open('gemini'), pieces(size));
    expect(end).toMatchObject({ outcome: 'complete', usage: { input: 3, output: 4 } });
    expect(passed.toString() + String(end.tail)).toBe(stream);
    expect(text.output).toBe(words.join(''));
    // Only the end of the answer waits for the settlement.
    expect(end.tail!.length).toBeLessThan(2 * chunk(words[0]!).length);
  });

  test.each(['openai-chat', 'anthropic-messages'] as const)(
    'is translated whole for a caller of %s',
    (caller) => {
      const { passed, end, text } = feed(open(caller), pieces(4_096));
      expect(end).toMatchObject({ outcome: 'complete', usage: { input: 3, output: 4 } });
      expect(text.output).toBe(words.join(''));
      const written = passed.toString() + String(end.tail);
      for (const word of words) expect(written).toContain(word);
      expect(written.match(/"finish_reason":"stop"|"stop_reason":"end_turn"/g)).toHaveLength(1);
    },
  );

  test('that ends in a chunk without text holds that back, with a usage after it', () => {
    const pipe = open('gemini');
    expect(pipe.push(Buffer.from(chunk('one')))).toBeUndefined();
    expect(pipe.push(Buffer.from(chunk('two')))?.toString()).toBe(chunk('one'));
    expect(pipe.push(Buffer.from(last))).toBeUndefined();
    expect(pipe.end(false).tail?.toString()).toBe(chunk('two') + last);
  });
});
