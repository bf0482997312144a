import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { replay } from '../../testing/upstream/fake-upstream-faults.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { readByBedrock } from '../../testing/protocols/read-by-bedrock.ts';
import { inChatWords, readByAnthropic, readByOpenai } from '../../testing/protocols/read-by-clients.ts';
import { readByGemini } from '../../testing/protocols/read-by-gemini.ts';
import { readByResponses } from '../../testing/protocols/read-by-responses.ts';
import { haveRecordings, type Recording, recordedStreams } from '../../testing/protocols/recordings.ts';

let gate: GatewayHarness;
let caller: TestCaller;
const model = 'amazon.nova-recorded-v1:0';

beforeAll(async () => {
  gate = await openGateway();
  await gate.core.settings.set('SelfUseModeEnabled', 'true');
  await gate.addChannel({ type: 33, models: model, key: 'AKIDEXAMPLE|a-secret-key|us-east-1' });
  caller = await gate.addCaller({ balance: 5_000_000_000 });
});
afterAll(() => gate.close());

const clients = {
  'openai (chat)': readByOpenai,
  'openai (responses)': readByResponses,
  '@anthropic-ai/sdk': readByAnthropic,
  '@google/genai': readByGemini,
} as const;
type Client = keyof typeof clients;

/** A recording through the gateway, as a client reads it. */
async function throughGateway(client: Client, recording: Recording, stream: boolean) {
  gate.upstream.next(replay(recording.body, [777], recording.contentType));
  return inChatWords(await clients[client]({ url: gate.url, key: caller.key, model, stream }));
}

describe.skipIf(!haveRecordings)('recorded answers over the gateway (skipped without the recordings)', () => {
  const recordings = recordedStreams('bedrock-converse');
  const named = recordings.map((recording) => [recording.file, recording] as const);
  let replayed = 0;

  test.each(named.filter(([, { end }]) => end === 'complete'))(
    '%s gives the same answer to all clients',
    async (_file, recording) => {
      const expected = await readByBedrock(recording.body, recording.contentType, true);
      for (const client of Object.keys(clients) as Client[]) {
        for (const stream of [true, false]) {
          const read = await throughGateway(client, recording, stream);
          expect([client, stream, read]).toEqual([client, stream, expected]);
          replayed += 1;
        }
      }
    },
  );

  test.each(named.filter(([, { end }]) => end === 'failure'))(
    '%s fails for all clients',
    async (_file, recording) => {
      for (const client of Object.keys(clients) as Client[]) {
        for (const stream of [true, false]) {
          await expect(throughGateway(client, recording, stream)).rejects.toThrow(/./);
          replayed += 1;
        }
      }
    },
  );

  test('no hold is left open and nothing unpaid', async () => {
    expect(await gate.openHolds()).toBe(0);
    expect(await gate.findings()).toEqual([]);
    expect(replayed).toBe(recordings.length * 8);
    console.log(`bedrock converse: ${recordings.length} streams read by four clients, streamed and whole`);
  });
});
