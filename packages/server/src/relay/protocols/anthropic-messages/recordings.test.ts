import { inputTokens, outputTokens } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import { feed, writerOptions } from '../../../testing/protocols/build-relay.ts';
import { cuts, dataOf } from '../../../testing/protocols/codec-bench.ts';
import {
  haveRecordings,
  type Recording,
  wholeStreams,
  recordedUsage,
} from '../../../testing/protocols/recordings.ts';
import type { ChatEvent, AnswerPipe } from '../../types/index.ts';
import { type JsonObject, textOf } from '../../../lib/json.ts';
import { SseScanner } from '../../../lib/sse/index.ts';
import { anthropicMessages } from './index.ts';
import { readAnthropicUsage } from './usage.ts';

const recordings = wholeStreams('anthropic-messages');
const named = recordings.map((recording) => [recording.file, recording] as const);

const open = ({ contentType }: Recording): AnswerPipe =>
  anthropicMessages.outbound.openPipe({
    kind: 'stream',
    contentType,
    hideUsage: false,
    secrets: [],
    rewrite: undefined,
  });

/** Totals that the vendor reported: those of the first event, replaced by those of the last one. */
function reportedTotals(body: Buffer): { input: number; output: number } {
  const all: Record<string, number> = {};
  for (const data of dataOf(body)) {
    const usage = ((data.message as JsonObject | undefined)?.usage ?? data.usage) as JsonObject | undefined;
    for (const [name, value] of Object.entries(usage ?? {})) if (typeof value === 'number') all[name] = value;
  }
  const {
    input_tokens: input = 0,
    cache_read_input_tokens: read = 0,
    cache_creation_input_tokens: write = 0,
  } = all;
  return { input: input + read + write, output: all.output_tokens ?? 0 };
}

function eventsOf(pieces: Iterable<Buffer>): ChatEvent[] {
  const reader = anthropicMessages.codec!.openReader();
  const scanner = new SseScanner();
  const events: ChatEvent[] = [];
  const emit = (event: ChatEvent) => void events.push(event);
  for (const piece of pieces) for (const event of scanner.push(piece)) reader.read(event, emit);
  for (const event of scanner.end()) reader.read(event, emit);
  reader.end(emit);
  return events;
}

let replayed = 0;

describe.skipIf(!haveRecordings)(
  'recorded streams (skipped where the recordings are not beside the checkout)',
  () => {
    test.each(named)(
      '%s passes byte for byte, however it is cut, and reports its usage',
      (_file, recording) => {
        replayed += 1;
        const { body } = recording;
        const reported = reportedTotals(body);
        for (const size of [body.length, 1, 7, 1_000]) {
          const { passed, end } = feed(open(recording), cuts(body, size));
          expect(Buffer.concat([passed, end.tail!]).equals(body)).toBe(true);
          expect(end.tail!.toString()).toContain('event: message_stop');
          expect(passed.includes('event: message_stop')).toBe(false);
          expect(end.outcome).toBe('complete');
          expect({ input: inputTokens(end.usage!), output: outputTokens(end.usage!) }).toEqual(reported);
        }
      },
    );

    test.each(named)(
      '%s, cut in two at every byte, passes and reads the same',
      { tags: ['deep'] },
      (_file, recording) => {
        const end = recording.body.lastIndexOf('event: message_delta');
        const body = recording.body.subarray(0, Math.min(3_000, end));
        const whole = feed(open(recording), [body], true);
        const events = eventsOf([body]);
        for (let at = 1; at < body.length; at += 1) {
          const pieces = [body.subarray(0, at), body.subarray(at)];
          const cut = feed(open(recording), pieces, true);
          expect([at, cut.passed.equals(whole.passed), cut.text]).toEqual([at, true, whole.text]);
        }
        for (let at = 1; at < body.length; at += 13) {
          expect(eventsOf([body.subarray(0, at), body.subarray(at)])).toEqual(events);
        }
      },
    );

    test.each(named)(
      '%s, truncated, is not whole, and its use is counted from its text',
      (_file, recording) => {
        const { body } = recording;
        const firstDelta = body.indexOf('event: content_block_delta');
        const lastStop = body.lastIndexOf('event: message_delta');
        const torn = feed(open(recording), [body.subarray(0, lastStop)], true);
        expect(torn.end).toMatchObject({ outcome: 'truncated', usage: undefined, tail: undefined });
        expect(inputTokens(torn.end.inputUsage!)).toBe(reportedTotals(body.subarray(0, firstDelta)).input);
        const text = dataOf(body)
          .map((data) => textOf((data.delta as JsonObject | undefined)?.text))
          .join('');
        expect(torn.text.output).toContain(text.slice(0, 50));
      },
    );

    test.each(named)('%s, read and written again, reads the same', (_file, recording) => {
      const events = eventsOf([recording.body]);
      const writer = anthropicMessages.codec!.openWriter(writerOptions());
      const text = events.map((event) => writer.write(event)).join('') + writer.end();
      const again = eventsOf([Buffer.from(text)]);
      const plain = (list: ChatEvent[]) =>
        list
          .filter(({ type }) => type !== 'usage')
          // The split of a text into pieces does not matter; blocks without text are left out.
          .map((event) => ('block' in event ? { ...event, block: 0 } : event));
      const withoutEmpty = (list: ReturnType<typeof plain>) =>
        list.filter(({ type }, index) => {
          const isEmptyStart = type === 'text-start' && list[index + 1]?.type === 'text-end';
          return !isEmptyStart && !(type === 'text-end' && list[index - 1]?.type === 'text-start');
        });
      expect(withoutEmpty(plain(again))).toEqual(withoutEmpty(plain(events)));
      const usage = (list: ChatEvent[]) => list.findLast((event) => event.type === 'usage');
      expect(usage(again)).toEqual(usage(events));
    });

    test('every recording was replayed', () => {
      console.log(`replayed anthropic anthropic-messages: ${recordings.length} streams`);
      expect(replayed).toBe(recordings.length);
    });
  },
);

describe.skipIf(!haveRecordings)('recorded usage objects', () => {
  const rows = haveRecordings ? recordedUsage('anthropic-messages') : [];

  test('keep every token the vendor charges, each in one counter', () => {
    const sum = (raw: JsonObject): { input: number; output: number } => ({
      input:
        Number(raw.input_tokens ?? 0) +
        Number(raw.cache_read_input_tokens ?? 0) +
        Number(raw.cache_creation_input_tokens ?? 0),
      output: Number(raw.output_tokens ?? 0),
    });
    for (const row of rows) {
      const raw = row.usage as JsonObject;
      const reported = sum(raw);
      for (const pass of (raw.iterations ?? []) as JsonObject[]) {
        if (pass.type !== 'compaction' && pass.type !== 'advisor_message') continue;
        reported.input += sum(pass).input;
        reported.output += sum(pass).output;
      }
      const usage = readAnthropicUsage(raw)!;
      expect({ input: inputTokens(usage), output: outputTokens(usage) }).toEqual(reported);
      const searches = (raw.server_tool_use as JsonObject | undefined)?.web_search_requests ?? 0;
      expect(usage.webSearchCalls).toBe(searches);
    }
    console.log(`usage objects read: ${rows.length}`);
  });
});
