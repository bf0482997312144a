import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createMemoryCache } from '../../../cache/memory.ts';
import { createLinkedCache, offerCache } from '../../../cache/linked.ts';
import { type CallLimits, type Channel, unsavedChannel } from '../../../relay/types/index.ts';
import { linkedPair } from '../../../testing/linked/linked-pair.ts';
import { createLimits, isFull, isLimitReason, type Limits, type Reservation } from './limits.ts';

const quiet = { warn() {} };
const none: CallLimits = { requests: 0, tokens: 0, calls: 0, dollars: 0 };
const limited = (id: number, limits: Partial<CallLimits>, waitMs = 0): Channel => ({
  ...unsavedChannel({ type: 1, key: '', baseUrl: '', id }),
  limits: { channel: { ...none, ...limits }, waitMs },
});

let now = 1_700_000_000_000;
const clock = () => now;

/** Several processes that share the counters of one. */
function processes(count: number): Limits[] {
  const shared = createMemoryCache(clock);
  return Array.from({ length: count }, () => {
    const { links } = linkedPair();
    offerCache(links[1], shared);
    const cache = createLinkedCache(links[0]);
    const spends = { today: async () => 0 };
    return createLimits({ cache, spends, clock, unitsPerDollar: () => 500_000, log: quiet });
  });
}

/** Lets time pass until something has happened. */
async function settle(awaited: Promise<unknown>, meanwhile = () => {}): Promise<void> {
  let isDone = false;
  void awaited.then(() => (isDone = true));
  while (!isDone) {
    meanwhile();
    await turn();
    await vi.advanceTimersByTimeAsync(200);
  }
}

const asReservation = (found: Reservation | object): Reservation | undefined =>
  'end' in found ? (found as Reservation) : undefined;

describe('limits of channels, shared by two processes', () => {
  it('never let more calls run than allowed, however they start, wait and end', async () => {
    const act = fc.record({ process: fc.nat(1), ends: fc.nat(5), waits: fc.boolean() });
    const property = fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.array(act, { maxLength: 25 }),
      async (calls, acts) => {
        const both = processes(2);
        const channel = limited(1, { calls }, 60_000);
        const running: Reservation[] = [];
        let most = 0;
        const note = (found: Reservation | undefined): void => {
          if (found) most = Math.max(most, running.push(found));
        };
        const waiting: Promise<void>[] = [];
        for (const { process, ends, waits } of acts) {
          const limits = both[process]!;
          const found = await limits.reserve(channel, 1);
          note(asReservation(found));
          if (waits && isFull(found)) {
            const wait = limits.waitFor({ channels: [found], tokens: 1, isOver: () => false });
            waiting.push(wait.then((free) => note(free?.reservation)));
          }
          for (const reservation of running.splice(0, ends)) reservation.end(1);
          await turn();
        }
        await settle(Promise.all(waiting), () => {
          for (const reservation of running.splice(0)) reservation.end(1);
        });
        expect(most).toBeLessThanOrEqual(calls);
      },
    );
    await expect(fc.assert(property, { numRuns: 40 })).resolves.toBeUndefined();
  });

  it('are free a minute after a process was killed, and never while its calls are renewed', async () => {
    const [one, other] = processes(2) as [Limits, Limits];
    const channel = limited(1, { calls: 1 });
    const running = asReservation(await one.reserve(channel, 0))!;
    for (let step = 0; step < 10; step += 1) {
      now += 20_000;
      await vi.advanceTimersByTimeAsync(20_000);
      await turn();
      expect(await other.reserve(channel, 0)).toMatchObject({ reason: 'channel_calls_limit' });
    }
    // Without a timer nothing is renewed any more.
    vi.clearAllTimers();
    now += 60_001;
    expect(isFull(await other.reserve(channel, 0))).toBe(false);
    running.end();
  });

  it('let a later call not overtake one that waits', async () => {
    const [one] = processes(1) as [Limits];
    const channel = limited(1, { tokens: 100 }, 60_000);
    asReservation(await one.reserve(channel, 80))!.end(80);
    // Its end is counted before the answer to this one.
    await one.reserve(channel, 0);
    now += 10_000;
    const full = await one.reserve(channel, 90);
    const order: string[] = [];
    const large = one
      .waitFor({ channels: [full as never], tokens: 90, isOver: () => false })
      .then(() => order.push('large'));
    expect(await one.reserve(channel, 1)).toMatchObject({ reason: 'channel_tokens_limit' });
    now += 62_000;
    await settle(large);
    expect(isFull(await one.reserve(channel, 1))).toBe(false);
    expect(order).toEqual(['large']);
  });

  it('refuse a call at once where a thousand wait', async () => {
    const [one] = processes(1) as [Limits];
    const channel = limited(1, { calls: 1 }, 60_000);
    const running = asReservation(await one.reserve(channel, 0))!;
    const full = (await one.reserve(channel, 0)) as never;
    let isOver = false;
    const asked = Array.from({ length: 1_000 }, () =>
      one.waitFor({ channels: [full], tokens: 0, isOver: () => isOver }),
    );
    expect(await one.waitFor({ channels: [full], tokens: 0, isOver: () => false })).toBeUndefined();
    isOver = true;
    await settle(Promise.all(asked));
    expect((await Promise.all(asked)).filter(Boolean)).toEqual([]);
    running.end();
  });
});

it('reasons are told apart from errors of upstreams', () => {
  expect(isLimitReason('key_spend_limit')).toBe(true);
  expect(isLimitReason('rate_limit_exceeded')).toBe(false);
});

beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }),
);
afterEach(() => void vi.useRealTimers());
