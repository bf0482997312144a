import { BedrockRuntimeClient, InvokeModelWithResponseStreamCommand } from '@aws-sdk/client-bedrock-runtime';
import { describe, expect, test } from 'vitest';
import { EventCursor } from '../../../lib/sse/index.ts';
import { awsStream, chunkFrame } from '../../../testing/protocols/aws-frames.ts';
import { buildChannel, buildRequest, feed, relayOptions } from '../../../testing/protocols/build-relay.ts';
import { cuts } from '../../../testing/protocols/codec-bench.ts';
import { startHttp2Upstream } from '../../../testing/upstream/http2-upstream.ts';
import { haveRecordings, wholeStreams } from '../../../testing/protocols/recordings.ts';
import { bridge } from '../../bridge.ts';
import type { AnswerPipe } from '../../types/index.ts';
import { bedrock } from './index.ts';

// Bedrock sends Anthropic's events, each in a frame. Anthropic's recordings with frames are therefore Bedrock's.

const recordings = wholeStreams('anthropic-messages').filter(({ contentType }) =>
  contentType.includes('event-stream'),
);
const named = recordings.map((recording) => [recording.file, recording.body] as const);

/** Data of each event, as bytes. */
function dataOf(body: Buffer): string[] {
  const cursor = new EventCursor().read(body, true);
  const all: string[] = [];
  while (cursor.next()) if (cursor.dataLines > 0) all.push(String(cursor.data()));
  return all;
}

/** Bedrock's counters follow the members of the last event. */
const withMetrics = (event: string): string =>
  event.includes('"message_stop"')
    ? event.replace(
        /\s*\}\s*$/,
        ',"amazon-bedrock-invocationMetrics":{"inputTokenCount":1,"outputTokenCount":2}}',
      )
    : event;

const framed = (body: Buffer): Buffer =>
  Buffer.concat(dataOf(body).map((event) => chunkFrame(withMetrics(event))));

function open(): AnswerPipe {
  const model = 'claude-haiku-4-5-20251001';
  const body = { model, max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], stream: true };
  const channel = buildChannel({ type: 33, key: 'AKIDEXAMPLE|a-secret-key|us-east-1', baseUrl: '' });
  const request = buildRequest('anthropic-messages', body);
  return bridge(bedrock, channel, request, model, relayOptions).openPipe(200, awsStream);
}

/** Blanks that Anthropic puts after the last member of an event have no meaning. */
const trimmed = (events: readonly string[]): string[] => events.map((event) => event.replace(/\s+\}$/, '}'));

let replayed = 0;

describe.skipIf(!haveRecordings)(
  'recorded streams of Claude in frames (skipped where the recordings are not beside the checkout)',
  () => {
    test.each(named)('%s reaches callers of Messages as Anthropic sent it', (_file, body) => {
      replayed += 1;
      const bytes = framed(body);
      for (const size of [bytes.length, 1, 777]) {
        const { passed, end } = feed(open(), cuts(bytes, size));
        expect(end.outcome).toBe('complete');
        const all = Buffer.concat([passed, end.tail!]);
        const [stop, ...rest] = dataOf(all).toReversed();
        const [wanted, ...before] = dataOf(body).toReversed();
        expect(rest).toEqual(before);
        expect(trimmed([stop!])).toEqual(trimmed([wanted!]));
        expect(all.toString().match(/^event: .+$/gm)).toEqual(body.toString().match(/^event: .+$/gm));
      }
    });

    test('read as AWS’s own client reads their frames', async () => {
      const body = recordings[0]?.body ?? Buffer.alloc(0);
      const upstream = await startHttp2Upstream({
        body: framed(body),
        contentType: awsStream,
        pieceBytes: 500,
      });
      const client = new BedrockRuntimeClient({
        region: 'us-east-1',
        endpoint: upstream.url,
        credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
        maxAttempts: 1,
      });
      const answer = await client.send(
        new InvokeModelWithResponseStreamCommand({ modelId: 'm', body: '{}' }),
      );
      const events: string[] = [];
      for await (const { chunk } of answer.body!) events.push(Buffer.from(chunk!.bytes!).toString());
      expect(events).toEqual(dataOf(body).map(withMetrics));
      client.destroy();
      await upstream.close();
    });

    test('every recording was replayed', () => {
      console.log(`replayed claude in bedrock's frames: ${recordings.length} streams`);
      expect(replayed).toBe(recordings.length);
    });
  },
);
