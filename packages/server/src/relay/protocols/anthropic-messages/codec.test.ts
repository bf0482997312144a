import { describe, expect, test } from 'vitest';
import { usageOf } from '@tollgate/contract';
import { feed, writerOptions } from '../../../testing/protocols/build-relay.ts';
import type { ChatEvent } from '../../types/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { anthropicMessages } from './index.ts';

const codec = anthropicMessages.codec!;
const start = {
  type: 'message_start',
  message: { id: 'msg_1', model: 'claude-x', usage: { input_tokens: 9, output_tokens: 1 } },
};
const stop = [
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 4 },
  },
  { type: 'message_stop' },
];
const block = (index: number, content: JsonObject, ...deltas: JsonObject[]): JsonObject[] => [
  { type: 'content_block_start', index, content_block: content },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];

function read(...data: (JsonObject | string)[]): ChatEvent[] {
  const reader = codec.openReader();
  const events: ChatEvent[] = [];
  const emit = (event: ChatEvent) => void events.push(event);
  for (const each of data) {
    const text = typeof each === 'string' ? each : JSON.stringify(each);
    reader.read({ name: typeof each === 'string' ? '' : String(each.type as string), data: text }, emit);
  }
  reader.end(emit);
  return events;
}
const names = (events: ChatEvent[]): string[] => events.map(({ type }) => type);
const write = (events: ChatEvent[]): JsonObject[] => {
  const writer = codec.openWriter(writerOptions());
  const text = events.map((event) => writer.write(event)).join('') + writer.end();
  return text
    .split('\n\n')
    .filter((each) => each !== '')
    .map((each) => {
      const [event, data] = each.split('\n') as [string, string];
      const body = JSON.parse(data.slice('data: '.length)) as JsonObject;
      expect(event).toBe(`event: ${String(body.type as string)}`);
      return body;
    });
};
const at = { choice: 0 };

describe('the reader', () => {
  test('reads an answer into text, thoughts, tools, sources, and vendor-specific blocks', () => {
    const events = read(
      start,
      { type: 'ping' },
      ...block(
        0,
        { type: 'thinking', thinking: '', signature: '' },
        { type: 'thinking_delta', thinking: 'hm' },
        { type: 'signature_delta', signature: 'sig' },
      ),
      ...block(1, { type: 'redacted_thinking', data: 'xyz' }),
      ...block(
        2,
        { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
        { type: 'input_json_delta', partial_json: '{"query":' },
        { type: 'input_json_delta', partial_json: '"q"}' },
      ),
      ...block(
        3,
        { type: 'text', text: '' },
        {
          type: 'citations_delta',
          citation: { type: 'web_search_result_location', url: 'u', title: 't', cited_text: 'c' },
        },
        { type: 'text_delta', text: 'Hi' },
      ),
      ...block(
        4,
        { type: 'tool_use', id: 't1', name: 'f', input: {} },
        { type: 'input_json_delta', partial_json: '' },
        { type: 'input_json_delta', partial_json: '{"a":1}' },
      ),
      ...block(5, { type: 'tool_use', id: 't2', name: 'g', input: {} }),
      { type: 'brand_new_event' },
      ...stop,
    );
    expect(events).toMatchObject([
      { type: 'start', id: 'msg_1', model: 'claude-x' },
      { type: 'usage', isPartial: true, usage: { input: 9, output: 0 } },
      { type: 'reasoning-start', block: 0 },
      { type: 'reasoning-delta', text: 'hm' },
      { type: 'reasoning-end', signature: 'sig', signer: 'anthropic-messages' },
      { type: 'reasoning-start', block: 1 },
      { type: 'reasoning-end', redacted: 'xyz', signer: 'anthropic-messages' },
      { type: 'usage', isPartial: true, usage: { input: 9, output: 0, webSearchCalls: 1 } },
      { type: 'other', extra: { fields: { type: 'server_tool_use', input: { query: 'q' } } } },
      { type: 'text-start', block: 3 },
      { type: 'annotation', citation: { url: 'u', title: 't', citedText: 'c' } },
      { type: 'text-delta', text: 'Hi' },
      { type: 'text-end' },
      { type: 'tool-input-start', id: 't1', name: 'f' },
      { type: 'tool-input-delta', text: '{"a":1}' },
      { type: 'tool-input-end' },
      { type: 'tool-input-start', id: 't2' },
      { type: 'tool-input-delta', text: '{}' },
      { type: 'tool-input-end' },
      { type: 'usage', usage: { input: 9, output: 4 } },
      { type: 'finish', reason: { unified: 'stop', raw: 'end_turn' } },
    ]);
  });

  test.each<[string, (JsonObject | string)[]]>([
    [
      'an error event',
      [start, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
    ],
    ['garbage', [start, '{"type":"content_block_']],
    ['an error without words', [start, { type: 'error' }]],
  ])('ends a broken answer with one error: %s', (_name, data) => {
    const events = read(...data, ...block(7, { type: 'text', text: 'late' }));
    expect(names(events)).toEqual(['start', 'usage', 'error']);
  });

  test('closes open blocks when the stream breaks off, and ignores what follows the end', () => {
    const torn = read(start, {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'text', text: 'a' },
    });
    expect(names(torn).slice(2)).toEqual(['text-start', 'text-delta', 'text-end']);
    const late = read(start, ...stop, ...block(0, { type: 'text', text: 'late' }));
    expect(names(late)).toEqual(['start', 'usage', 'usage', 'finish']);
  });

  test('ignores deltas of blocks that never began', () => {
    const events = read(
      start,
      { type: 'content_block_delta', index: 3, delta: { type: 'text_delta', text: 'x' } },
      { type: 'content_block_stop', index: 3 },
      ...stop,
    );
    expect(names(events)).toEqual(['start', 'usage', 'usage', 'finish']);
  });
});

describe('the writer', () => {
  test('writes blocks one after the other, in whatever order they were filled', () => {
    const written = write([
      { type: 'start', id: 'chatcmpl-1', model: 'gpt', createdSeconds: 1 },
      { type: 'tool-input-start', ...at, block: 0, id: 'a', name: 'f' },
      { type: 'tool-input-start', ...at, block: 1, id: '', name: 'g' },
      { type: 'tool-input-delta', ...at, block: 1, text: '{"y"' },
      { type: 'tool-input-delta', ...at, block: 0, text: '{}' },
      { type: 'tool-input-delta', ...at, block: 1, text: ':1}' },
      { type: 'tool-input-end', ...at, block: 0 },
      { type: 'tool-input-end', ...at, block: 1 },
      { type: 'finish', ...at, reason: { unified: 'stop', raw: 'stop' } },
      { type: 'usage', usage: usageOf({ input: 5, cacheRead: 3, output: 2, reasoning: 1 }) },
    ]);
    expect(written).toMatchObject([
      {
        type: 'message_start',
        message: { id: 'msg_chatcmpl-1', role: 'assistant', model: 'gpt', content: [] },
      },
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 'a', name: 'f', input: {} },
      },
      { type: 'content_block_delta', index: 0, delta: { partial_json: '{}' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { id: 'toolu_test-request_1', name: 'g' } },
      { type: 'content_block_delta', index: 1, delta: { partial_json: '{"y"' } },
      { type: 'content_block_delta', index: 1, delta: { partial_json: ':1}' } },
      { type: 'content_block_stop', index: 1 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'tool_use', stop_sequence: null },
        usage: {
          input_tokens: 5,
          cache_read_input_tokens: 3,
          output_tokens: 3,
          output_tokens_details: { thinking_tokens: 1 },
        },
      },
      { type: 'message_stop' },
    ]);
  });

  test('marks the signatures of other vendors, writes their pictures, and leaves out empty blocks and further choices', () => {
    const written = write([
      { type: 'reasoning-start', ...at, block: 0 },
      { type: 'reasoning-delta', ...at, block: 0, text: 'hm' },
      { type: 'reasoning-end', ...at, block: 0, signature: 'sig', signer: 'gemini' },
      { type: 'reasoning-start', ...at, block: 1 },
      { type: 'reasoning-end', ...at, block: 1 },
      { type: 'text-start', ...at, block: 2 },
      { type: 'file', ...at, source: { kind: 'data', mediaType: 'image/png', base64: 'QUJD' } },
      { type: 'text-end', ...at, block: 2 },
      { type: 'text-start', choice: 1, block: 3 },
      { type: 'text-delta', choice: 1, block: 3, text: 'second answer' },
    ]);
    const kinds = written.map(
      ({ type, content_block: content, delta }) => (content ?? delta ?? type) as JsonObject | string,
    );
    expect(kinds).toEqual([
      'message_start',
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: 'hm' },
      { type: 'signature_delta', signature: '~gemini~sig' },
      'content_block_stop',
      { type: 'text', text: '', citations: null },
      { type: 'text_delta', text: '![image](data:image/png;base64,QUJD)' },
      'content_block_stop',
      { stop_reason: 'end_turn', stop_sequence: null, stop_details: null, container: null },
      'message_stop',
    ]);
  });
});

describe('whole answers', () => {
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-x',
    content: [
      { type: 'thinking', thinking: 'hm', signature: 'sig' },
      { type: 'redacted_thinking', data: 'xyz' },
      {
        type: 'text',
        text: 'Hi',
        citations: [{ type: 'char_location', cited_text: 'c', document_title: 'd' }],
      },
      { type: 'tool_use', id: 't1', name: 'f', input: { a: [1] } },
      { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
    ],
    stop_reason: 'stop_sequence',
    stop_sequence: 'END',
    usage: {
      input_tokens: 3,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 2,
      output_tokens: 4,
      service_tier: 'standard',
    },
  };

  test('are written as they were read', () => {
    const events: ChatEvent[] = [];
    codec.readAnswer(message, (event) => void events.push(event));
    expect(codec.writeAnswer(events, writerOptions())).toMatchObject(message);
  });

  test('pass byte for byte, and report their usage', () => {
    const body = Buffer.from(JSON.stringify(message, null, 1));
    const pipe = () =>
      anthropicMessages.outbound.openPipe({
        kind: 'json',
        contentType: 'application/json',
        hideUsage: false,
        secrets: [],
        rewrite: undefined,
      });
    for (let cut = 0; cut < body.length; cut += 17) {
      const { passed, end } = feed(pipe(), [body.subarray(0, cut), body.subarray(cut)]);
      expect(Buffer.concat([passed, end.tail ?? Buffer.alloc(0)]).equals(body)).toBe(true);
      expect(end).toMatchObject({ outcome: 'complete', usage: { input: 3, cacheRead: 2, output: 4 } });
    }
  });

  test('pass incomplete input of a tool unchanged', () => {
    const events: ChatEvent[] = [
      { type: 'tool-input-start', ...at, block: 0, id: 'a', name: 'f' },
      { type: 'tool-input-delta', ...at, block: 0, text: '{"a":' },
      { type: 'tool-input-end', ...at, block: 0 },
    ];
    expect(codec.writeAnswer(events, writerOptions()).content).toEqual([
      {
        type: 'tool_use',
        id: 'a',
        name: 'f',
        input: { invalid_json: '{"a":' },
        caller: { type: 'direct' },
      },
    ]);
  });
});

describe('a passing stream', () => {
  const text = (data: JsonObject): string =>
    `event: ${String(data.type as string)}\ndata: ${JSON.stringify(data)}\n\n`;
  const open = () =>
    anthropicMessages.outbound.openPipe({
      kind: 'stream',
      contentType: 'text/event-stream',
      hideUsage: false,
      secrets: ['the-key'],
      rewrite: undefined,
    });
  const hello = block(
    0,
    { type: 'text', text: '' },
    { type: 'text_delta', text: 'Hello error "message_stop"' },
  );

  test('is whole with CRLF, comments, a byte order mark, and without event names', () => {
    const plain = [start, ...hello, ...stop].map(text).join('');
    const odd = `\uFEFF: hi\r\n\r\n${plain.replaceAll('\n', '\r\n')}`;
    const nameless = plain.replace(/event: .*\n/g, '');
    for (const body of [odd, nameless]) {
      const { passed, end } = feed(open(), [Buffer.from(body)]);
      expect(passed.toString() + end.tail!.toString()).toBe(body);
      expect(end).toMatchObject({ outcome: 'complete', usage: { input: 9, output: 4 } });
    }
  });

  test("ends with the vendor's own error, unless that repeats a secret", () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    const failed = feed(open(), [Buffer.from([start, ...hello, error].map(text).join(''))]);
    expect(failed.end).toMatchObject({
      outcome: 'error',
      error: { type: 'overloaded_error', message: 'Overloaded', blame: 'channel' },
      inputUsage: { input: 9 },
    });
    expect(failed.end.tail!.toString()).toBe(text(error));
    const leaking = { type: 'error', error: { type: 'api_error', message: 'bad key the-key' } };
    const { end } = feed(open(), [Buffer.from([start, leaking].map(text).join(''))]);
    expect(end.tail).toBeUndefined();
    expect(end.error!.message).not.toContain('the-key');
  });

  test('without its end is truncated; with a reason and without message_stop it is whole', () => {
    expect(feed(open(), [Buffer.from([start, ...hello].map(text).join(''))]).end.outcome).toBe('truncated');
    const stream = [start, ...hello, stop[0]!].map(text).join('');
    expect(feed(open(), [Buffer.from(stream)]).end.outcome).toBe('complete');
  });
});
