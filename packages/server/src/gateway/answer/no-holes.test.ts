import { afterAll, beforeAll, expect, it } from 'vitest';
import { chatChunk, delta, doneEvent, event, usageBody } from '../../testing/upstream/fake-upstream-wire.ts';
import { replay } from '../../testing/upstream/fake-upstream-faults.ts';
import { type GatewayHarness, openGateway } from '../../testing/gateway-harness.ts';

let gate: GatewayHarness;
const model = 'gpt-4o';
const count = 2_400;

beforeAll(async () => {
  gate = await openGateway();
  await gate.core.settings.set('ModelRatio', JSON.stringify({ [model]: 1.25 }));
  await gate.addChannel({ models: model });
});
afterAll(() => gate.close());

const word = (index: number): string => `number ${index} of many words, `;
const stream = Buffer.from(
  Array.from({ length: count }, (_, index) =>
    event(chatChunk(model, [delta({ content: word(index) })])),
  ).join('') +
    event(chatChunk(model, [delta({}, 'stop')])) +
    event(chatChunk(model, [], usageBody(10, count * 7))) +
    doneEvent,
);

/** Received numbers, in the order of arrival. */
const numbersIn = (text: string): number[] =>
  [...text.matchAll(/number (\d+) of/g)].map(([, n]) => Number(n));

const calls = {
  'passed on': ['/v1/chat/completions', { messages: [{ role: 'user', content: 'count' }] }],
  translated: ['/v1/messages', { messages: [{ role: 'user', content: 'count' }] }],
} as const;

it.each(Object.keys(calls).flatMap((name) => [5_000_000, 60_000].map((balance) => [name, balance] as const)))(
  'a stream that is %s to a balance of %i has no holes and nothing twice, however it arrives',
  async (name, balance) => {
    const [path, body] = calls[name as keyof typeof calls];
    for (const size of [777, 4_096, 65_536, stream.length]) {
      const caller = await gate.addCaller({ balance });
      gate.upstream.next(replay(stream, [size]));
      const answer = await fetch(gate.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, stream: true, ...body }),
      });
      const numbers = numbersIn(await answer.text());
      expect(numbers).toEqual(numbers.map((_, index) => index));
      expect([size, numbers.length === count]).toEqual([size, balance > 1_000_000]);
      await gate.core.ledger.flush();
      const left = await gate.readBalance(caller);
      expect(left.held).toBe(0);
      expect(left.balance).toBeGreaterThanOrEqual(0);
    }
    expect(await gate.findings()).toEqual([]);
  },
);
