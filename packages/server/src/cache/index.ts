// The door of the cache: in memory for one process, with the first process for its workers, through Redis for several.
import type { Clock } from '../lib/clock.ts';
import type { ProcessLink } from '../lib/processes/process-link.ts';
import { withFallback } from './fallback.ts';
import { createLinkedCache } from './linked.ts';
import { createMemoryCache } from './memory.ts';
import type { Cache } from './port.ts';
import { createRedisCache } from './redis.ts';

export { offerCache } from './linked.ts';
export type { Bucket, Cache } from './port.ts';
export { slidingCount, slidingHit } from './sliding.ts';

export interface CacheOptions {
  /** REDIS_CONN_STRING; '' for a cache in memory. */
  redisUrl: string;
  clock: Clock;
  /** In a worker: the link to the process whose cache all workers share. */
  first?: ProcessLink | undefined;
  /** Told when Redis breaks or does not answer; the work goes on with the process's own counters. */
  onError: (error: unknown) => void;
}

/** Redis where one is named, with the processes' own memory behind it; else that memory alone. */
export async function openCache({ redisUrl, clock, first, onError }: CacheOptions): Promise<Cache> {
  const fallback = { clock, onFallback: onError };
  const alone = createMemoryCache(clock);
  const own = first ? withFallback(createLinkedCache(first), alone, fallback) : alone;
  if (redisUrl === '') return own;
  const shared = await createRedisCache({ url: redisUrl, prefix: 'tollgate:', clock, onError });
  return withFallback(shared, own, fallback);
}
