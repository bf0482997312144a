import { LRUCache } from 'lru-cache';
import type { Clock } from '../lib/clock.ts';
import { type Filled, refilled } from './bucket.ts';
import { Listeners } from './listeners.ts';
import type { Cache } from './port.ts';

/** Names kept; beyond it the one unused longest is forgotten, so that a flood of addresses cannot fill the memory. */
const MAX_NAMES = 100_000;

function parseFilled(text: string): Filled {
  const [left = 0, at = 0] = text.split(' ').map(Number);
  return { left, at };
}

/** A cache for one process. What others count or tell does not reach it. */
export function createMemoryCache(clock: Clock, maxNames = MAX_NAMES): Cache {
  const kept = new LRUCache<string, string>({
    // Bounded by size: `max` takes the room for all at once.
    maxSize: maxNames,
    sizeCalculation: () => 1,
    perf: { now: clock },
    // Asks the clock each time; the default looks at most once a millisecond, by the system's time.
    ttlResolution: 0,
  });
  const listeners = new Listeners();
  const put = (name: string, value: string, ttlSeconds: number): void => {
    kept.set(name, value, { ttl: ttlSeconds * 1000 });
  };

  return {
    async hit(name, ttlSeconds, by = 1) {
      const before = kept.get(name);
      const count = Number(before ?? 0) + by;
      if (before === undefined) put(name, String(count), ttlSeconds);
      else kept.set(name, String(count), { noUpdateTTL: true });
      return count;
    },
    async get(name) {
      return kept.get(name);
    },
    async set(name, value, ttlSeconds) {
      put(name, value, ttlSeconds);
    },
    async setIfNew(name, value, ttlSeconds) {
      if (kept.get(name) !== undefined) return false;
      put(name, value, ttlSeconds);
      return true;
    },
    async take(name) {
      const value = kept.get(name);
      kept.delete(name);
      return value;
    },
    async remove(name) {
      kept.delete(name);
    },
    async draw(name, bucket) {
      const before = kept.get(name);
      const filled = refilled(before === undefined ? undefined : parseFilled(before), bucket, clock());
      const isDrawn = filled.left >= 1;
      const left = isDrawn ? filled.left - 1 : filled.left;
      put(name, `${left} ${filled.at}`, bucket.refillMs / 1000);
      return isDrawn;
    },
    async publish(channel, notice) {
      listeners.notify(channel, notice);
    },
    async subscribe(channel, listener) {
      listeners.add(channel, listener);
      return async () => void listeners.remove(channel, listener);
    },
    async close() {
      kept.clear();
      listeners.clear();
    },
  };
}
