import { inputTokens, outputTokens, usageCounters } from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cuts, readStream, contentOf, unbalanced } from '../../../testing/protocols/codec-bench.ts';
import { replay } from '../../../testing/upstream/fake-upstream-faults.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../../testing/gateway-harness.ts';
import {
  type ReadAnswer,
  readByAnthropic,
  readByOpenai,
  recordedFetch,
} from '../../../testing/protocols/read-by-clients.ts';
import { readByCohere } from '../../../testing/protocols/read-by-cohere.ts';
import { readByGemini } from '../../../testing/protocols/read-by-gemini.ts';
import { readByResponses } from '../../../testing/protocols/read-by-responses.ts';
import {
  haveRecordings,
  type Recording,
  wholeStreams,
  recordedUsage,
} from '../../../testing/protocols/recordings.ts';
import type { ChatEvent } from '../../types/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { cohereChat } from './index.ts';
import { readCohereUsage } from './read.ts';

const { codec } = cohereChat;
const recordings = wholeStreams('cohere-chat');
const named = recordings.map((recording) => [recording.file.split('/').at(-1)!, recording] as const);

const eventsOf = (pieces: Iterable<Buffer>): ChatEvent[] => readStream(codec, pieces);

/** A recording as the vendor's own client reads it. */
const original = ({ body, contentType }: Recording): Promise<ReadAnswer> =>
  readByCohere({
    url: 'http://recorded.invalid',
    key: 'none',
    model: 'm',
    stream: true,
    fetch: recordedFetch(body, contentType),
  });

/** The gateway's reading, in the same format. */
function ours(body: Buffer): ReadAnswer {
  const { text, reasoning, usage, finish } = contentOf(eventsOf([body]));
  const events = eventsOf([body]);
  const tools = events.flatMap((event) => {
    if (event.type !== 'tool-input-start') return [];
    const input = events.map((each) =>
      each.type === 'tool-input-delta' && each.block === event.block ? each.text : '',
    );
    return [{ name: event.name, input: JSON.parse(input.join('')) as unknown }];
  });
  return {
    text,
    thinking: reasoning,
    tools,
    finish: finish?.type === 'finish' ? finish.reason.unified.replace('-', '_') : '',
    inputTokens: usage?.type === 'usage' ? inputTokens(usage.usage) : 0,
    outputTokens: usage?.type === 'usage' ? outputTokens(usage.usage) : 0,
  };
}

let replayed = 0;

describe.skipIf(!haveRecordings)(
  'recorded streams (skipped where the recordings are not beside the checkout)',
  () => {
    test.each(named)('%s reads as cohere-ai reads it', async (_file, recording) => {
      replayed += 1;
      expect(ours(recording.body)).toEqual(await original(recording));
    });

    test.each(named)('%s reads into balanced events, byte by byte', (_file, { body }) => {
      const events = eventsOf([body]);
      expect(unbalanced(events)).toEqual([]);
      expect(events[0]?.type).toBe('start');
      expect(events.at(-1)?.type).toBe('finish');
      expect(events.some(({ type }) => type === 'error')).toBe(false);
      expect(eventsOf(cuts(body, 1))).toEqual(events);
    });

    test.each(named)('%s reads the same, cut at every byte', { tags: ['deep'] }, (_file, { body }) => {
      const events = eventsOf([body]);
      const step = body.length < 4_000 ? 1 : 7;
      for (let at = 1; at < body.length; at += step) {
        expect(eventsOf([body.subarray(0, at), body.subarray(at)])).toEqual(events);
      }
    });

    test.each(named)('%s, truncated, is balanced and never finished', (_file, { body }) => {
      const end = body.lastIndexOf('event: message-end');
      for (const part of [0.1, 0.5, 0.9, 1]) {
        const events = eventsOf([body.subarray(0, Math.floor(end * part))]);
        expect(unbalanced(events)).toEqual([]);
        expect(events.some(({ type }) => type === 'finish')).toBe(false);
      }
    });

    test('every recording was replayed', () => {
      console.log(`replayed cohere: ${recordings.length} streams`);
      expect(replayed).toBe(recordings.length);
    });
  },
);

describe.skipIf(!haveRecordings)('recorded streams over the gateway (skipped without the recordings)', () => {
  let gate: GatewayHarness;
  let caller: TestCaller;
  beforeAll(async () => {
    gate = await openGateway();
    await gate.core.settings.set('SelfUseModeEnabled', 'true');
    await gate.addChannel({ type: 34, models: 'cohere-recorded' });
    caller = await gate.addCaller({ balance: 5_000_000_000 });
  });
  afterAll(() => gate.close());

  const clients = {
    'openai (chat)': readByOpenai,
    'openai (responses)': readByResponses,
    '@anthropic-ai/sdk': readByAnthropic,
    '@google/genai': readByGemini,
  };
  const claudeReasons: Readonly<Record<string, string>> = { end_turn: 'stop', tool_use: 'tool_calls' };

  test.each(named)('%s gives the same answer to the clients of all protocols', async (_file, recording) => {
    const expected = await original(recording);
    for (const [name, read] of Object.entries(clients)) {
      for (const stream of [true, false]) {
        gate.upstream.next(replay(recording.body, [777], recording.contentType));
        const got = await read({ url: gate.url, key: caller.key, model: 'cohere-recorded', stream });
        const finish = claudeReasons[got.finish] ?? got.finish;
        expect([name, stream, { ...got, finish }]).toEqual([name, stream, expected]);
      }
    }
    expect(await gate.findings()).toEqual([]);
  });
});

describe.skipIf(!haveRecordings)('recorded usage objects', () => {
  test('are read into counters that do not overlap and add up to what is billed', () => {
    const rows = recordedUsage('chat').filter(({ vendor }) => vendor === 'cohere');
    const wrong = rows.filter(({ usage }) => {
      const read = readCohereUsage(usage as JsonObject);
      const billed = usage.billed_units as Record<string, number> | undefined;
      // Version 1 reports only the billed units; the gateway requests only version 2.
      if (!billed) return read !== undefined;
      const isBad = !read || usageCounters.some((name) => read[name] < 0);
      return (
        isBad || inputTokens(read) !== billed.input_tokens || outputTokens(read) !== billed.output_tokens
      );
    });
    expect(wrong).toEqual([]);
    console.log(`usage objects read: ${rows.length}`);
  });
});
