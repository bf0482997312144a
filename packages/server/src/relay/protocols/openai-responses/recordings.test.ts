import { inputTokens, outputTokens, usageOf } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import { feed, writerOptions } from '../../../testing/protocols/build-relay.ts';
import {
  cuts,
  dataOf,
  readAnswer,
  readStream,
  contentOf,
  unbalanced,
  writeStream,
} from '../../../testing/protocols/codec-bench.ts';
import {
  haveRecordings,
  type Recording,
  wholeStreams,
  recordedUsage,
} from '../../../testing/protocols/recordings.ts';
import type { ChatEvent, AnswerPipe } from '../../types/index.ts';
import { type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';
import { openaiResponses } from './index.ts';
import { readResponsesUsage } from './usage.ts';

const recordings = wholeStreams('openai-responses');
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

/** Start of the last event, which ends the answer. */
const lastEvent = (body: Buffer): number => body.lastIndexOf('\n\n', body.length - 3) + 2;

const lastResponse = (body: Buffer): JsonObject => dataOf(body).at(-1)!.response as JsonObject;

const codec = openaiResponses.codec!;
const eventsOf = (pieces: Iterable<Buffer>): ChatEvent[] => readStream(codec, pieces);

describe.skipIf(!haveRecordings)(
  'recorded streams (skipped where the recordings are not beside the checkout)',
  () => {
    test.each(named)(
      '%s passes byte for byte, however it is cut, and reports its usage',
      (_file, recording) => {
        const { body } = recording;
        const reported = lastResponse(body).usage as JsonObject;
        for (const size of [body.length, 1, 7, 1_000]) {
          const { passed, end } = feed(open(recording), cuts(body, size));
          expect(Buffer.concat([passed, end.tail!]).equals(body)).toBe(true);
          expect(end.tail!.length).toBe(body.length - lastEvent(body));
          expect(end.outcome).toBe('complete');
          expect([inputTokens(end.usage!), outputTokens(end.usage!)]).toEqual([
            reported.input_tokens,
            reported.output_tokens,
          ]);
        }
      },
    );

    test.each(small)('%s, cut at every byte', { tags: ['deep'] }, (_file, recording) => {
      const { body } = recording;
      const whole = feed(open(recording), [body]);
      for (let at = 1; at < body.length; at += 1) {
        const cut = feed(open(recording), [body.subarray(0, at), body.subarray(at)]);
        const same = Buffer.concat([cut.passed, cut.end.tail!]).equals(body);
        expect([at, same, cut.end.outcome, cut.end.usage]).toEqual([at, true, 'complete', whole.end.usage]);
      }
    });

    test.each(named)('%s, truncated, is never whole, and its text is counted', (_file, recording) => {
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
      const deltas = (name: RegExp): string =>
        dataOf(body)
          .map(({ type, delta }) => (name.test(textOf(type)) ? textOf(delta) : ''))
          .join('');
      expect(text.output).toContain(deltas(/^response\.output_text\.delta/).slice(0, 200));
      expect(text.reasoning).toBe(deltas(/^response\.reasoning_/));
    });

    test.each(named)('%s reads into balanced events, however it is cut', (_file, { body }) => {
      const events = eventsOf([body]);
      for (const size of [1, 100]) expect(eventsOf(cuts(body, size))).toEqual(events);
      expect(unbalanced(events)).toEqual([]);
      expect(events[0]?.type).toBe('start');
      expect(events.filter(({ type }) => type === 'finish')).toHaveLength(1);
      expect(events.some(({ type }) => type === 'error')).toBe(false);
    });

    test.each(named)('%s reads the same in one piece as in parts', (_file, { body }) => {
      // OpenAI encrypts its thoughts again for the last event, and lists its tools in another order.
      const plain = (events: ChatEvent[]) => ({
        ...contentOf(events),
        proofs: contentOf(events).proofs.length,
        others: contentOf(events).others.map(({ type }) => type),
      });
      expect(plain(readAnswer(codec, lastResponse(body)))).toEqual(plain(eventsOf([body])));
    });

    test.each(named)('%s, read and written again, reads the same', (_file, { body }) => {
      const events = eventsOf([body]);
      const written = writeStream(codec, events);
      expect(contentOf(eventsOf([written]))).toEqual(contentOf(events));
      expect(contentOf(readAnswer(codec, codec.writeAnswer(events, writerOptions())))).toEqual(
        contentOf(events),
      );
      const numbers = dataOf(written).map((data) => data.sequence_number);
      expect(numbers).toEqual(numbers.map((_, index) => index));
    });

    test.each(named)('%s has the searches that are charged', (_file, recording) => {
      const { usage } = feed(open(recording), [recording.body]).end;
      const searches = objectsIn(lastResponse(recording.body).output).filter(
        // Opening a page that a search found is free.
        ({ type, action }) =>
          type === 'file_search_call' ||
          (type === 'web_search_call' && (objectOf(action).type ?? 'search') === 'search'),
      );
      expect(usage!.webSearchCalls + usage!.fileSearchCalls > 0).toBe(searches.length > 0);
    });
  },
);

describe.skipIf(!haveRecordings)('recorded usage objects', () => {
  test('add up to what the vendor reports', () => {
    const rows = recordedUsage('openai-responses');
    for (const { usage } of rows) {
      const read = readResponsesUsage(usage as JsonObject) ?? usageOf();
      expect([inputTokens(read), outputTokens(read)]).toEqual([usage.input_tokens, usage.output_tokens]);
    }
    console.log(`usage objects read: ${rows.length}`);
  });
});
