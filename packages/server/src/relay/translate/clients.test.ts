import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { replay } from '../../testing/upstream/fake-upstream-faults.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import {
  inChatWords,
  readByAnthropic,
  readByOpenai,
  recordedFetch,
  withCounts,
} from '../../testing/protocols/read-by-clients.ts';
import { haveRecordings, type Recording, recordedStreams } from '../../testing/protocols/recordings.ts';

let gate: GatewayHarness;
let caller: TestCaller;

beforeAll(async () => {
  gate = await openGateway();
  await gate.core.settings.set('SelfUseModeEnabled', 'true');
  await gate.addChannel({ type: 14, models: 'claude-recorded' });
  await gate.addChannel({ type: 1, models: 'chat-recorded' });
  caller = await gate.addCaller({ balance: 5_000_000_000 });
});
afterAll(() => gate.close());

const of = (protocol: string) =>
  (haveRecordings ? recordedStreams(protocol) : []).map((recording) => [recording.file, recording] as const);

const noNetwork = { url: 'http://recorded.invalid', key: 'none', model: 'm', stream: true };

const isFailure = ({ end }: Recording): boolean => end === 'failure';

describe.skipIf(!haveRecordings)('recorded answers over the gateway (skipped without the recordings)', () => {
  const ask = (model: string, stream: boolean) => ({ url: gate.url, key: caller.key, model, stream });
  const serve = ({ body, contentType }: Recording, size: number): void =>
    gate.upstream.next(replay(body, [size], contentType || 'text/event-stream'));

  test.each(of('anthropic-messages'))(
    '%s gives the same answer to clients of OpenAI',
    async (_file, recording) => {
      const fetch = recordedFetch(recording.body, recording.contentType);
      const original = inChatWords(await readByAnthropic({ ...noNetwork, fetch }));
      for (const stream of [true, false]) {
        serve(recording, 777);
        expect(await readByOpenai(ask('claude-recorded', stream))).toEqual(original);
      }
    },
  );

  const chats = of('openai-chat');
  test.each(chats.filter(([, recording]) => !isFailure(recording)))(
    '%s gives the same answer to clients of Anthropic',
    async (_file, recording) => {
      const fetch = recordedFetch(recording.body, recording.contentType);
      const original = await readByOpenai({ ...noNetwork, fetch });
      // Snowflake sends no reason; Anthropic's protocol requires one.
      original.finish ||= 'stop';
      for (const stream of [true, false]) {
        serve(recording, 777);
        const read = inChatWords(await readByAnthropic(ask('chat-recorded', stream)));
        expect(read).toEqual(withCounts(original, read));
        expect(read.inputTokens).toBeGreaterThan(0);
      }
    },
  );

  test.each(chats.filter(([, recording]) => isFailure(recording)))(
    '%s fails for clients of Anthropic, too',
    async (_file, recording) => {
      for (const stream of [true, false]) {
        serve(recording, 777);
        await expect(readByAnthropic(ask('chat-recorded', stream))).rejects.toThrow(/error|fail/i);
      }
    },
  );

  test('no hold is left open and nothing unpaid', async () => {
    expect(await gate.openHolds()).toBe(0);
    expect(await gate.findings()).toEqual([]);
  });
});
