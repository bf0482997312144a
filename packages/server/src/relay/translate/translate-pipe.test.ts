import { describe, expect, test } from 'vitest';
import {
  buildChannel,
  buildRequest,
  feed,
  relayOptions,
  writerOptions,
} from '../../testing/protocols/build-relay.ts';
import type { ChatEvent, ChannelSetting } from '../types/index.ts';
import { haveRecordings, recordedStreams } from '../../testing/protocols/recordings.ts';
import { bridge } from '../bridge.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { openaiChat } from '../protocols/openai-chat/index.ts';
import { providerOf } from '../registry.ts';

function open(
  stream: boolean,
  contentType: string,
  setting: Partial<ChannelSetting> = {},
  wantsUsage = false,
) {
  const body: JsonObject = {
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
    stream,
    ...(wantsUsage && { stream_options: { include_usage: true } }),
  };
  const call = bridge(
    providerOf(1)!,
    buildChannel({ setting }),
    buildRequest('openai-chat', body),
    'm',
    relayOptions,
  );
  return call.openPipe(200, contentType);
}
const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c1', created: 7, model: 'm', vendor: 1, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const counts = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
const done = 'data: [DONE]\n\n';
/** The text that a client of the stream displays. */
const shownText = (stream: string): string =>
  stream
    .split('\n\n')
    .filter((line) => line.startsWith('data: {'))
    .map(
      (line) =>
        (JSON.parse(line.slice(6)) as { choices: { delta: { content?: string } }[] }).choices[0]?.delta
          .content ?? '',
    )
    .join('');

describe('thinking_to_content', () => {
  const setting = { thinkingToContent: true };
  test('shows thoughts as text, in a stream', () => {
    const stream =
      chunk({ reasoning_content: 'why' }) +
      chunk({ reasoning_content: ' not' }) +
      chunk({ content: 'Yes' }) +
      chunk({}, 'stop') +
      done;
    const { passed, end, text } = feed(open(true, 'text/event-stream', setting), [Buffer.from(stream)]);
    expect(shownText(passed.toString())).toBe('<think>\nwhy not\n</think>\nYes');
    expect([end.outcome, end.tail?.toString()]).toEqual(['complete', done]);
    // The charge covers the model's text, without the gateway's tags.
    expect(text).toMatchObject({ output: 'Yes', reasoning: 'why not' });
  });

  test('closes the tag also when no text follows', () => {
    const stream =
      chunk({ reasoning: 'why' }) +
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }] }) +
      chunk({}, 'tool_calls') +
      done;
    const { passed } = feed(open(true, 'text/event-stream', setting), [Buffer.from(stream)]);
    expect(shownText(passed.toString())).toBe('<think>\nwhy\n</think>\n');
  });

  test('and in a whole answer', () => {
    const body = {
      id: 'c1',
      created: 7,
      model: 'm',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Yes', reasoning_content: 'why' },
          finish_reason: 'stop',
        },
      ],
      usage: counts,
    };
    const { end } = feed(open(false, 'application/json', setting), [Buffer.from(JSON.stringify(body))]);
    const answer = JSON.parse(end.tail!.toString()) as { choices: { message: JsonObject }[] };
    expect(answer.choices[0]!.message).toMatchObject({
      role: 'assistant',
      content: '<think>\nwhy\n</think>\nYes',
    });
    expect(end.usage?.input).toBe(5);
  });
});

describe('force_format', () => {
  const setting = { forceFormat: true };
  test('drops what OpenAI does not have, and shows usage only when requested', () => {
    const stream =
      chunk({ content: 'Hi', vendor_field: 1 }) +
      chunk({}, 'eos') +
      `data: ${JSON.stringify({ choices: [], usage: counts })}\n\n${done}`;
    const hidden = feed(open(true, 'text/event-stream', setting), [Buffer.from(stream)]);
    const shown = feed(open(true, 'text/event-stream', setting, true), [Buffer.from(stream)]);
    expect(hidden.passed.toString()).not.toContain('vendor');
    expect(hidden.passed.toString()).toContain('"finish_reason":"stop"');
    expect(hidden.end.tail?.toString()).toBe(done);
    expect(shown.end.tail?.toString()).toContain('"prompt_tokens":5');
    expect([hidden.end.usage?.input, shown.end.usage?.input]).toEqual([5, 5]);
  });

  test('the text of an endless stream is kept within its bound, and the rest counted', () => {
    const pipe = open(true, 'text/event-stream', setting);
    const run = Buffer.from(chunk({ content: 'abcdefgh' }).repeat(1_000));
    for (let index = 0; index < 150; index += 1) pipe.push(run);
    const { output, omitted } = pipe.takeText();
    expect(output.length).toBeLessThan(1024 * 1024 + 100);
    expect(output.length + omitted).toBe(150 * 1_000 * 8);
  });

  test('a broken or failing stream is no answer', () => {
    expect(
      feed(open(true, 'text/event-stream', setting), [Buffer.from(chunk({ content: 'Hi' }))], true).end,
    ).toMatchObject({ outcome: 'truncated', tail: undefined });
    expect(
      feed(open(true, 'text/event-stream', setting), [Buffer.from(chunk({ content: 'Hi' }))]).end.outcome,
    ).toBe('truncated');
    const failed = feed(open(true, 'text/event-stream', setting), [
      Buffer.from(chunk({ content: 'Hi' }) + 'data: {"error":{"message":"no"}}\n\n'),
    ]);
    expect(failed.end).toMatchObject({ outcome: 'error', error: { message: 'no', blame: 'channel' } });
    for (const body of ['<html>', '{"torn', '{}', '{"error":{"message":"no"}}']) {
      expect(feed(open(false, 'application/json', setting), [Buffer.from(body)]).end).toMatchObject({
        outcome: 'error',
        tail: undefined,
      });
    }
  });
});

describe('an upstream that answers in another form than requested', () => {
  const body = {
    id: 'c1',
    created: 7,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Yes' }, finish_reason: 'stop' }],
    usage: counts,
  };

  test('with one object instead of a stream still gives a stream', () => {
    const pipe = open(true, 'application/json');
    const { passed, end } = feed(pipe, [Buffer.from(JSON.stringify(body))]);
    expect(passed.length).toBe(0);
    expect(shownText(end.tail!.toString())).toBe('Yes');
    expect(end.tail!.toString().endsWith(done)).toBe(true);
    expect([pipe.contentType, end.outcome, end.usage?.input]).toEqual(['text/event-stream', 'complete', 5]);
  });

  test('with a stream instead of one object still gives an object', () => {
    const pipe = open(false, 'text/event-stream');
    const { end } = feed(pipe, [
      Buffer.from(chunk({ content: 'Y' }) + chunk({ content: 'es' }, 'stop') + done),
    ]);
    expect(JSON.parse(end.tail!.toString())).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { content: 'Yes' }, finish_reason: 'stop' }],
    });
    expect([pipe.contentType, end.outcome]).toEqual(['application/json', 'complete']);
  });

  test('is recognised without a Content-Type', () => {
    const pipe = open(true, '');
    expect(
      feed(pipe, [Buffer.from(': hello\n\n'), Buffer.from(chunk({ content: 'Yes' }, 'stop') + done)]).end
        .outcome,
    ).toBe('complete');
    expect(pipe.contentType).toBe('text/event-stream');
  });
});

/**
 * Perplexity names sources for the whole answer, while annotations have positions in the text: only the source is the
 * same.
 */
const withoutPlace = (event: ChatEvent): unknown =>
  event.type === 'annotation' ? [event.citation.url, event.citation.title] : event;

describe.skipIf(!haveRecordings)('recorded streams written anew (skipped without the recordings)', () => {
  const recordings = haveRecordings ? recordedStreams('openai-chat') : [];

  test.each(recordings.map((recording) => [recording.file, recording] as const))(
    '%s reads the same',
    (_file, recording) => {
      const request = isObject(recording.request) ? recording.request : {};
      const body = { ...request, stream: true, stream_options: { include_usage: true } };
      const make = (setting: Partial<ChannelSetting>) =>
        bridge(
          providerOf(1)!,
          buildChannel({ setting }),
          buildRequest('openai-chat', body),
          'm',
          relayOptions,
        ).openPipe(200, recording.contentType);
      const passing = feed(make({}), [recording.body]);
      const anew = feed(make({ forceFormat: true }), [recording.body]);
      const before = (bytes: Buffer): Buffer[] => [
        bytes.subarray(0, Math.max(0, bytes.lastIndexOf('data: [DONE]'))),
      ];
      const hasEnd = recording.body.includes('data: [DONE]');
      const { text } = feed(make({}), hasEnd ? before(recording.body) : [recording.body], true);
      expect(anew.end.outcome).toBe(passing.end.outcome);
      expect(anew.text).toEqual(text);
      const written = Buffer.concat([anew.passed, anew.end.tail ?? Buffer.alloc(0)]);
      const again = feed(make({}), [written]);
      const writtenText = feed(
        make({}),
        written.includes('data: [DONE]') ? before(written) : [written],
        true,
      ).text;
      expect(writtenText).toEqual(text);
      const complete = passing.end.outcome === 'complete';
      // The usage of a chat has no field for searches, and none for dollars that every vendor uses.
      const usageOf = ({ end }: typeof passing) =>
        complete && end.usage && { ...end.usage, webSearchCalls: 0, reportedCost: undefined };
      expect(usageOf(again)).toEqual(usageOf(passing));
    },
  );

  test('translated and read again, the events are the same', () => {
    for (const recording of recordings) {
      const events = (bytes: Buffer): unknown[] => {
        const reader = openaiChat.codec!.openReader();
        const seen: unknown[] = [];
        for (const part of bytes.toString().split(/\r?\n\r?\n/)) {
          const data = /^data: (.*)$/m.exec(part)?.[1];
          if (data !== undefined) reader.read({ name: '', data }, (event) => seen.push(event));
        }
        reader.end((event) => seen.push(event));
        return seen;
      };
      const first = events(recording.body) as Parameters<
        ReturnType<NonNullable<typeof openaiChat.codec>['openWriter']>['write']
      >[0][];
      const writer = openaiChat.codec!.openWriter(writerOptions());
      const text = first.map((event) => writer.write(event)).join('') + writer.end();
      // An answer without an id gets one from the gateway, so only ids of vendors are compared.
      const isNamed = first[0]?.type !== 'start' || first[0].id !== '';
      // The gateway adds the end to an answer without a reason of the vendor, so such ends are not compared.
      const isReasoned = first.some((each) => each.type === 'finish' && each.reason.raw !== '');
      const plain = (list: unknown[]) =>
        (list as ChatEvent[])
          .filter(({ type }) => type !== 'usage' && type !== 'error' && (isNamed || type !== 'start'))
          .filter(({ type }) => isReasoned || type !== 'finish')
          .map(withoutPlace);
      expect(plain(events(Buffer.from(text)))).toEqual(plain(first));
    }
  });
});
