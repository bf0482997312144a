import { LRUCache } from 'lru-cache';
import type { Clock } from '../lib/clock.ts';
import { type Filled, refilled } from './bucket.ts';
import { CallMeter, countedSeconds } from './call-meter.ts';
import { Listeners } from './listeners.ts';
import type { Bucket, Cache } from './port.ts';

/** Most entries; the least recently used ones are dropped, so that a flood of addresses cannot fill the memory. */
const MAX_NAMES = 100_000;

function parseFilled(text: string): Filled {
  const [left = 0, at = 0] = text.split(' ').map(Number);
  return { left, at };
}

/** Takes from a stored bucket; returns whether that succeeded, and the new state. */
function drawFrom(
  before: string | undefined,
  bucket: Bucket,
  now: number,
): { isDrawn: boolean; text: string } {
  const filled = refilled(before === undefined ? undefined : parseFilled(before), bucket, now);
  const isDrawn = filled.left >= 1;
  return { isDrawn, text: `${isDrawn ? filled.left - 1 : filled.left} ${filled.at}` };
}

/** The state of calls is kept for as long as it counts, and a little longer. */
const meterSeconds = 2 * countedSeconds;

const openNames = <Value extends {}>(clock: Clock, maxNames: number): LRUCache<string, Value> =>
  new LRUCache({
    // Bounded by size, because `max` would allocate the memory for all entries at once.
    maxSize: maxNames,
    sizeCalculation: () => 1,
    perf: { now: clock },
    // Reads the clock each time; the default does so at most once a millisecond, with the system's clock.
    ttlResolution: 0,
  });

/** A cache for one process, not shared with others. */
export function createMemoryCache(clock: Clock, maxNames = MAX_NAMES): Cache {
  const kept = openNames<string>(clock, maxNames);
  const meters = openNames<CallMeter>(clock, maxNames);
  const listeners = new Listeners();
  const put = (name: string, value: string, ttlSeconds: number): void => {
    kept.set(name, value, { ttl: ttlSeconds * 1000 });
  };

  const meterOf = (name: string): CallMeter => {
    const meter = meters.get(name) ?? new CallMeter();
    meters.set(name, meter, { ttl: meterSeconds * 1000 });
    return meter;
  };

  return {
    async hit(name, ttlSeconds, by = 1) {
      const before = kept.get(name);
      const count = Number(before ?? 0) + by;
      if (before === undefined) put(name, String(count), ttlSeconds);
      else kept.set(name, String(count), { noUpdateTTL: true });
      return count;
    },
    get: async (name) => kept.get(name),
    set: async (name, value, ttlSeconds) => put(name, value, ttlSeconds),
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
      const { isDrawn, text } = drawFrom(kept.get(name), bucket, clock());
      put(name, text, bucket.refillMs / 1000);
      return isDrawn;
    },
    async enter(call, limits) {
      const now = clock();
      for (const limit of limits) {
        const reached = meterOf(limit.name).reached(limit, call, now);
        if (reached) return reached;
      }
      if (call.id === '') return undefined;
      for (const limit of limits) meterOf(limit.name).enter(limit, call, now);
      return undefined;
    },
    async leave(call, names) {
      for (const name of names) meterOf(name).leave(call, clock());
    },
    async renew(name, ids) {
      meterOf(name).renew(ids, clock());
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
      meters.clear();
      listeners.clear();
    },
  };
}
