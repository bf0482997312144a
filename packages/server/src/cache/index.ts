// The door of the cache: in memory for one process, through Redis for several.
import type { Clock } from '../lib/clock.ts';
import { withFallback } from './fallback.ts';
import { createMemoryCache } from './memory.ts';
import type { Cache } from './port.ts';
import { createRedisCache } from './redis.ts';

export type { Bucket, Cache } from './port.ts';
export { slidingCount, slidingHit } from './sliding.ts';

export interface CacheOptions {
  /** REDIS_CONN_STRING; '' for a cache in memory. */
  redisUrl: string;
  clock: Clock;
  /** Told when Redis breaks or does not answer; the work goes on with the process's own counters. */
  onError: (error: unknown) => void;
}

/** Redis where one is named, with the process's own memory behind it; else memory alone. */
export async function openCache({ redisUrl, clock, onError }: CacheOptions): Promise<Cache> {
  const own = createMemoryCache(clock);
  if (redisUrl === '') return own;
  const shared = await createRedisCache({ url: redisUrl, prefix: 'tollgate:', clock, onError });
  return withFallback(shared, own, { clock, onFallback: onError });
}
