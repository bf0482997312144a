import { describe, expect, test } from 'vitest';
import { buildChannel, buildRequest, feed, relayOptions } from '../../testing/protocols/build-relay.ts';
import { bridge } from '../bridge.ts';
import { providerOf } from '../registry.ts';
import type { AnswerPipe } from '../types/index.ts';

function open(
  protocol: 'openai-chat' | 'openai-embeddings' = 'openai-chat',
  contentType = 'application/json',
): AnswerPipe {
  const body =
    protocol === 'openai-chat'
      ? { model: 'm', messages: [{ role: 'user', content: 'hi' }] }
      : { model: 'm', input: 'hi' };
  const call = bridge(providerOf(1)!, buildChannel(), buildRequest(protocol, body), 'm', relayOptions);
  return call.openPipe(200, contentType);
}
const counts = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
const answer = (content: string, usage: object | null = counts): string =>
  JSON.stringify(
    {
      id: 'x',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content,
            tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }],
          },
          finish_reason: 'stop',
        },
      ],
      usage,
    },
    null,
    2,
  );

describe('a passing JSON answer', () => {
  test('is sent whole after the settlement, byte for byte', () => {
    const text = answer('Hello');
    const { passed, end } = feed(open(), [Buffer.from(text.slice(0, 20)), Buffer.from(text.slice(20))]);
    expect(passed.length).toBe(0);
    expect([end.outcome, end.tail?.toString()]).toEqual(['complete', text]);
    expect(end.usage).toMatchObject({ input: 5, output: 2 });
  });

  test('gives its text for counting when it reports no usage', () => {
    const { end, text } = feed(open(), [Buffer.from(answer('Hello', null))]);
    expect(end.usage).toBeUndefined();
    expect(text).toEqual({ output: 'Hellof{}', reasoning: '', toolCalls: 1, omitted: 0 });
  });

  test('that broke off is truncated, and nothing of it is sent', () => {
    const { passed, end } = feed(open(), [Buffer.from(answer('Hello').slice(0, -5))], true);
    expect([passed.length, end.outcome, end.tail]).toEqual([0, 'truncated', undefined]);
  });

  test('of several megabytes flows, its tail is held back, its usage is found in the tail', () => {
    const body = JSON.stringify({
      object: 'list',
      data: [{ embedding: Array.from({ length: 600_000 }, () => 0.12345) }],
      usage: counts,
    });
    const pieces = Array.from({ length: Math.ceil(body.length / 16_384) }, (_, index) =>
      Buffer.from(body.slice(index * 16_384, (index + 1) * 16_384)),
    );
    const { passed, end } = feed(open('openai-embeddings'), pieces);
    expect(passed.length).toBeGreaterThan(4_000_000);
    expect(end.tail!.length).toBeGreaterThanOrEqual(64 * 1024);
    expect(passed.toString() + end.tail!.toString()).toBe(body);
    expect([end.outcome, end.usage?.input]).toEqual(['complete', 5]);
    const cut = feed(open('openai-embeddings'), pieces.slice(0, -1));
    expect([cut.end.outcome, cut.end.tail]).toEqual(['truncated', undefined]);
  });

  test('of several megabytes that is not JSON fails at once', () => {
    const pipe = open('openai-embeddings');
    for (let index = 0; index < 200 && !pipe.failed; index += 1)
      expect(pipe.push(Buffer.alloc(16_384, '<p>'))).toBeUndefined();
    expect(pipe.failed).toBe(true);
    expect(pipe.end(false).error?.code).toBe('bad_response_body');
  });

  test('with an absurd usage is charged by the believable part', () => {
    for (const usage of [
      { prompt_tokens: -5, completion_tokens: 'x' },
      { prompt_tokens: null },
      [],
      'x',
      { total_tokens: NaN },
    ]) {
      const { end } = feed(open(), [Buffer.from(JSON.stringify({ choices: [], usage }))]);
      expect([end.outcome, end.usage]).toEqual(['complete', undefined]);
    }
    const { end } = feed(open(), [
      Buffer.from(`{"choices":[],"usage":{"prompt_tokens":1e30,"completion_tokens":2.7}}`),
    ]);
    expect([end.usage?.input, end.usage?.output]).toEqual([2 ** 40, 2]);
  });

  test('is recognised without a Content-Type, after blanks and a byte order mark', () => {
    for (const before of ['', ' \n ', '\ufeff']) {
      const { end } = feed(open('openai-chat', ''), [Buffer.from(before), Buffer.from(answer('Hello'))]);
      expect([end.outcome, end.usage?.input]).toEqual(['complete', 5]);
    }
  });
});
