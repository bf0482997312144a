import type { Clock } from '../lib/clock.ts';
import type { Cache } from './port.ts';

/** After a failure the shared cache is not used for this long, so that requests do not each wait for it. */
const REST_MS = 1000;

/**
 * The shared cache while it responds, otherwise the process's own. While the shared cache does not respond, each
 * process counts for itself: a limit of 10 is then 10 for each process, and earlier values are not found.
 */
export function withFallback(
  shared: Cache,
  own: Cache,
  { clock, onFallback }: { clock: Clock; onFallback: (error: unknown) => void },
): Cache {
  let restUntil = 0;

  const either = async <T>(work: (cache: Cache) => Promise<T>): Promise<T> => {
    if (clock() >= restUntil) {
      try {
        return await work(shared);
      } catch (error) {
        restUntil = clock() + REST_MS;
        onFallback(error);
      }
    }
    return work(own);
  };

  return {
    hit: (name, ttlSeconds, by) => either((cache) => cache.hit(name, ttlSeconds, by)),
    get: (name) => either((cache) => cache.get(name)),
    set: (name, value, ttlSeconds) => either((cache) => cache.set(name, value, ttlSeconds)),
    setIfNew: (name, value, ttlSeconds) => either((cache) => cache.setIfNew(name, value, ttlSeconds)),
    take: (name) => either((cache) => cache.take(name)),
    draw: (name, bucket) => either((cache) => cache.draw(name, bucket)),
    enter: (call, limits) => either((cache) => cache.enter(call, limits)),
    leave: (call, names) => either((cache) => cache.leave(call, names)),
    renew: (name, ids) => either((cache) => cache.renew(name, ids)),
    remove: (name) => either((cache) => cache.remove(name)),
    publish: (channel, notice) => either((cache) => cache.publish(channel, notice)),
    async subscribe(channel, listener) {
      // Both: a notice published while the shared cache was unavailable arrives through the process's own cache.
      const ends = await Promise.all([own.subscribe(channel, listener), shared.subscribe(channel, listener)]);
      return async () => {
        await Promise.all(ends.map((end) => end()));
      };
    },
    async close() {
      await Promise.all([shared.close(), own.close()]);
    },
  };
}
