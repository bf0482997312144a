import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { StreamPass } from '../../relay/streams/index.ts';
import { answerEvents } from '../../testing/upstream/answer-events.ts';
import { sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';
import { type GatewayHarness, openGateway } from '../../testing/gateway-harness.ts';
import { HoldGuard } from '../hold/hold-guard.ts';

// An internal error at any point of reading an answer ends that call with an error. No caller waits forever, no hold
// remains and no rejection is unhandled. Every token costs one quota unit.

const model = 'gpt-4o-faulty';
let gate: GatewayHarness;
const unheard: unknown[] = [];
const note = (error: unknown): void => void unheard.push(error);

beforeAll(async () => {
  gate = await openGateway();
  await gate.addChannel({ type: 31, models: model, auto_ban: 0 });
  const each = JSON.stringify({ [model]: 1 });
  await gate.core.settings.setMany({ ModelRatio: each, CompletionRatio: each, RetryTimes: '0' });
  process.on('unhandledRejection', note);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await expect.poll(() => gate.relay.gateway.running.size).toBe(0);
  await gate.checkAtRest();
});
afterAll(async () => {
  process.off('unhandledRejection', note);
  await gate.close();
});

/**
 * Makes the n-th call of a method throw, counted over all objects of the class. Returns whether that call happened.
 */
function throwAt<Name extends string>(
  proto: Record<Name, (...given: never[]) => unknown>,
  name: Name,
  nth: number,
) {
  let calls = 0;
  const real = proto[name];
  vi.spyOn(proto as Record<string, (...given: never[]) => unknown>, name).mockImplementation(function (
    this: unknown,
    ...given: never[]
  ) {
    calls += 1;
    if (calls === nth) throw new TypeError('a fault of ours');
    return real.apply(this, given);
  });
  return () => calls >= nth;
}

async function ask(balance: number) {
  gate.upstream.next(async (exchange) => {
    exchange.head(200, sseHeaders);
    const pieces = ['One', ' two', ' three', ' four', ' five'];
    for (const event of answerEvents['openai-chat']({ pieces, input: 10, output: 9 })) {
      if (exchange.isGone) return;
      await exchange.write(event);
      await exchange.turn();
    }
    await exchange.end();
  });
  const caller = await gate.addCaller({ balance });
  const answer = await fetch(`${gate.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Count.' }] }),
  });
  return { text: await answer.text(), caller };
}

const places = [
  ['the reading', (nth: number) => throwAt(StreamPass.prototype, 'push', nth)],
  ['the end', (nth: number) => throwAt(StreamPass.prototype, 'end', nth)],
  ['the text', (nth: number) => throwAt(StreamPass.prototype, 'takeText', nth)],
  ['the report', (nth: number) => throwAt(StreamPass.prototype, 'takeReport', nth)],
  ['the watch', (nth: number) => throwAt(HoldGuard.prototype, 'admit', nth)],
  ['the watch over the end', (nth: number) => throwAt(HoldGuard.prototype, 'admitEnd', nth)],
] as const;

describe.each(places)('an exception in %s', (_where, breakAt) => {
  it.each([1, 2, 3, 4])('(call %i) ends the call with an error, for small and large answers', async (nth) => {
    // With a small balance, a piece waits until its payment is certain.
    for (const balance of [5_000_000, 45]) {
      const isThrown = breakAt(nth);
      const { text, caller } = await ask(balance);
      // An error after the last words does not remove any of them.
      expect(!isThrown() || /"error"|\[DONE\]/.test(text), text).toBe(true);
      await expect.poll(() => gate.relay.gateway.running.size).toBe(0);
      await gate.core.ledger.flush();
      const left = await gate.readBalance(caller);
      expect([left.held, left.balance >= 0]).toEqual([0, true]);
      vi.restoreAllMocks();
    }
    expect(unheard).toEqual([]);
  });
});
