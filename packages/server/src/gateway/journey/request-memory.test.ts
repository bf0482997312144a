import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Behaviour, sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';
import { chatChunk, delta, doneEvent, event, usageBody } from '../../testing/upstream/fake-upstream-wire.ts';
import { type GatewayHarness, openGateway } from '../../testing/gateway-harness.ts';
import { Journey } from './journey.ts';

let gate: GatewayHarness;
const model = 'gpt-4o-mini';

beforeAll(async () => {
  gate = await openGateway();
  await gate.addChannel({ models: model });
});
afterAll(() => gate.close());

/** Bytes of requests that the running calls keep in memory. */
const keptBytes = (): number[] =>
  gate.relay.gateway.running['requests']
    .filter((each) => each instanceof Journey)
    .map(({ relayCall, attempt }) => relayCall.raw.length + (attempt?.['call']?.body.length ?? 0));

it('a stream keeps its request until a part of its answer was sent, and no longer', async () => {
  const { key } = await gate.addCaller({ balance: 5_000_000 });
  const [asked, goOn, end] = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const answers: Behaviour = async (exchange) => {
    asked!.resolve();
    await goOn!.promise;
    exchange.head(200, sseHeaders);
    await exchange.write(event(chatChunk(model, [delta({ content: 'Hello' })])));
    await end!.promise;
    await exchange.write(event(chatChunk(model, [delta({}, 'stop')])));
    await exchange.write(event(chatChunk(model, [], usageBody(10, 1))));
    await exchange.write(doneEvent);
    await exchange.end();
  };
  gate.upstream.next(answers);
  const body = JSON.stringify({
    model,
    stream: true,
    messages: [{ role: 'user', content: 'x'.repeat(9_999) }],
  });
  const answer = fetch(`${gate.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  });
  await asked!.promise;
  expect(keptBytes().map((bytes) => bytes >= 2 * body.length)).toEqual([true]);
  goOn!.resolve();
  const reader = (await answer).body!.getReader();
  await reader.read();
  expect(keptBytes()).toEqual([0]);
  end!.resolve();
  for (let read = await reader.read(); !read.done;) read = await reader.read();
  expect(await gate.findings()).toEqual([]);
});
