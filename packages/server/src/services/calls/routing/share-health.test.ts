import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openCache } from '../../../cache/index.ts';
import { createHealth, type Health, type HealthEvent, type HealthId, shareHealth } from './health.ts';

/** Health of channels in two processes that share a cache. */
async function openTwo(clock: () => number): Promise<[Health, Health]> {
  const cache = await openCache({ redisUrl: '', clock, onError: () => undefined });
  const open = async (): Promise<Health> => {
    const listeners: ((what: HealthEvent, id: HealthId, waitMs: number) => void)[] = [];
    const health = createHealth(clock, (what, id, waitMs) =>
      listeners.forEach((each) => each(what, id, waitMs)),
    );
    await shareHealth({ cache, health, onEvent: (listener) => listeners.push(listener) });
    return health;
  };
  return [await open(), await open()];
}

describe('the health of channels in two processes', () => {
  it('is shared: failures add up, one request of all tries the channel, and its success is known to both', async () => {
    let now = 1_000_000;
    const [first, second] = await openTwo(() => now);
    const available = async (): Promise<boolean[]> => {
      await turn();
      return [first.available(7), second.available(7)];
    };
    for (const health of [first, second, first, second]) {
      health.failed(7);
      await turn();
    }
    expect(await available()).toEqual([true, true]);
    first.failed(7);
    expect(await available()).toEqual([false, false]);

    now += 15_001;
    expect(await available()).toEqual([true, true]);
    second.chosen(7);
    expect(await available()).toEqual([false, false]);
    second.succeeded(7);
    expect(await available()).toEqual([true, true]);
    expect([first.available(8), second.available(8)]).toEqual([true, true]);
  });

  it('rests at once, in both, for as long as the vendor said, and is then tried by one request', async () => {
    let now = 1_000_000;
    const [first, second] = await openTwo(() => now);
    first.failed(7, 60_000);
    await turn();
    for (const health of [first, second]) {
      expect(health.cooldownUntil(7)).toBe(now + 60_000);
      health.failed(7);
      expect(health.cooldownUntil(7), 'a failure that came late').toBe(now + 60_000);
    }
    now += 60_000;
    expect([first.available(7), second.available(7)]).toEqual([true, true]);
    first.chosen(7);
    await turn();
    expect([first.available(7), second.available(7)]).toEqual([false, false]);
  });

  it('never rests for longer than an hour because a vendor said so', () => {
    const health = createHealth(() => 0);
    health.failed(7, 86_400_000);
    expect(health.cooldownUntil(7)).toBe(3_600_000);
  });

  it.each<HealthId>([7, 'k7-0'])(
    "keeps a vendor's wait when an older call ends well, and a trial's result replaces it (%s)",
    async (id) => {
      let now = 1_000_000;
      const [first, second] = await openTwo(() => now);
      const available = async (): Promise<boolean[]> => {
        await turn();
        return [first.available(id), second.available(id)];
      };
      first.failed(id, 2_000);
      await turn();
      second.succeeded(id);
      second.failed(id, 500);
      await turn();
      now += 1_999;
      expect(await available()).toEqual([false, false]);
      now += 1;
      expect(await available()).toEqual([true, true]);
      second.chosen(id);
      second.failed(id, 3_000);
      expect(await available()).toEqual([false, false]);
      now += 3_000;
      expect(await available()).toEqual([true, true]);
      first.chosen(id);
      await turn();
      first.succeeded(id);
      expect(await available()).toEqual([true, true]);
    },
  );
});
