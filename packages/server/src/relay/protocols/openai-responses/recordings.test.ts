import { inputTokens, outputTokens } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import { SseScanner } from '../../../lib/sse.ts';
import { feed, writerOptions } from '../../../testing/build-relay.ts';
import {
  haveRecordings,
  type Recording,
  recordedStreams,
  recordedUsage,
} from '../../../testing/recordings.ts';
import type { ChatEvent } from '../../model/chat.ts';
import type { JsonObject } from '../../model/json.ts';
import type { AnswerPipe } from '../../model/protocol.ts';
import { openaiResponses } from './index.ts';
import { readResponsesUsage } from './usage.ts';

const recordings = haveRecordings ? recordedStreams('openai-responses') : [];
const named = recordings.map((recording) => [recording.file, recording] as const);
const small = named.filter(([, { body }]) => body.length < 8_000);

const open = ({ contentType }: Recording): AnswerPipe =>
  openaiResponses.outbound.openPipe({
    kind: 'stream',
    contentType,
    hideUsage: false,
    secrets: [],
    rewrite: undefined,
  });

function cuts(body: Buffer, size: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) pieces.push(body.subarray(at, at + size));
  return pieces;
}

/** The data of a stream's events, read the simple and slow way. */
const dataOf = (body: Buffer): JsonObject[] =>
  body
    .toString()
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(5)) as JsonObject);

/** Where the last event begins: the one that ends the answer. */
const lastEvent = (body: Buffer): number => body.lastIndexOf('\n\n', body.length - 3) + 2;

const lastResponse = (body: Buffer): JsonObject => dataOf(body).at(-1)!.response as JsonObject;

function eventsOf(pieces: Iterable<Buffer>): ChatEvent[] {
  const reader = openaiResponses.codec!.openReader();
  const scanner = new SseScanner();
  const events: ChatEvent[] = [];
  const emit = (event: ChatEvent) => void events.push(event);
  for (const piece of pieces) for (const event of scanner.push(piece)) reader.read(event, emit);
  for (const event of scanner.end()) reader.read(event, emit);
  reader.end(emit);
  return events;
}

function answerEvents(body: JsonObject): ChatEvent[] {
  const events: ChatEvent[] = [];
  openaiResponses.codec!.readAnswer(body, (event) => void events.push(event));
  return events;
}

/** What was said, however it was cut into deltas and blocks. */
function said(events: readonly ChatEvent[]) {
  const of = (type: string): string =>
    events.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('');
  return {
    text: of('text-delta'),
    reasoning: of('reasoning-delta'),
    input: of('tool-input-delta'),
    tools: events.flatMap((event) => (event.type === 'tool-input-start' ? [[event.id, event.name]] : [])),
    proofs: events.flatMap((event) => (event.type === 'reasoning-end' ? [event.signature] : [])),
    citations: events.flatMap((event) => (event.type === 'annotation' ? [event.citation] : [])),
    others: events.flatMap((event) => (event.type === 'other' ? [event.extra.fields.type] : [])),
    files: events.filter(({ type }) => type === 'file').length,
    usage: events.findLast(({ type }) => type === 'usage'),
    finish: events.findLast(({ type }) => type === 'finish'),
  };
}

const pairs = [
  ['text-start', 'text-end'],
  ['reasoning-start', 'reasoning-end'],
  ['refusal-start', 'refusal-end'],
  ['tool-input-start', 'tool-input-end'],
] as const;

describe.skipIf(!haveRecordings)(
  'recorded streams (skipped where the recordings are not beside the checkout)',
  () => {
    test.each(named)(
      '%s passes byte for byte, however it is cut, and tells its usage',
      (_file, recording) => {
        const { body } = recording;
        const told = lastResponse(body).usage as JsonObject;
        for (const size of [body.length, 1, 7, 1_000]) {
          const { passed, end } = feed(open(recording), cuts(body, size));
          expect(Buffer.concat([passed, end.tail!]).equals(body)).toBe(true);
          expect(end.tail!.length).toBe(body.length - lastEvent(body));
          expect(end.outcome).toBe('complete');
          expect([inputTokens(end.usage!), outputTokens(end.usage!)]).toEqual([
            told.input_tokens,
            told.output_tokens,
          ]);
        }
      },
    );

    test.each(small)('%s, cut at every byte', (_file, recording) => {
      const { body } = recording;
      const whole = feed(open(recording), [body]);
      for (let at = 1; at < body.length; at += 1) {
        const cut = feed(open(recording), [body.subarray(0, at), body.subarray(at)]);
        const same = Buffer.concat([cut.passed, cut.end.tail!]).equals(body);
        expect([at, same, cut.end.outcome, cut.end.usage]).toEqual([at, true, 'complete', whole.end.usage]);
      }
    });

    test.each(named)('%s, torn, is never whole, and its text is counted', (_file, recording) => {
      const { body } = recording;
      const end = lastEvent(body);
      for (const part of [0.1, 0.5, 0.9, 1]) {
        const at = Math.floor(end * part);
        for (const broken of [true, false]) {
          const torn = feed(open(recording), [body.subarray(0, at)], broken);
          expect([torn.end.outcome, torn.end.tail, torn.end.usage]).toEqual([
            'truncated',
            undefined,
            undefined,
          ]);
        }
      }
      const { text } = feed(open(recording), cuts(body.subarray(0, end), 333), true);
      const words = dataOf(body).map(({ type, delta }) =>
        type === 'response.output_text.delta' ? delta : '',
      );
      const thoughts = dataOf(body).map(({ type, delta }) =>
        String(type).startsWith('response.reasoning_') && typeof delta === 'string' ? delta : '',
      );
      expect(text.output).toContain(words.join('').slice(0, 200));
      expect(text.reasoning).toBe(thoughts.join(''));
    });

    test.each(named)('%s reads into balanced events, however it is cut', (_file, { body }) => {
      const events = eventsOf([body]);
      for (const size of [1, 100]) expect(eventsOf(cuts(body, size))).toEqual(events);
      for (const [start, end] of pairs) {
        const blocks = (type: string) =>
          events.flatMap((event) => (event.type === type && 'block' in event ? [event.block] : []));
        expect(blocks(end).toSorted()).toEqual(blocks(start).toSorted());
      }
      expect(events[0]?.type).toBe('start');
      expect(events.filter(({ type }) => type === 'finish')).toHaveLength(1);
      expect(events.some(({ type }) => type === 'error')).toBe(false);
    });

    test.each(named)('%s says the same in one piece as in pieces', (_file, { body }) => {
      // OpenAI encrypts its thoughts anew for the last event.
      const plain = (events: ChatEvent[]) => ({ ...said(events), proofs: said(events).proofs.length });
      expect(plain(answerEvents(lastResponse(body)))).toEqual(plain(eventsOf([body])));
    });

    test.each(named)('%s, written anew, says the same', (_file, { body }) => {
      const events = eventsOf([body]);
      const writer = openaiResponses.codec!.openWriter(writerOptions());
      const written = events.map((event) => writer.write(event)).join('') + writer.end();
      expect(said(eventsOf([Buffer.from(written)]))).toEqual(said(events));
      const whole = openaiResponses.codec!.writeAnswer(events, writerOptions());
      expect(said(answerEvents(whole))).toEqual(said(events));
      const numbers = dataOf(Buffer.from(written)).map((data) => data.sequence_number);
      expect(numbers).toEqual(numbers.map((_, index) => index));
    });

    test('tell of searches that are charged', () => {
      const searched = recordings.flatMap((recording) => {
        const { usage } = feed(open(recording), [recording.body]).end;
        return usage!.webSearchCalls + usage!.fileSearchCalls > 0
          ? [[usage!.webSearchCalls, usage!.fileSearchCalls]]
          : [];
      });
      expect(searched.length).toBeGreaterThan(1);
      console.log(
        `replayed openai-responses: ${recordings.length} streams, ${searched.length} with searches`,
      );
    });
  },
);

describe.skipIf(!haveRecordings)('recorded usage objects', () => {
  test('add up to what the vendor says', () => {
    const rows = recordedUsage('openai-responses');
    for (const { usage } of rows) {
      const read = readResponsesUsage(usage as JsonObject)!;
      expect([inputTokens(read), outputTokens(read)]).toEqual([usage.input_tokens, usage.output_tokens]);
    }
    console.log(`usage objects read: ${rows.length}`);
  });
});
