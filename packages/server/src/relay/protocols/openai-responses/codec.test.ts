import { usageOf } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import { feed, writerOptions } from '../../../testing/protocols/build-relay.ts';
import { dataOf, readAnswer, readStream } from '../../../testing/protocols/codec-bench.ts';
import { type ChatEvent, RelayError } from '../../types/index.ts';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import { openaiResponses } from './index.ts';

const codec = openaiResponses.codec!;
const event = (type: string, fields: object = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const read = (...events: string[]): ChatEvent[] => readStream(codec, [Buffer.from(events.join(''))]);
const response = (fields: object = {}): object => ({
  response: {
    id: 'resp_1',
    object: 'response',
    created_at: 7,
    model: 'gpt',
    status: 'completed',
    output: [],
    ...fields,
  },
});

const place = { choice: 0, block: 0 };
const start: ChatEvent = { type: 'start', id: 'x', model: 'up', createdSeconds: 5 };
const stop: ChatEvent = { type: 'finish', choice: 0, reason: { unified: 'stop', raw: 'stop' } };
const contentOf = (text: string): ChatEvent[] => [
  { type: 'text-start', ...place },
  { type: 'text-delta', ...place, text },
  { type: 'text-end', ...place },
];

function write(events: readonly ChatEvent[], request: JsonObject = {}): JsonObject[] {
  const writer = codec.openWriter(writerOptions(true, request));
  return dataOf(Buffer.from(events.map((each) => writer.write(each)).join('') + writer.end()));
}

describe('the writer', () => {
  test('writes each item, its parts and the whole response, as the official clients expect', () => {
    const usage = usageOf({ input: 3, cacheRead: 2, output: 4, reasoning: 1 });
    const written = write([start, ...contentOf('Hi'), { type: 'usage', usage }, stop]);
    expect(written.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(written.map((data) => data.sequence_number)).toEqual(written.map((_, index) => index));
    expect(written.at(-1)!.response).toMatchObject({
      id: 'resp_test-request',
      created_at: 5,
      model: 'up',
      status: 'completed',
      output: [{ type: 'message', status: 'completed', content: [{ type: 'output_text', text: 'Hi' }] }],
      usage: {
        input_tokens: 5,
        input_tokens_details: { cached_tokens: 2 },
        output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 1 },
        total_tokens: 10,
      },
    });
  });

  test('repeats the parameters of the request', () => {
    const request = { instructions: 'Be brief.', temperature: 0.5, tools: [{ type: 'function', name: 'f' }] };
    const { response: last } = write([start, ...contentOf('Hi'), stop], request).at(-1)!;
    expect(last).toMatchObject({ ...request, tool_choice: 'auto', top_p: 1 });
  });

  test('writes why an answer is incomplete', () => {
    const reasons = [
      ['length', 'max_output_tokens'],
      ['content-filter', 'content_filter'],
    ] as const;
    for (const [unified, reason] of reasons) {
      const last = write([
        start,
        ...contentOf('Hi'),
        { type: 'finish', choice: 0, reason: { unified, raw: 'x' } },
      ]).at(-1)!;
      expect(last.type).toBe('response.incomplete');
      expect(last.response).toMatchObject({ status: 'incomplete', incomplete_details: { reason } });
    }
  });

  test('separates calls that are filled in turns', () => {
    const one = { choice: 0, block: 1 };
    const two = { choice: 0, block: 2 };
    const { response: last } = write([
      start,
      { type: 'tool-input-start', ...one, id: 'a', name: 'f' },
      { type: 'tool-input-start', ...two, id: 'b', name: 'g' },
      { type: 'tool-input-delta', ...one, text: '{"x":' },
      { type: 'tool-input-delta', ...two, text: '{}' },
      { type: 'tool-input-delta', ...one, text: '1}' },
      { type: 'tool-input-end', ...one },
      { type: 'tool-input-end', ...two },
      stop,
    ]).at(-1)!;
    expect((last as JsonObject).output).toMatchObject([
      { type: 'function_call', call_id: 'a', name: 'f', arguments: '{"x":1}' },
      { type: 'function_call', call_id: 'b', name: 'g', arguments: '{}' },
    ]);
  });

  test('writes the call of a custom tool as one', () => {
    const request = { tools: [{ type: 'custom', name: 'apply_patch' }] };
    const events: ChatEvent[] = [
      start,
      { type: 'tool-input-start', ...place, id: 'a', name: 'apply_patch' },
      { type: 'tool-input-delta', ...place, text: '{"input":"*** Begin' },
      { type: 'tool-input-delta', ...place, text: ' Patch"}' },
      { type: 'tool-input-end', ...place },
      stop,
    ];
    const written = write(events, request);
    expect(written.find(({ type }) => type === 'response.custom_tool_call_input.done')).toMatchObject({
      input: '*** Begin Patch',
    });
    expect((written.at(-1)!.response as JsonObject).output).toMatchObject([
      { type: 'custom_tool_call', call_id: 'a', name: 'apply_patch', input: '*** Begin Patch' },
    ]);
  });

  test('writes the signature and the redacted thoughts of other vendors, and reads them back', () => {
    const { output } = write([
      start,
      { type: 'reasoning-start', ...place },
      { type: 'reasoning-delta', ...place, text: 'hm' },
      { type: 'reasoning-end', ...place, signature: 'sig', signer: 'anthropic-messages' },
      { type: 'reasoning-start', choice: 0, block: 1 },
      { type: 'reasoning-end', choice: 0, block: 1, redacted: 'hidden', signer: 'anthropic-messages' },
      { type: 'reasoning-start', choice: 0, block: 2 },
      { type: 'reasoning-end', choice: 0, block: 2 },
      stop,
    ]).at(-1)!.response as JsonObject;
    expect((output as JsonObject[]).map(({ type }) => type)).toEqual(['reasoning', 'reasoning']);
    const { messages } = codec.readRequest!({ model: 'm', input: output as JsonObject[] });
    expect(messages[0]!.parts).toMatchObject([
      { type: 'reasoning', text: 'hm', signature: 'sig', signer: 'anthropic-messages' },
      { type: 'reasoning', text: '', redacted: 'hidden', signer: 'anthropic-messages' },
    ]);
  });

  test('writes pictures as the tool that makes them', () => {
    const source = { kind: 'data' as const, mediaType: 'image/webp', base64: 'AAAA' };
    const { output } = write([start, { type: 'file', choice: 0, source }, stop]).at(-1)!
      .response as JsonObject;
    expect(output).toMatchObject([{ type: 'image_generation_call', output_format: 'webp', result: 'AAAA' }]);
    expect(readAnswer(codec, { output: output! })).toContainEqual(
      expect.objectContaining({ type: 'file', source }),
    );
  });
});

describe('the reader', () => {
  test('takes content without deltas from its done event', () => {
    const events = read(
      event('response.created', response()),
      event('response.output_item.done', {
        output_index: 0,
        item: { type: 'function_call', call_id: 'a', name: 'f', arguments: '{"x":1}' },
      }),
      event('response.completed', response({ output: [{ type: 'function_call', call_id: 'a', name: 'f' }] })),
    );
    expect(events).toMatchObject([
      { type: 'start' },
      { type: 'tool-input-start', id: 'a', name: 'f' },
      { type: 'tool-input-delta', text: '{"x":1}' },
      { type: 'tool-input-end' },
      { type: 'finish', reason: { unified: 'tool-calls' } },
    ]);
  });

  test('reads refusals, and truncated answers', () => {
    const events = read(
      event('response.refusal.delta', { output_index: 0, content_index: 0, delta: 'No.' }),
      event(
        'response.incomplete',
        response({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }),
      ),
    );
    expect(events).toContainEqual(expect.objectContaining({ type: 'refusal-delta', text: 'No.' }));
    expect(events.at(-1)).toMatchObject({
      type: 'finish',
      reason: { unified: 'length', raw: 'max_output_tokens' },
    });
  });

  const failures = [
    [
      'a failed response',
      event(
        'response.failed',
        response({ status: 'failed', error: { code: 'server_error', message: 'broken' } }),
      ),
      502,
    ],
    [
      'an overloaded one',
      event('response.failed', response({ error: { code: 'rate_limit_exceeded', message: 'slow' } })),
      429,
    ],
    ['an error event', event('error', { code: 'server_error', message: 'broken', param: null }), 502],
    [
      'an error event as OpenAI sends it',
      event('error', { error: { type: 'x', code: 'context_length_exceeded', message: 'long' } }),
      400,
    ],
    ['an error of a gateway', 'data: {"error":{"message":"gone"}}\n\n', 502],
    ['garbage', 'data: {"type":"response.out\n\n', 502],
  ] as const;
  test.each(failures)('ends with %s, its blocks closed', (_name, failure, status) => {
    const delta = event('response.output_text.delta', { output_index: 0, content_index: 0, delta: 'He' });
    const events = read(event('response.created', response()), delta, failure, delta);
    expect(events.slice(-2)).toMatchObject([{ type: 'text-end' }, { type: 'error', error: { status } }]);
  });

  test.each(failures)('%s in a passing stream is never a whole answer', (_name, failure) => {
    const setup = {
      kind: 'stream',
      contentType: '',
      hideUsage: false,
      secrets: [],
      rewrite: undefined,
    } as const;
    const bytes = Buffer.from(event('response.created', response()) + failure);
    const { end } = feed(openaiResponses.outbound.openPipe(setup), [bytes]);
    expect(end.outcome === 'error' || end.outcome === 'truncated').toBe(true);
  });

  test('a whole answer that failed is a failure', () => {
    const failed = { output: [], status: 'failed', error: { code: 'server_error', message: 'broken' } };
    expect(readAnswer(codec, failed)).toMatchObject([{ type: 'error', error: { message: 'broken' } }]);
    const setup = {
      kind: 'json',
      contentType: '',
      hideUsage: false,
      secrets: [],
      rewrite: undefined,
    } as const;
    const { end } = feed(openaiResponses.outbound.openPipe(setup), [Buffer.from(JSON.stringify(failed))]);
    expect(end).toMatchObject({ outcome: 'error', error: { code: 'server_error', blame: 'channel' } });
  });
});

test('errors in mid-stream are written in both forms that clients look for', () => {
  const error = new RelayError({ status: 502, code: 'upstream_broken', message: 'gone', blame: 'channel' });
  const bytes = openaiResponses.inbound.writeStreamError(error, 'R1').toString();
  expect(bytes.startsWith('event: error\ndata: ')).toBe(true);
  const [data] = dataOf(Buffer.from(bytes));
  const reported = { code: 'upstream_broken', message: 'gone (request id: R1)', param: null };
  expect(data).toMatchObject({ type: 'error', ...reported, error: reported });
  expect(isObject(data!.error)).toBe(true);
});
