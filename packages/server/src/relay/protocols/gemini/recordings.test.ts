import { inputTokens, outputTokens } from '@tollgate/contract';
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
import { readGeminiUsage } from '../../families/google/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { gemini } from './index.ts';

const codec = gemini.codec!;
const recordings = wholeStreams('gemini');
const named = recordings.map((recording) => [recording.file, recording] as const);
const small = named.filter(([, { body }]) => body.length < 4_000);

const open = ({ contentType }: Pick<Recording, 'contentType'>): AnswerPipe =>
  gemini.outbound.openPipe({
    kind: 'stream',
    contentType,
    hideUsage: false,
    secrets: [],
    rewrite: undefined,
  });

const usageIn = (body: Buffer): JsonObject => dataOf(body).at(-1)!.usageMetadata as JsonObject;
const eventsOf = (pieces: Iterable<Buffer>): ChatEvent[] => readStream(codec, pieces);

/** Start of the last event, which has the finish reason. */
function lastEvent(body: Buffer): number {
  const text = body.toString('latin1').trimEnd();
  return Math.max(text.lastIndexOf('\n\n') + 2, text.lastIndexOf('\r\n\r\n') + 4);
}

/** Total of all charged tokens; Vertex sometimes counts the input from its tools within the prompt. */
const totalOf = (raw: JsonObject): unknown => raw.totalTokenCount;

let replayed = 0;

describe.skipIf(!haveRecordings)(
  'recorded streams (skipped where the recordings are not beside the checkout)',
  () => {
    test.each(named)(
      '%s passes byte for byte, however it is cut, and reports its usage',
      (_file, recording) => {
        replayed += 1;
        const { body } = recording;
        for (const size of [body.length, 1, 7, 1_000]) {
          const { passed, end } = feed(open(recording), cuts(body, size));
          expect(Buffer.concat([passed, end.tail!]).equals(body)).toBe(true);
          expect(passed.length).toBe(lastEvent(body) >= 4 ? lastEvent(body) : 0);
          expect(end.outcome).toBe('complete');
          expect(inputTokens(end.usage!) + outputTokens(end.usage!)).toBe(totalOf(usageIn(body)));
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

    test.each(named)('%s, truncated, is never whole', (_file, recording) => {
      const end = lastEvent(recording.body);
      for (const part of [0.1, 0.5, 0.9, 1]) {
        const at = Math.floor(end * part);
        for (const broken of [true, false]) {
          const torn = feed(open(recording), [recording.body.subarray(0, at)], broken);
          expect([torn.end.outcome, torn.end.tail]).toEqual(['truncated', undefined]);
        }
      }
    });

    test.each(named)('%s reads into balanced events, however it is cut', (_file, { body }) => {
      const events = eventsOf([body]);
      for (const size of [1, 100]) expect(eventsOf(cuts(body, size))).toEqual(events);
      expect(unbalanced(events)).toEqual([]);
      expect(events[0]?.type).toBe('start');
      expect(events.filter(({ type }) => type === 'finish')).toHaveLength(1);
      expect(events.some(({ type }) => type === 'error')).toBe(false);
    });

    test.each(named)('%s, read and written again, reads the same', (_file, { body }) => {
      const events = eventsOf([body]);
      // Sources spread over several chunks are all in the last one after writing.
      const plain = (list: ChatEvent[]) => ({
        ...contentOf(list),
        others: Object.assign({}, ...contentOf(list).others) as JsonObject,
      });
      expect(plain(eventsOf([writeStream(codec, events)]))).toEqual(plain(events));
      const whole = codec.writeAnswer(events, writerOptions());
      expect(plain(readAnswer(codec, whole))).toEqual(plain(events));
    });

    test('every recording was replayed', () => {
      console.log(`replayed gemini and vertex: ${recordings.length} streams`);
      expect(replayed).toBe(recordings.length);
    });
  },
);

describe.skipIf(!haveRecordings)('recorded usage objects', () => {
  test('keep every token the vendor charges', () => {
    const rows = recordedUsage('other').filter(({ usage }) => 'promptTokenCount' in usage);
    const wrong = rows.filter(({ usage }) => {
      const read = readGeminiUsage(usage as JsonObject)!;
      const reported = (usage.totalTokenCount ?? usage.promptTokenCount) as number;
      return inputTokens(read) + outputTokens(read) !== reported;
    });
    expect(wrong).toEqual([]);
    console.log(`usage objects read: ${rows.length}`);
  });
});
