import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Cache, openCache } from '../../../cache/index.ts';
import { freshServer, missingServer } from '../../../store/each-dialect.ts';
import { createModelLimiter, type ModelLimits } from './index.ts';

const limits: ModelLimits = { total: 3, success: 2, windowMinutes: 1 };
const missing = missingServer('redis');
const silent = { warn: () => undefined };

const kinds = [
  { kind: 'in one process', skip: false, url: async () => '' },
  {
    kind: `through Redis${missing === undefined ? '' : ` (${missing})`}`,
    skip: missing !== undefined,
    url: () => freshServer('redis'),
  },
  { kind: 'while Redis is away', skip: false, url: async () => 'redis://127.0.0.1:1' },
];

/** A user without counts from other tests. */
let userId = 0;
let now = 1_000_000_000;
const clock = (): number => now;
const openAt = (redisUrl: string, aheadMs = 0): Promise<Cache> =>
  openCache({ redisUrl, clock: () => now + aheadMs, onError: () => undefined });
const limiterOn = (cache: Cache) => createModelLimiter({ cache, clock, log: silent });
beforeEach(() => {
  userId += 1;
});

for (const { kind, skip, url } of kinds) {
  describe.skipIf(skip)(`model request limits ${kind}`, () => {
    let cache: Cache;
    let limiter: ReturnType<typeof createModelLimiter>;
    beforeEach(async () => {
      cache = await openAt(await url());
      limiter = limiterOn(cache);
    });
    afterEach(() => cache.close());
    const admit = async (more: Partial<ModelLimits> = {}) => limiter.admit(userId, { ...limits, ...more });

    it('refuse beyond the total, failures included, with the reason', async () => {
      for (let i = 0; i < 3; i += 1) expect((await admit()).allowed).toBe(true);
      const verdict = await admit();
      expect(verdict).toMatchObject({ allowed: false, retryAfterSeconds: 20 });
      expect(!verdict.allowed && [verdict.reached, verdict.values]).toEqual([
        'total_limit_reached',
        { minutes: 1, count: 3 },
      ]);
    });

    it('admit no more than the total, however many come at once', async () => {
      const verdicts = await Promise.all(Array.from({ length: 40 }, () => admit({ total: 20 })));
      expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(20);
    });

    it('refuse beyond the successes but not for failures alone', async () => {
      for (let i = 0; i < 50; i += 1) expect((await admit({ total: 0 })).allowed).toBe(true);
      limiter.succeeded(userId, limits);
      limiter.succeeded(userId, limits);
      await expect.poll(() => admit({ total: 0 })).toMatchObject({ allowed: false, retryAfterSeconds: 30 });
    });

    it('admit again as time passes, and not when the clock steps back', async () => {
      for (let i = 0; i < 3; i += 1) await admit();
      now -= 3_600_000;
      expect((await admit()).allowed).toBe(false);
      now += 20_000;
      expect((await admit()).allowed).toBe(true);
      expect((await admit()).allowed).toBe(false);
    });

    it('separate users, and are those of the group of the request', async () => {
      for (let i = 0; i < 4; i += 1) await admit();
      expect((await admit()).allowed).toBe(false);
      expect((await limiter.admit(userId + 1, limits)).allowed).toBe(true);
      userId += 2;
      for (let i = 0; i < 10; i += 1) expect((await admit({ total: 100 })).allowed).toBe(true);
    });
  });
}

describe.skipIf(missing !== undefined)('two processes on one Redis', () => {
  it('count together, also with clocks that differ a little', async () => {
    const url = await freshServer('redis');
    const caches = await Promise.all([openAt(url), openAt(url, 400)]);
    const [first, second] = caches.map((cache, index) =>
      createModelLimiter({ cache, clock: () => now + index * 400, log: silent }),
    );
    const open = { ...limits, total: 20, success: 5 };
    let allowed = 0;
    for (let i = 0; i < 40; i += 1) {
      const verdict = await (i % 2 === 0 ? first! : second!).admit(userId, open);
      if (verdict.allowed) allowed += 1;
    }
    expect(allowed).toBe(20);
    const other = userId + 1_000;
    for (let i = 0; i < 5; i += 1) (i % 2 === 0 ? first! : second!).succeeded(other, open);
    for (const limiter of [first!, second!]) {
      await expect.poll(() => limiter.admit(other, open)).toMatchObject({ allowed: false });
    }
    await Promise.all(caches.map((cache) => cache.close()));
  });
});
