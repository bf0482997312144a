import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freshServer, missingServer } from '../store/each-dialect.ts';
import { linkedPair } from '../testing/linked/linked-pair.ts';
import { offerCache, openCache, slidingHit } from './index.ts';
import { createLinkedCache } from './linked.ts';
import { createMemoryCache } from './memory.ts';
import type { Cache } from './port.ts';
import { createRedisCache } from './redis.ts';

const missing = missingServer('redis');
const broken = (error: unknown): never => {
  throw error;
};

const kinds = [
  { kind: 'in memory', skip: false, open: async () => createMemoryCache(Date.now) },
  {
    kind: 'of another process of ours',
    skip: false,
    async open() {
      const { links } = linkedPair();
      offerCache(links[1], createMemoryCache(Date.now));
      return createLinkedCache(links[0]);
    },
  },
  {
    kind: `through Redis${missing === undefined ? '' : ` (${missing})`}`,
    skip: missing !== undefined,
    open: async () =>
      createRedisCache({
        url: await freshServer('redis'),
        prefix: `${randomUUID()}:`,
        clock: Date.now,
        onError: broken,
      }),
  },
];

for (const { kind, skip, open } of kinds) {
  describe.skipIf(skip)(`the cache ${kind}`, () => {
    let cache: Cache;
    beforeEach(async () => {
      cache = await open();
    });
    afterEach(() => cache.close());

    it('counts every hit, however many come at once', async () => {
      const counts = await Promise.all(Array.from({ length: 50 }, () => cache.hit('a', 60)));
      expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
      expect(await cache.hit('a', 60, 10)).toBe(60);
      expect(await cache.hit('b', 60)).toBe(1);
      expect(await cache.get('a')).toBe('60');
    });

    it('forgets a counter a fixed time after its first hit, not its last', async () => {
      await cache.hit('a', 1);
      await expect.poll(() => cache.hit('a', 1), { timeout: 5_000, interval: 50 }).toBe(1);
    });

    it('keeps a value for its time', async () => {
      await cache.set('a', '值', 60);
      await cache.set('a', 'b', 60);
      await cache.set('short', 'x', 1);
      expect(await cache.get('a')).toBe('b');
      await expect.poll(() => cache.get('short'), { timeout: 5_000 }).toBeUndefined();
      await cache.remove('a');
      expect(await cache.get('a')).toBeUndefined();
    });

    it('lets one of many concurrent callers be the first', async () => {
      const won = await Promise.all(Array.from({ length: 20 }, (_, i) => cache.setIfNew('a', String(i), 60)));
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await cache.get('a')).toBe(String(won.indexOf(true)));
    });

    it('never gives more from a bucket than it has, however many take at once', async () => {
      const bucket = { capacity: 5, refillMs: 60_000 };
      const drawn = await Promise.all(Array.from({ length: 20 }, () => cache.draw('bucket', bucket)));
      expect(drawn.filter(Boolean)).toHaveLength(5);
      await expect
        .poll(() => cache.draw('quick', { capacity: 1, refillMs: 50 }), { timeout: 5_000 })
        .toBe(true);
      await expect
        .poll(() => cache.draw('quick', { capacity: 1, refillMs: 50 }), { timeout: 5_000 })
        .toBe(true);
    });

    it('gives a single-use value to one of many', async () => {
      await cache.set('state', 'secret', 60);
      const taken = await Promise.all(Array.from({ length: 20 }, () => cache.take('state')));
      expect(taken.filter((value) => value === 'secret')).toHaveLength(1);
      expect(await cache.take('state')).toBeUndefined();
    });

    it('notifies listeners until they stop; one that throws affects no other', async () => {
      const heard: string[] = [];
      const stop = await cache.subscribe('changes', (notice) => heard.push(`1 ${notice}`));
      await cache.subscribe('changes', (notice) => heard.push(`2 ${notice}`));
      await cache.subscribe('other', (notice) => heard.push(`other ${notice}`));
      await cache.publish('changes', 'options');
      await expect.poll(() => heard.toSorted()).toEqual(['1 options', '2 options']);
      await stop();
      await cache.publish('changes', 'channels');
      await cache.publish('nobody', 'x');
      await expect.poll(() => heard).toContain('2 channels');
      expect(heard).not.toContain('1 channels');
    });
  });
}

describe('the cache in memory', () => {
  it('uses its own clock', async () => {
    let now = 1_000_000;
    const cache = createMemoryCache(() => now);
    await cache.hit('a', 10);
    now += 9_999;
    expect(await cache.hit('a', 10)).toBe(2);
    now += 2;
    expect(await cache.hit('a', 10)).toBe(1);
    await cache.set('b', 'x', 10);
    now += 10_001;
    expect(await cache.get('b')).toBeUndefined();
  });

  it('evicts the least recently used when too many names come', async () => {
    const cache = createMemoryCache(Date.now, 100);
    await cache.hit('first', 60);
    await cache.hit('kept', 60);
    for (let i = 0; i < 98; i += 1) await cache.hit(`flood ${i}`, 60);
    await cache.hit('kept', 60);
    for (let i = 0; i < 50; i += 1) await cache.hit(`more ${i}`, 60);
    expect(await cache.get('first')).toBeUndefined();
    expect(await cache.get('kept')).toBe('2');
  });
});

describe('a sliding window', () => {
  it('counts the previous window by its overlapping share', async () => {
    let now = 0;
    const cache = createMemoryCache(() => now + 1_000_000_000);
    const hit = (): Promise<number> => slidingHit(cache, 'a', 10, () => now);
    for (let i = 1; i <= 8; i += 1) expect(await hit()).toBe(i);
    now = 10_000;
    expect(await hit()).toBe(9);
    now = 15_000;
    expect(await hit()).toBe(2 + 4);
    now = 20_000;
    expect(await hit()).toBe(1 + 2);
    now = 40_000;
    expect(await hit()).toBe(1);
  });
});

describe.skipIf(missing !== undefined)('Redis that comes back', () => {
  it('delivers notices again', async () => {
    const url = await freshServer('redis');
    const prefix = `${randomUUID()}:`;
    const errors: unknown[] = [];
    const cache = await createRedisCache({
      url,
      prefix,
      clock: Date.now,
      onError: (error) => void errors.push(error),
    });
    const heard: string[] = [];
    await cache.subscribe('changes', (notice) => heard.push(notice));
    const { Redis } = await import('ioredis');
    const admin = new Redis(url);
    await admin.call('client', 'kill', 'type', 'pubsub');
    await expect
      .poll(async () => {
        await cache.publish('changes', 'options');
        return heard.length;
      })
      .toBeGreaterThan(0);
    admin.disconnect();
    await cache.close();
  });
});

describe('without Redis answering', () => {
  it('each process counts for itself, and notices still reach it', async () => {
    const errors: unknown[] = [];
    const cache = await openCache({
      redisUrl: 'redis://127.0.0.1:1',
      clock: Date.now,
      onError: (error) => void errors.push(error),
    });
    expect(await cache.hit('a', 60)).toBe(1);
    expect(await cache.hit('a', 60)).toBe(2);
    await cache.set('b', 'x', 60);
    expect(await cache.take('b')).toBe('x');
    expect(await cache.setIfNew('c', 'x', 60)).toBe(true);
    expect(await cache.get('c')).toBe('x');
    const heard: string[] = [];
    const stop = await cache.subscribe('changes', (notice) => heard.push(notice));
    await cache.publish('changes', 'options');
    await expect.poll(() => heard).toEqual(['options']);
    await stop();
    expect(errors.length).toBeGreaterThan(0);
    await cache.close();
  });

  it('memory alone is enough', async () => {
    const cache = await openCache({ redisUrl: '', clock: Date.now, onError: broken });
    expect(await cache.hit('a', 60)).toBe(1);
    await cache.close();
  });
});
