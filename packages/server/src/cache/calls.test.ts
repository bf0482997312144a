import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freshServer, missingServer } from '../store/each-dialect.ts';
import { linkedPair } from '../testing/linked/linked-pair.ts';
import { createLinkedCache, offerCache } from './linked.ts';
import { createMemoryCache } from './memory.ts';
import { type Cache, callLeaseMs, type CallLimit } from './port.ts';
import { createRedisCache } from './redis.ts';

const missing = missingServer('redis');
let now = 0;
const clock = () => now;

const kinds: { kind: string; skip?: boolean; runs: number; open: () => Promise<Cache[]> }[] = [
  { kind: 'in memory', runs: 300, open: async () => [createMemoryCache(clock)] },
  {
    kind: 'of two linked processes',
    runs: 60,
    async open() {
      const shared = createMemoryCache(clock);
      return [1, 2].map(() => {
        const { links } = linkedPair();
        offerCache(links[1], shared);
        return createLinkedCache(links[0]);
      });
    },
  },
  {
    kind: `of two processes through Redis${missing === undefined ? '' : ` (${missing})`}`,
    skip: missing !== undefined,
    runs: 60,
    async open() {
      const url = await freshServer('redis');
      const prefix = `${randomUUID()}:`;
      const onError = (error: unknown): never => {
        throw error;
      };
      return Promise.all([1, 2].map(() => createRedisCache({ url, prefix, clock, onError })));
    },
  },
];

const limit = fc.record({
  requests: fc.integer({ min: 0, max: 6 }),
  tokens: fc.constantFrom(0, 50, 100),
  calls: fc.integer({ min: 0, max: 3 }),
});
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ act: fc.constant('start' as const), tokens: fc.integer({ min: 0, max: 60 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant('end' as const),
      which: fc.nat(20),
      used: fc.option(fc.integer({ min: 0, max: 80 })),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ act: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 40_000 }) }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('renew' as const) }) },
);

/** A call as the model knows it; `used` once it has ended and was counted anew. */
interface Known {
  id: string;
  at: number;
  tokens: number;
  leaseUntil: number;
  endedAt?: number;
  used?: number | null;
}

/** All calls that ever started under a limit; counts them by definition, without windows of seconds. */
class Model {
  readonly calls: Known[] = [];

  running(): number {
    return this.calls.filter(({ endedAt, leaseUntil }) => endedAt === undefined && leaseUntil > now).length;
  }

  startedSince(at: number): number {
    return this.calls.filter((call) => call.at >= at).length;
  }

  tokensSince(at: number): number {
    return this.calls.reduce((sum, call) => {
      const isCounted = call.endedAt !== undefined && typeof call.used === 'number';
      const [time, tokens] = isCounted ? [call.endedAt!, call.used as number] : [call.at, call.tokens];
      return sum + (time >= at ? tokens : 0);
    }, 0);
  }
}

for (const { kind, skip, runs, open } of kinds) {
  describe.skipIf(skip ?? false)(`limits of calls ${kind}`, () => {
    it('never let more calls, starts or tokens of a minute pass than allowed, and refuse nothing that fits', async () => {
      const caches = await open();
      const property = fc.asyncProperty(
        fc.array(limit, { minLength: 1, maxLength: 2 }),
        fc.array(step, { maxLength: 60 }),
        async (limits, steps) => {
          const named = limits.map((each) => ({ ...each, name: randomUUID() }));
          expect(await play(caches, named, steps)).toEqual([]);
        },
      );
      await expect(fc.assert(property, { numRuns: runs })).resolves.toBeUndefined();
      for (const cache of caches) await cache.close();
    });

    it('start as many of simultaneous calls as are allowed', async () => {
      now = 1_000_000_000;
      const caches = await open();
      const name = randomUUID();
      const asked = Array.from({ length: 40 }, (_, n) =>
        caches[n % caches.length]!.enter({ id: `call ${n}`, tokens: 1 }, [
          { name, requests: 0, tokens: 0, calls: 7 },
        ]),
      );
      const reached = await Promise.all(asked);
      expect(reached.filter((each) => each === undefined)).toHaveLength(7);
      expect(reached.find(Boolean)).toEqual({ name, by: 'calls', waitMs: 0 });
      for (const cache of caches) await cache.close();
    });
  });
}

/** Plays the steps on the caches and on the model; returns what they disagree on. */
async function play(
  caches: Cache[],
  limits: CallLimit[],
  steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[],
): Promise<string[]> {
  const model = new Model();
  const faults: string[] = [];
  const names = limits.map(({ name }) => name);
  now = 1_000_000_000;
  for (const [n, each] of steps.entries()) {
    const cache = caches[n % caches.length]!;
    if (each.act === 'pass') now += each.ms;
    else if (each.act === 'renew') {
      for (const name of names)
        await cache.renew(
          name,
          model.calls.map(({ id }) => id),
        );
      for (const call of model.calls) if (call.leaseUntil > now) call.leaseUntil = now + callLeaseMs;
    } else if (each.act === 'end') {
      const call = model.calls[each.which];
      if (!call || call.endedAt !== undefined) continue;
      await cache.leave({ ...call, startedAt: call.at, used: each.used }, names);
      Object.assign(call, { endedAt: now, used: each.used });
    } else {
      const call = { id: `call ${n}`, tokens: each.tokens };
      const foreseen = await cache.enter({ ...call, id: '' }, limits);
      const reached = await cache.enter(call, limits);
      // Seconds are counted whole: a start may come a second late, never early.
      if (!reached && !fits(model, limits, call.tokens, 60)) faults.push(`${n}: started too early`);
      if (reached && fits(model, limits, call.tokens, 61)) faults.push(`${n}: refused, although it fits`);
      if (reached && reached.waitMs > 0 !== (reached.by !== 'calls')) faults.push(`${n}: wrong wait`);
      if (JSON.stringify(foreseen) !== JSON.stringify(reached)) faults.push(`${n}: foreseen otherwise`);
      if (!reached) model.calls.push({ ...call, at: now, leaseUntil: now + callLeaseMs });
    }
  }
  return faults;
}

const fits = (model: Model, limits: CallLimit[], asked: number, seconds: number): boolean =>
  limits.every(
    ({ requests, tokens, calls }) =>
      (calls === 0 || model.running() < calls) &&
      (requests === 0 || model.startedSince(now - seconds * 1_000) < requests) &&
      (tokens === 0 || model.tokensSince(now - seconds * 1_000) + Math.min(asked, tokens) <= tokens),
  );
