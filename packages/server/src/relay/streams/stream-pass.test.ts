import { usageOf } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import { buildChannel, buildRequest, feed, relayOptions } from '../../testing/protocols/build-relay.ts';
import { textOf } from '../../lib/json.ts';
import { bridge } from '../bridge.ts';
import { providerOf } from '../registry.ts';
import type { AnswerPipe } from '../types/index.ts';
import { StreamPass } from './stream-pass.ts';
import { pass } from './wire.ts';

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const word = (text: string): string => chunk({ content: text });
const usage = `data: {"id":"chatcmpl-1","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}\n\n`;
const done = 'data: [DONE]\n\n';

/** The pipe of a streamed chat through an OpenAI channel. */
function open(wantsUsage = true, key = 'test-channel-key'): AnswerPipe {
  const body = {
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
    stream: true,
    ...(wantsUsage && { stream_options: { include_usage: true } }),
  };
  const call = bridge(
    providerOf(1)!,
    buildChannel({ key }),
    buildRequest('openai-chat', body),
    'm',
    relayOptions,
  );
  return call.openPipe(200, 'text/event-stream');
}
const bytes = (...parts: string[]): Buffer[] => parts.map((part) => Buffer.from(part));

describe('a passing stream', () => {
  test('passes as it arrives; only the end marker waits for the settlement', () => {
    const pipe = open();
    expect(pipe.push(Buffer.from(word('Hel')))?.toString()).toBe(word('Hel'));
    expect(pipe.push(Buffer.from(word('lo') + done))?.toString()).toBe(word('lo'));
    const end = pipe.end(false);
    expect([end.outcome, end.tail?.toString(), end.usage]).toEqual(['complete', done, undefined]);
    expect(pipe.takeText()).toEqual({ output: 'Hello', reasoning: '', toolCalls: 0, omitted: 0 });
  });

  test('passes on whole events only, so that an error event can follow', () => {
    const pipe = open();
    const event = word('Hello');
    expect(pipe.push(Buffer.from(event.slice(0, 30)))).toBeUndefined();
    expect(pipe.push(Buffer.from(event.slice(30) + event.slice(0, 9)))?.toString()).toBe(event);
    expect(pipe.end(true)).toMatchObject({ outcome: 'truncated', tail: undefined });
  });

  test('drops a usage that the caller did not request, and passes a requested one', () => {
    const stream = bytes(word('a') + chunk({}, 'stop') + usage + done);
    const hidden = feed(open(false), stream);
    expect(hidden.passed.toString()).toBe(word('a') + chunk({}, 'stop'));
    expect(hidden.end.usage).toMatchObject({ input: 5, output: 2 });
    const shown = feed(open(true), stream);
    expect(shown.passed.toString()).toBe(word('a') + chunk({}, 'stop') + usage);
    expect(shown.end.usage).toEqual(hidden.end.usage);
  });

  test('does not end at the word [DONE] in a text', () => {
    const { passed, end } = feed(
      open(),
      bytes(word('data: [DONE]'), word('"error"'), word('prompt_tokens"'), done),
    );
    expect(passed.toString()).toBe(word('data: [DONE]') + word('"error"') + word('prompt_tokens"'));
    expect(end.outcome).toBe('complete');
  });

  test('without end marker is complete when it closes properly after a finish reason', () => {
    const closed = feed(open(), bytes(word('a'), chunk({}, 'stop')));
    expect(closed.end).toMatchObject({ outcome: 'complete', tail: undefined });
    expect(feed(open(), bytes(word('a'))).end.outcome).toBe('truncated');
    expect(feed(open(), bytes(word('a'), chunk({}, 'stop')), true).end.outcome).toBe('truncated');
    expect(feed(open(), bytes(word('a'), chunk({}, 'stop'), 'data: {"torn":')).end.outcome).toBe('truncated');
    expect(feed(open(), []).end.outcome).toBe('truncated');
  });

  test('remembers a finish reason after its text was taken', () => {
    const pipe = open();
    pipe.push(Buffer.from(chunk({ content: 'x' }, 'stop')));
    pipe.takeText();
    expect(pipe.end(false).outcome).toBe('complete');
  });

  test('counts an end marker without its blank line', () => {
    const { end, passed } = feed(open(), bytes(word('a'), 'data: [DONE]'));
    expect([passed.toString(), end.outcome, end.tail?.toString()]).toEqual([
      word('a'),
      'complete',
      'data: [DONE]',
    ]);
  });

  test('with a failure in mid-stream is never complete, in any form of failure', () => {
    const forms = [
      'data: {"error":{"message":"overloaded","type":"server_error","code":"x"}}\n\n',
      'event: error\ndata: {"error":{"message":"overloaded"}}\n\n',
      'event: error\ndata: {"message":"overloaded"}\n\n',
      'event: error\ndata: overloaded\n\n',
      'data: {"error":"overloaded"}\n\n',
      'data: {"id":"1","error":{"code":502,"message":"overloaded"},"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}\n\n',
    ];
    for (const form of forms) {
      const pipe = open();
      const { passed, end } = feed(pipe, bytes(word('a') + form, done));
      expect(pipe.failed).toBe(false);
      expect(passed.toString()).toBe(word('a'));
      expect(end).toMatchObject({ outcome: 'error', error: { blame: 'channel', status: 502 } });
      expect(end.error?.message).toContain('overloaded');
      expect(end.tail?.toString()).toBe(form + done);
    }
  });

  test('does not pass on an error event that repeats the key of the channel', () => {
    const key = 'wonderful-secret-value';
    const form = `data: {"error":{"message":"the key ${key} is bad"}}\n\n`;
    const { end } = feed(open(true, key), bytes(form));
    expect(end.tail).toBeUndefined();
    expect(end.error?.original).toBeUndefined();
    expect(end.error?.message).toBe('the key [hidden] is bad');
  });

  test('has its usage found in an error event and in the chunk of the finish reason', () => {
    const counts = '"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}';
    const failed = feed(open(), bytes(`data: {"error":{"message":"x"},"choices":[],${counts}}\n\n`));
    expect(failed.end.usage).toMatchObject({ input: 9, output: 1 });
    const groq = feed(
      open(false),
      bytes(
        `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"x_groq":{${counts}}}\n\n`,
        done,
      ),
    );
    expect(groq.end.usage).toMatchObject({ input: 9, output: 1 });
    expect(groq.passed.length).toBeGreaterThan(0);
  });

  test('with an endless event stops the reading, in bounded memory', () => {
    const pipe = open();
    const piece = Buffer.alloc(1024 * 1024, 'x');
    pipe.push(Buffer.from('data: "'));
    for (let index = 0; index < 40 && !pipe.failed; index += 1) expect(pipe.push(piece)).toBeUndefined();
    expect(pipe.failed).toBe(true);
    expect(pipe.end(false)).toMatchObject({
      outcome: 'error',
      tail: undefined,
      error: { code: 'bad_response_body' },
    });
  });

  test('keeps bytes after the end marker within bounds and never sends them as text', () => {
    const pipe = open();
    pipe.push(Buffer.from(word('a') + done));
    for (let index = 0; index < 100; index += 1)
      expect(pipe.push(Buffer.from(word('late').repeat(100)))).toBeUndefined();
    const { outcome, tail } = pipe.end(false);
    expect(outcome).toBe('complete');
    expect(tail!.length).toBeLessThanOrEqual(64 * 1024 + done.length);
    expect(tail!.toString().startsWith(done)).toBe(true);
  });
});

describe('the text of a passing stream', () => {
  const taken = (...parts: string[]) => feed(open(), bytes(...parts)).text;

  test('is what the caller could read, in any shape of events', () => {
    const mixed = [
      chunk({ role: 'assistant', content: '' }),
      word('The'),
      word(' quick'),
      word(' brown'),
      word(' \u00e9\u4f60\ud83d\ude00'),
      word('"q\\'),
      word('\n'),
      word('u'),
      chunk({ reasoning_content: 'because' }),
      chunk({ reasoning_content: ' I' }),
      chunk({ reasoning_content: ' think' }),
      word(' fox'),
      chunk({
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: '?' }] },
          { type: 'text', text: '!' },
        ],
      }),
      chunk({ tool_calls: [{ index: 0, id: 'call_1', function: { name: 'go', arguments: '' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] }),
      chunk({ refusal: 'no' }),
    ];
    const { output, reasoning, toolCalls } = taken(...mixed);
    expect(output).toBe('The quick brown \u00e9\u4f60\ud83d\ude00"q\\\nu fox!go{}no');
    expect(reasoning).toBe('because I think?');
    expect(toolCalls).toBe(1);
  });

  test('is read correctly where events look alike', () => {
    const two = (a: string, b: string): string =>
      `data: ${JSON.stringify({
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        system_fingerprint: 'fp',
        choices: [
          { index: 0, delta: { content: a } },
          { index: 1, delta: { content: b } },
        ],
      })}\n\n`;
    expect(taken(word('alpha'), word('beta'), two('gam', 'ma'), word('delta')).output).toBe(
      'alphabetagammadelta',
    );
    expect(taken(word('content'), word('chatcmpl'), word('index'), word('content')).output).toBe(
      'contentchatcmplindexcontent',
    );
  });

  test('is given out once', () => {
    const pipe = open();
    pipe.push(Buffer.from(word('one')));
    expect(pipe.takeText().output).toBe('one');
    pipe.push(Buffer.from(word('two')));
    expect(pipe.takeText().output).toBe('two');
    expect(pipe.takeText().output).toBe('');
  });

  test('is not read where the usage has all counts', () => {
    const read: string[] = [];
    const pipe = new StreamPass('text/event-stream', {
      wire: {
        markers: [Buffer.from('END')],
        examine: (event) => (event.text() === 'END' ? { kind: 'end', raw: {} } : pass),
        isContent: () => true,
        readText: ({ text }, sink) => {
          read.push(textOf(text));
          sink.output(textOf(text));
        },
      },
      hideUsage: false,
      readUsage: () => usageOf({ input: 1, output: 2 }),
      secrets: [],
    });
    const words = 'data: {"text":"word"}\n\n'.repeat(1_000);
    pipe.push(Buffer.from(words));
    pipe.push(Buffer.from(`${words}data: END\n\n`));
    expect(pipe.end(false)).toMatchObject({ outcome: 'complete', usage: { input: 1, output: 2 } });
    expect(read).toEqual([]);
    expect(pipe.takeText().output).toBe('word'.repeat(2_000));
    expect(read).not.toEqual([]);
  });

  test('stays within bounds in an endless stream, and reports how much was left out', () => {
    const pipe = open();
    const run = Buffer.from(word('abcdefgh').repeat(1_000));
    for (let index = 0; index < 400; index += 1) pipe.push(run);
    const { output, omitted } = pipe.takeText();
    expect(output.length).toBeLessThan(1024 * 1024 + 100);
    expect(output.length + omitted).toBe(400 * 1_000 * 8);
  });
});

test('is searched a bounded number of times for events after an apparent end', () => {
  let asked = 0;
  const stream = new StreamPass('text/event-stream', {
    wire: {
      markers: [Buffer.from('end')],
      examine: () => ({ kind: 'end' }),
      isContent: () => true,
      continuesAnswer: (event) => {
        asked += 1;
        return event.data()?.toString() === 'more end';
      },
    },
    hideUsage: false,
    readUsage: () => undefined,
    secrets: [],
  });
  const count = 1_000;
  const read = 'data: end\n\n'.repeat(count) + 'data: more end\n\n';
  expect(stream.push(Buffer.from(read))?.toString()).toBe('data: end\n\n'.repeat(count));
  expect(stream.push(Buffer.from(read))?.toString()).toBe(
    'data: more end\n\n' + 'data: end\n\n'.repeat(count),
  );
  expect(stream.end(false)).toMatchObject({ outcome: 'complete', tail: Buffer.from('data: more end\n\n') });
  expect(asked).toBeLessThan(10 * count);
});
