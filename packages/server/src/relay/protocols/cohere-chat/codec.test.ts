import { outputTokens } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import {
  cuts,
  readAnswer,
  readStream,
  contentOf,
  unbalanced,
} from '../../../testing/protocols/codec-bench.ts';
import type { ChatEvent } from '../../types/index.ts';
import { type JsonObject, textOf } from '../../../lib/json.ts';
import { cohereChat } from './index.ts';
import { readCohereUsage } from './read.ts';

const { codec } = cohereChat;
const usage = {
  billed_units: { input_tokens: 7, output_tokens: 5 },
  tokens: { input_tokens: 90, output_tokens: 8 },
};

const event = (data: JsonObject, name = textOf(data.type)): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const start = event({ type: 'message-start', id: 'a1', delta: { message: { role: 'assistant' } } });
const text = (words: string, more: JsonObject = {}): string =>
  event({ type: 'content-delta', index: 0, delta: { message: { content: { text: words } } }, ...more });
const end = (reason: string, more: JsonObject = {}): string =>
  event({ type: 'message-end', delta: { finish_reason: reason, usage, ...more } }) + 'data: [DONE]\n\n';
const read = (stream: string): ChatEvent[] => readStream(codec, [Buffer.from(stream)]);

describe('an answer of Cohere', () => {
  test('is read as a whole: thoughts, plan, text, calls, sources, usage', () => {
    const events = readAnswer(codec, {
      id: 'a1',
      finish_reason: 'TOOL_CALL',
      message: {
        role: 'assistant',
        tool_plan: 'I will look.',
        content: [
          { type: 'thinking', thinking: 'Hm. ' },
          { type: 'text', text: 'Wait.' },
        ],
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } },
          { id: 'c2', type: 'function', function: { name: 'clock', arguments: '' } },
        ],
      },
      usage,
    });
    expect(unbalanced(events)).toEqual([]);
    expect(contentOf(events)).toMatchObject({
      reasoning: 'I will look.Hm. ',
      text: 'Wait.',
      input: '{"city":"Paris"}{}',
      tools: [
        ['c1', 'weather'],
        ['c2', 'clock'],
      ],
      usage: { usage: { input: 7, output: 5 } },
      finish: { reason: { unified: 'tool-calls', raw: 'TOOL_CALL' } },
    });
  });

  test('has its finish reason', () => {
    const reasons = ['COMPLETE', 'STOP_SEQUENCE', 'MAX_TOKENS', 'NEW_REASON'].map((reason) => {
      const { finish } = contentOf(read(start + text('Hi') + end(reason)));
      return finish?.type === 'finish' ? finish.reason.unified : undefined;
    });
    expect(reasons).toEqual(['stop', 'stop', 'length', 'other']);
  });

  test('has its sources as annotations, with positions in UTF-16 units', () => {
    const citation = {
      start: 6,
      end: 11,
      text: 'world',
      content_index: 1,
      type: 'TEXT_CONTENT',
      sources: [
        {
          type: 'document',
          id: 'd1',
          document: { url: 'https://a.test', title: 'A', snippet: 'of the world' },
        },
        { type: 'tool', id: 'c1:0', tool_output: { content: 'x' } },
      ],
    };
    const body = {
      finish_reason: 'COMPLETE',
      message: {
        content: [
          { type: 'text', text: '💥 ' },
          { type: 'text', text: '👋llo, world' },
        ],
        citations: [citation, { ...citation, type: 'PLAN' }],
      },
      usage,
    };
    const { citations, text: words } = contentOf(readAnswer(codec, body));
    expect(citations).toEqual([
      { url: 'https://a.test', title: 'A', citedText: 'of the world', start: 10, end: 15 },
      { title: 'c1:0', start: 10, end: 15 },
    ]);
    expect(words.slice(10, 15)).toBe('world');
    const streamed = read(
      start +
        text('Hello world') +
        event({
          type: 'citation-start',
          index: 0,
          delta: { message: { citations: { ...citation, content_index: 0 } } },
        }) +
        end('COMPLETE'),
    );
    expect(contentOf(streamed).citations).toMatchObject([{ start: 6, end: 11, url: 'https://a.test' }, {}]);
  });

  test('has its log probabilities in the neutral form', () => {
    const logprobs = { text: 'Hi', token_ids: [1, 2], logprobs: [-0.5, -0.25] };
    const content = [{ token: 'Hi', logprob: -0.75, bytes: null, top_logprobs: [] }];
    const streamed = read(start + text('Hi', { logprobs }) + end('COMPLETE'));
    expect(streamed.find(({ type }) => type === 'text-delta')).toMatchObject({ logprobs: { content } });
    const whole = readAnswer(codec, {
      finish_reason: 'COMPLETE',
      message: { content: [{ type: 'text', text: 'Hi' }] },
      logprobs: [logprobs],
    });
    expect(whole.find(({ type }) => type === 'text-delta')).toMatchObject({ logprobs: { content } });
  });
});

describe('tools whose arguments arrive interleaved', () => {
  const call = (type: string, index: number, more: JsonObject = {}): string =>
    event({ type, index, delta: { message: { tool_calls: more } } });
  const piece = (index: number, words: string): string =>
    call('tool-call-delta', index, { function: { arguments: words } });
  const stream =
    start +
    event({ type: 'tool-plan-delta', delta: { message: { tool_plan: 'Both.' } } }) +
    call('tool-call-start', 0, { id: 'c1', type: 'function', function: { name: 'one', arguments: '' } }) +
    call('tool-call-start', 1, { id: 'c2', type: 'function', function: { name: 'two', arguments: '{' } }) +
    piece(0, '{"a":') +
    piece(1, '"b":2}') +
    piece(0, '1}') +
    call('tool-call-end', 1) +
    call('tool-call-end', 0) +
    end('TOOL_CALL');

  test('are assembled, cut at every byte', () => {
    const events = read(stream);
    expect(unbalanced(events)).toEqual([]);
    const inputOf = (id: string): string => {
      const begun = events.find((each) => each.type === 'tool-input-start' && each.id === id);
      return events
        .map((each) =>
          each.type === 'tool-input-delta' && begun && 'block' in begun && each.block === begun.block
            ? each.text
            : '',
        )
        .join('');
    };
    expect([inputOf('c1'), inputOf('c2')]).toEqual(['{"a":1}', '{"b":2}']);
    const body = Buffer.from(stream);
    expect(readStream(codec, cuts(body, 1))).toEqual(events);
    for (let at = 1; at < body.length; at += 1) {
      expect(readStream(codec, [body.subarray(0, at), body.subarray(at)])).toEqual(events);
    }
  });
});

describe('a broken stream of Cohere', () => {
  const failing: [name: string, stream: string, message: RegExp][] = [
    ['ends with an error', start + text('Hi') + end('ERROR', { error: 'no capacity' }), /no capacity/],
    ['ran out of time', start + text('Hi') + end('TIMEOUT'), /TIMEOUT/],
    ['sends an error event', start + event({ message: 'internal error' }, 'error'), /internal error/],
    ['sends garbage', start + 'data: {"type":\n\n', /not valid JSON/],
  ];
  test.each(failing)('%s: is a failure of the channel, and balanced', (_name, stream, message) => {
    const events = read(stream);
    const last = events.at(-1)!;
    expect(last.type === 'error' && last.error.blame).toBe('channel');
    expect(last.type === 'error' && last.error.message).toMatch(message);
    expect(unbalanced(events)).toEqual([]);
    expect(events.some(({ type }) => type === 'finish')).toBe(false);
  });

  test('reports the usage before it failed', () => {
    const reported = contentOf(read(start + text('Hi') + end('ERROR'))).usage;
    expect(reported?.type === 'usage' && outputTokens(reported.usage)).toBe(5);
  });

  test('survives CRLF, comments, a BOM and unknown events, and begins without its first event', () => {
    const stream = `\ufeff: hello\n\n${event({ type: 'debug', prompt: 'x' })}${text('Hi')}${end('COMPLETE')}`;
    const events = read(stream.replaceAll('\n', '\r\n'));
    expect(events.map(({ type }) => type)).toEqual([
      'start',
      'text-start',
      'text-delta',
      'text-end',
      'usage',
      'finish',
    ]);
  });
});

describe('usage of Cohere', () => {
  const counters = (raw: JsonObject) => {
    const read = readCohereUsage(raw)!;
    return [read.cacheRead, read.imageInput, read.input, read.reasoning, read.output];
  };

  test('is what is billed; of the cache only what is part of the bill', () => {
    const tokens = { input_tokens: 1_645, output_tokens: 33 };
    const billed = { input_tokens: 135, output_tokens: 21 };
    expect(counters({ billed_units: billed, tokens, cached_tokens: 1_600 })).toEqual([90, 0, 45, 0, 21]);
    expect(counters({ billed_units: billed, tokens, cached_tokens: 1_000 })).toEqual([0, 0, 135, 0, 21]);
    expect(counters({ billed_units: billed, tokens, cached_tokens: 99_999 })).toEqual([135, 0, 0, 0, 21]);
  });

  test('includes pictures in the input, and thoughts in the output', () => {
    const tokens = { input_tokens: 34, output_tokens: 99, image_tokens: 259, reasoning_tokens: 29 };
    const billed = { input_tokens: 267, output_tokens: 66 };
    expect(counters({ billed_units: billed, tokens, cached_tokens: 0 })).toEqual([0, 259, 8, 29, 37]);
  });

  test('is the processed tokens where no bill is reported, and none where neither is', () => {
    expect(counters({ tokens: { input_tokens: 9, output_tokens: 2 }, cached_tokens: 4 })).toEqual([
      4, 0, 5, 0, 2,
    ]);
    expect(
      readCohereUsage({ billed_units: {}, tokens: { input_tokens: -4, output_tokens: null } }),
    ).toBeUndefined();
  });
});
