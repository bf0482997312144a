import { inputTokens, outputTokens } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import { feed, writerOptions } from '../../../testing/protocols/build-relay.ts';
import { contentOf, cuts, readStream, unbalanced } from '../../../testing/protocols/codec-bench.ts';
import { readByBedrock } from '../../../testing/protocols/read-by-bedrock.ts';
import {
  haveRecordings,
  judgedRecordings,
  recordedUsage,
  type Recording,
  unframed,
  wholeStreams,
} from '../../../testing/protocols/recordings.ts';
import { AwsFrameSplitter } from '../../../lib/aws-frames.ts';
import type { AnswerPipe, ChatEvent } from '../../types/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { UnframePipe } from '../../streams/index.ts';
import { openaiChat } from '../openai-chat/index.ts';
import { TranslatePipe } from '../../translate/translate-pipe.ts';
import { bedrockConverse, openConverseFrames } from './index.ts';
import { readConverseUsage } from './read.ts';

const recordings = wholeStreams('bedrock-converse');
const named = recordings.map((recording) => [recording.file, recording] as const);
const invoked = judgedRecordings()
  .filter(({ protocol, kind }) => protocol === 'bedrock-invoke-stream' && 'leftOut' in kind)
  .map((recording) => [recording.file, recording] as const);

const eventsOf = (pieces: Iterable<Buffer>): ChatEvent[] =>
  readStream(bedrockConverse.codec, unframed(pieces));

/** The same bytes, sent to a caller of chat. */
const open = ({ contentType }: Recording): AnswerPipe =>
  new UnframePipe(
    openConverseFrames(contentType, [])!,
    new TranslatePipe({
      from: { codec: bedrockConverse.codec, kind: 'stream' },
      to: { codec: openaiChat.codec!, kind: 'stream' },
      writer: writerOptions(),
      thinkingToContent: false,
      secrets: [],
      rewrite: undefined,
    }),
  );

/** Frames of a recording, each with its bytes. */
function frames(body: Buffer): Buffer[] {
  const all: Buffer[] = [];
  for (let at = 0; at < body.length; at += body.readUInt32BE(at)) {
    all.push(body.subarray(at, at + body.readUInt32BE(at)));
  }
  return all;
}

/** The events read, in the format of the vendor's own client. */
function reading(events: readonly ChatEvent[]) {
  const { text, reasoning, usage, finish } = contentOf(events);
  const inputs = events.reduce<Record<number, string>>((all, event) => {
    if (event.type !== 'tool-input-delta') return all;
    return { ...all, [event.block]: (all[event.block] ?? '') + event.text };
  }, {});
  const counted = usage?.type === 'usage' ? usage.usage : undefined;
  const reasons: Record<string, string> = {
    'tool-calls': 'tool_calls',
    'content-filter': 'content_filter',
  };
  const unified = finish?.type === 'finish' ? finish.reason.unified : '';
  return {
    text,
    thinking: reasoning,
    tools: events.flatMap((event) =>
      event.type === 'tool-input-start'
        ? [{ name: event.name, input: JSON.parse(inputs[event.block]!) as unknown }]
        : [],
    ),
    finish: reasons[unified] ?? unified,
    inputTokens: counted ? inputTokens(counted) : 0,
    outputTokens: counted ? outputTokens(counted) : 0,
  };
}

let replayed = 0;

describe.skipIf(!haveRecordings)(
  'recorded streams (skipped where the recordings are not beside the checkout)',
  () => {
    test.each(named)('%s reads as the vendor’s own client reads it', async (_file, { body, contentType }) => {
      replayed += 1;
      const events = eventsOf([body]);
      expect(reading(events)).toEqual(await readByBedrock(body, contentType, true));
      expect(unbalanced(events)).toEqual([]);
      expect(events[0]?.type).toBe('start');
      expect(events.filter(({ type }) => type === 'finish')).toHaveLength(1);
    });

    test.each(named)('%s reads the same byte by byte', (_file, { body }) => {
      expect(eventsOf(cuts(body, 1))).toEqual(eventsOf([body]));
    });

    test.each(named)('%s reads the same, cut at every byte', { tags: ['deep'] }, (_file, recording) => {
      const { body } = recording;
      const whole = feed(open(recording), [body]);
      expect(whole.end.outcome).toBe('complete');
      for (let at = 1; at < body.length; at += body.length > 2_500 ? 17 : 1) {
        const cut = feed(open(recording), [body.subarray(0, at), body.subarray(at)]);
        expect([at, cut.passed.equals(whole.passed), cut.end]).toEqual([at, true, whole.end]);
      }
    });

    test.each(named)('%s, truncated, is never whole', (_file, recording) => {
      const all = frames(recording.body);
      const last = recording.body.length - all.at(-1)!.length;
      const beforeStop = last - all.at(-2)!.length;
      for (const at of [last - 1, beforeStop, Math.floor(beforeStop / 2)]) {
        const torn = feed(open(recording), [recording.body.subarray(0, at)], true);
        expect([at, torn.end.outcome, torn.end.tail]).toEqual([at, 'truncated', undefined]);
        // A transfer that ends normally but within a frame, or without the reason, is incomplete all the same.
        expect(feed(open(recording), [recording.body.subarray(0, at)]).end.outcome).toBe('truncated');
      }
      // Only the usage is missing: it is counted from the text.
      const unmetered = feed(open(recording), [recording.body.subarray(0, last)]);
      expect([unmetered.end.outcome, unmetered.end.usage]).toEqual(['complete', undefined]);
    });

    test.each(named)('%s, damaged in any frame, fails there', (_file, recording) => {
      const all = frames(recording.body);
      for (const index of [0, Math.floor(all.length / 2), all.length - 1]) {
        const before = Buffer.concat(all.slice(0, index));
        const damaged = Buffer.from(recording.body);
        damaged[before.length + Math.floor(all[index]!.length / 2)]! ^= 1;
        const { end, passed } = feed(open(recording), cuts(damaged, 100));
        expect(end).toMatchObject({ outcome: 'error', error: { code: 'bad_response_body', status: 502 } });
        expect(passed.equals(feed(open(recording), [before]).passed)).toBe(true);
      }
    });

    // Nova uses Converse here. Invoke wraps the same events of Converse, and they must read the same.
    test.each(invoked)('%s (Nova by Invoke, which is not used) has intact frames', (_file, { body }) => {
      const reader = bedrockConverse.codec.openReader();
      const events: ChatEvent[] = [];
      const splitter = new AwsFrameSplitter();
      for (const piece of cuts(body, 777)) {
        splitter.push(piece, (frame) => {
          const { bytes } = JSON.parse(frame.body.toString()) as { bytes: string };
          const inner = JSON.parse(Buffer.from(bytes, 'base64').toString()) as JsonObject;
          const name = Object.keys(inner)[0]!;
          reader.read({ name, data: JSON.stringify(inner[name]) }, (event) => void events.push(event));
        });
      }
      expect(unbalanced(events)).toEqual([]);
      expect(events.filter(({ type }) => type === 'finish')).toHaveLength(1);
      expect(reading(events).outputTokens).toBeGreaterThan(0);
    });

    test('every recording was replayed', () => {
      console.log(`replayed bedrock converse: ${recordings.length} streams, invoke: ${invoked.length}`);
      expect(replayed).toBe(recordings.length);
    });
  },
);

describe.skipIf(!haveRecordings)('recorded usage objects', () => {
  test('keep every token the vendor charges', () => {
    const rows = recordedUsage('other').filter(
      ({ vendor, usage }) => vendor === 'bedrock' && typeof usage.totalTokens === 'number',
    );
    const wrong = rows.filter(({ usage }) => {
      const read = readConverseUsage(usage as JsonObject)!;
      return inputTokens(read) + outputTokens(read) !== usage.totalTokens;
    });
    expect(wrong).toEqual([]);
    console.log(`usage objects read: ${rows.length}`);
  });
});
