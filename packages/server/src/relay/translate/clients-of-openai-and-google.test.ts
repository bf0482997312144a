/** @module-tag deep */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { feed, writerOptions } from '../../testing/protocols/build-relay.ts';
import { cuts } from '../../testing/protocols/codec-bench.ts';
import { replay } from '../../testing/upstream/fake-upstream-faults.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import {
  inChatWords,
  type ReadAnswer,
  readByAnthropic,
  readByOpenai,
  recordedFetch,
  withCounts,
} from '../../testing/protocols/read-by-clients.ts';
import { readByGemini } from '../../testing/protocols/read-by-gemini.ts';
import { readByResponses } from '../../testing/protocols/read-by-responses.ts';
import { haveRecordings, type Recording, recordedStreams } from '../../testing/protocols/recordings.ts';
import type { BodyKind, ProtocolId } from '../types/index.ts';
import { callerProtocol } from '../protocols.ts';
import { TranslatePipe } from './translate-pipe.ts';

let gate: GatewayHarness;
let caller: TestCaller;

beforeAll(async () => {
  gate = await openGateway();
  await gate.core.settings.set('SelfUseModeEnabled', 'true');
  await gate.addChannel({ type: 24, models: 'gemini-recorded' });
  await gate.addChannel({ type: 14, models: 'claude-recorded' });
  // OpenAI supports Responses itself; for Moonshot they are translated.
  await gate.addChannel({ type: 1, models: 'openai-recorded' });
  await gate.addChannel({ type: 25, models: 'chat-recorded' });
  caller = await gate.addCaller({ balance: 5_000_000_000 });
});
afterAll(() => gate.close());

const of = (protocol: string) =>
  (haveRecordings ? recordedStreams(protocol) : []).map((recording) => [recording.file, recording] as const);

/** Gemini has its own part for code that it ran; all other protocols have fenced text. */
const hasCode = ({ body }: Recording): boolean => body.includes('"executableCode"');

const withoutCode = (read: ReadAnswer | string): ReadAnswer | string =>
  typeof read === 'string' ? read : { ...read, text: read.text.replace(/\n```\w+\n[^`]*```\n/g, '') };

const clients = {
  'openai (chat)': readByOpenai,
  'openai (responses)': readByResponses,
  '@anthropic-ai/sdk': readByAnthropic,
  '@google/genai': readByGemini,
} as const;
type Client = keyof typeof clients;

const nowhere = { url: 'http://recorded.invalid', key: 'none', model: 'm' };

/** The recording itself as a client reads it, without the gateway. */
async function original(client: Client, { body, contentType }: Recording): Promise<ReadAnswer> {
  const fetch = recordedFetch(body, contentType);
  const read = await clients[client]({ ...nowhere, stream: true, fetch });
  return inChatWords(read);
}

/** The recording through the gateway, as a client reads it. */
async function throughGateway(client: Client, recording: Recording, model: string, stream: boolean) {
  gate.upstream.next(replay(recording.body, [777], recording.contentType || 'text/event-stream'));
  return inChatWords(await clients[client]({ url: gate.url, key: caller.key, model, stream }));
}

/**
 * Result for clients of other protocols, streamed and whole, beside the result of the own client; failures as
 * messages.
 */
async function readings(others: readonly Client[], own: Client, recording: Recording, model: string) {
  const isFailure = recording.end === 'failure';
  const expected = isFailure ? 'failed' : await original(own, recording);
  // Snowflake sends no reason; other protocols require one.
  if (typeof expected === 'object') expected.finish ||= 'stop';
  const read: (ReadAnswer | string)[] = [];
  for (const client of others) {
    for (const stream of [true, false]) {
      read.push(await throughGateway(client, recording, model, stream).catch(() => 'failed'));
    }
  }
  const asRead = (each: ReadAnswer | string) =>
    typeof expected === 'object' && typeof each === 'object' ? withCounts(expected, each) : expected;
  return { expected: read.map(asRead), read };
}

/** An answer in Responses, which is no provider's only protocol, translated into another protocol. */
function translated({ body }: Recording, to: ProtocolId, kind: BodyKind): typeof fetch {
  const pipe = new TranslatePipe({
    from: { codec: callerProtocol('openai-responses')!.codec!, kind: 'stream' },
    to: { codec: callerProtocol(to)!.codec!, kind },
    writer: writerOptions(),
    thinkingToContent: false,
    secrets: [],
    rewrite: undefined,
  });
  const { passed, end } = feed(pipe, cuts(body, 777));
  return recordedFetch(Buffer.concat([passed, end.tail!]), pipe.contentType);
}

describe.skipIf(!haveRecordings)('recorded answers over the gateway (skipped without the recordings)', () => {
  test.each(of('openai-responses'))('%s gives its answer to its own client', async (_file, recording) => {
    const own = 'openai (responses)';
    expect(await throughGateway(own, recording, 'openai-recorded', true)).toEqual(
      await original(own, recording),
    );
  });

  test.each(of('openai-responses'))(
    '%s gives the same answer to clients of other protocols',
    async (_file, recording) => {
      const expected = await original('openai (responses)', recording);
      const protocols = [
        ['openai-chat', 'openai (chat)'],
        ['anthropic-messages', '@anthropic-ai/sdk'],
        ['gemini', '@google/genai'],
      ] as const;
      for (const [protocol, client] of protocols) {
        for (const stream of [true, false]) {
          const fetch = translated(recording, protocol, stream ? 'stream' : 'json');
          const read = await clients[client]({ ...nowhere, stream, fetch });
          expect([client, stream, inChatWords(read)]).toEqual([client, stream, expected]);
        }
      }
    },
  );

  test.each(of('gemini'))('%s gives the same answer to all clients', async (_file, recording) => {
    const own = '@google/genai';
    const same = await throughGateway(own, recording, 'gemini-recorded', true);
    expect(same).toEqual(await original(own, recording));
    const others = ['openai (chat)', 'openai (responses)', '@anthropic-ai/sdk'] as const;
    const { expected, read } = await readings(others, own, recording, 'gemini-recorded');
    expect(read.map(withoutCode)).toEqual(expected);
    const fences = read.filter((each) => typeof each === 'object' && each.text.includes('```python\n'));
    expect(fences).toHaveLength(hasCode(recording) ? read.length : 0);
  });

  const both = ['openai (responses)', '@google/genai'] as const;

  test.each(of('openai-chat'))(
    '%s gives the same answer to clients of Responses and Gemini',
    async (_file, recording) => {
      const { expected, read } = await readings(both, 'openai (chat)', recording, 'chat-recorded');
      expect(read).toEqual(expected);
    },
  );

  test.each(of('anthropic-messages'))(
    '%s gives the same answer to clients of Responses and Gemini',
    async (_file, recording) => {
      const { expected, read } = await readings(both, '@anthropic-ai/sdk', recording, 'claude-recorded');
      expect(read).toEqual(expected);
    },
  );

  test('no hold is left open and nothing unpaid', async () => {
    expect(await gate.openHolds()).toBe(0);
    expect(await gate.findings()).toEqual([]);
  });
});
