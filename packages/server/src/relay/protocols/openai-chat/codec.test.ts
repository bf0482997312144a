import { describe, expect, test } from 'vitest';
import { writerOptions } from '../../../testing/protocols/build-relay.ts';
import type { ChatEvent } from '../../types/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { openaiChat } from './index.ts';

const codec = openaiChat.codec!;
const chunk = (delta: object, finish: string | null = null, index = 0): string =>
  JSON.stringify({ id: 'c1', created: 7, model: 'm', choices: [{ index, delta, finish_reason: finish }] });

function read(...data: string[]): ChatEvent[] {
  const reader = codec.openReader();
  const events: ChatEvent[] = [];
  for (const text of data) reader.read({ name: '', data: text }, (event) => events.push(event));
  reader.end((event) => events.push(event));
  return events;
}
const brief = (events: ChatEvent[]): string[] =>
  events.map((event) => {
    if ('text' in event) return `${event.type} ${event.block} ${event.text}`;
    if ('block' in event) return `${event.type} ${event.block}`;
    return event.type;
  });
const answerOf = (body: JsonObject): ChatEvent[] => {
  const events: ChatEvent[] = [];
  codec.readAnswer(body, (event) => events.push(event));
  return events;
};

/** Deltas and ends without a start, and starts without an end; empty for a balanced list. */
function unbalanced(events: ChatEvent[]): string[] {
  const open = new Set<number>();
  const wrong: string[] = [];
  for (const event of events) {
    if (!('block' in event)) continue;
    if (event.type.endsWith('-start')) open.add(event.block);
    else if (!open.has(event.block)) wrong.push(event.type);
    if (event.type.endsWith('-end')) open.delete(event.block);
  }
  return [...wrong, ...[...open].map((block) => `open ${block}`)];
}

describe('the reader', () => {
  test('separates thoughts, text and tools, balanced', () => {
    const events = read(
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning_content: 'hm' }),
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo' }),
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '' } }] }),
      chunk({ tool_calls: [{ index: 1, id: 'b', function: { name: 'g', arguments: '{"x"' } }] }),
      chunk({
        tool_calls: [
          { index: 0, function: { arguments: '{}' } },
          { index: 1, function: { arguments: ':1}' } },
        ],
      }),
      chunk({}, 'tool_calls'),
      '[DONE]',
    );
    expect(brief(events)).toEqual([
      'start',
      'reasoning-start 0',
      'reasoning-delta 0 hm',
      'reasoning-end 0',
      'text-start 1',
      'text-delta 1 Hel',
      'text-delta 1 lo',
      'text-end 1',
      'tool-input-start 2',
      'tool-input-start 3',
      'tool-input-delta 3 {"x"',
      'tool-input-delta 2 {}',
      'tool-input-delta 3 :1}',
      'tool-input-end 2',
      'tool-input-end 3',
      'finish',
    ]);
    expect(unbalanced(events)).toEqual([]);
  });

  test('separates tools by their ids where every one has the index 0, and where none has an index', () => {
    const same = read(
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }] }),
      chunk({ tool_calls: [{ index: 0, id: 'b', function: { name: 'g', arguments: '{}' } }] }),
    );
    expect(same.filter(({ type }) => type === 'tool-input-start')).toHaveLength(2);
    expect(unbalanced(same)).toEqual([]);
    const none = read(
      chunk({
        tool_calls: [
          { id: 'a', function: { name: 'f', arguments: {} } },
          { id: 'b', function: { name: 'g' } },
        ],
      }),
    );
    expect(none.filter(({ type }) => type === 'tool-input-start')).toHaveLength(2);
    expect(unbalanced(none)).toEqual([]);
  });

  test('separates several choices', () => {
    const events = read(
      chunk({ content: 'a' }, null, 0),
      chunk({ content: 'b' }, null, 1),
      chunk({ content: 'c' }, 'stop', 0),
      chunk({}, 'length', 1),
    );
    expect(unbalanced(events)).toEqual([]);
    expect(
      events.filter((event) => event.type === 'finish').map((event) => [event.choice, event.reason]),
    ).toEqual([
      [0, { unified: 'stop', raw: 'stop' }],
      [1, { unified: 'length', raw: 'length' }],
    ]);
  });

  test('closes what is open before an error, and emits nothing after it', () => {
    for (const bad of ['{"error":{"message":"no"}}', '{"torn', '[1]']) {
      const events = read(chunk({ content: 'a' }), bad, chunk({ content: 'b' }));
      expect(brief(events)).toEqual(['start', 'text-start 0', 'text-delta 0 a', 'text-end 0', 'error']);
    }
  });

  test('closes what is open when the stream breaks off', () => {
    const events = read(
      chunk({ content: 'a' }),
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f' } }] }),
    );
    expect(unbalanced(events)).toEqual([]);
  });
});

describe('the writer', () => {
  const write = (events: ChatEvent[], showUsage = true): string => {
    const writer = codec.openWriter(writerOptions(showUsage));
    return events.map((event) => writer.write(event)).join('') + writer.end();
  };

  test('writes what the reader read', () => {
    const first = read(
      chunk({ role: 'assistant', content: '', reasoning: 'hm' }),
      chunk({ content: 'Hello' }),
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }] }),
      chunk({ refusal: 'no', annotations: [{ type: 'url_citation', url_citation: { url: 'u' } }] }),
      chunk({}, 'tool_calls'),
      JSON.stringify({
        choices: [],
        usage: {
          prompt_tokens: 9,
          completion_tokens: 3,
          total_tokens: 12,
          prompt_tokens_details: { cached_tokens: 4 },
        },
      }),
      '[DONE]',
    );
    const text = write(first);
    const again = read(
      ...text
        .split('\n\n')
        .filter((line) => line !== '')
        .map((line) => line.slice(6)),
    );
    expect(again).toEqual(first);
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  test('leaves out the usage when it was not requested', () => {
    const events = read(JSON.stringify({ choices: [], usage: { prompt_tokens: 9 } }));
    expect(write(events, false)).toBe('data: [DONE]\n\n');
    expect(write(events, true)).toContain('"prompt_tokens":9');
  });
});

describe('whole answers', () => {
  test('are written as they were read, in the strict form', () => {
    const message = {
      role: 'assistant',
      content: 'Hello',
      refusal: null,
      reasoning_content: 'hm',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
      annotations: [{ type: 'url_citation', url_citation: { url: 'u' } }],
      audio: { id: 'au', data: 'QUJD', transcript: 'abc', expires_at: 5 },
    };
    const body: JsonObject = {
      object: 'chat.completion',
      id: 'c1',
      created: 7,
      model: 'm',
      choices: [
        { index: 0, message, logprobs: null, finish_reason: 'tool_calls' },
        {
          index: 1,
          message: { role: 'assistant', content: null, refusal: 'no' },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 9,
        completion_tokens: 3,
        total_tokens: 12,
        prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 1, audio_tokens: 0 },
      },
    };
    expect(codec.writeAnswer(answerOf({ ...body, vendor_extra: { a: 1 } }), writerOptions())).toEqual(body);
  });

  test('join what streams send in parts', () => {
    const events = read(
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo' }),
      chunk({ audio: { id: 'au', data: 'QUJD', transcript: 'a' } }),
      chunk({ audio: { data: 'REVG', transcript: 'b', expires_at: 5 } }),
      chunk({ images: [{ type: 'image_url', image_url: { url: 'data:x' } }] }),
      chunk({}, 'stop'),
    );
    expect(codec.writeAnswer(events, writerOptions())).toMatchObject({
      choices: [
        {
          message: {
            content: 'Hello',
            audio: { id: 'au', data: 'QUJDREVG', transcript: 'ab', expires_at: 5 },
            images: [{ type: 'image_url', image_url: { url: 'data:x' } }],
          },
          finish_reason: 'stop',
        },
      ],
    });
  });
});
