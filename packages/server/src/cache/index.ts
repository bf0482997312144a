// Entry point of the cache: in memory for one process, with the first process for its workers, through Redis for several.
import { product } from '@tollgate/contract';
import type { Clock } from '../lib/clock.ts';
import type { ProcessLink } from '../lib/processes/process-link.ts';
import { withFallback } from './fallback.ts';
import { createLinkedCache } from './linked.ts';
import { createMemoryCache } from './memory.ts';
import type { Cache } from './port.ts';
import { createRedisCache } from './redis.ts';

/**
 * Counts a hit in a sliding window: all hits of the current window, and the share of the previous one that is still
 * inside. Two counters per name, however many hits there are; exact if hits are evenly distributed, and never wrong
 * by more than one window.
 */
export async function slidingHit(
  cache: Pick<Cache, 'get' | 'hit'>,
  name: string,
  windowSeconds: number,
  clock: Clock,
): Promise<number> {
  const now = clock() / 1000;
  const window = Math.floor(now / windowSeconds);
  const before = Number((await cache.get(`${name}:${window - 1}`)) ?? 0);
  const current = await cache.hit(`${name}:${window}`, windowSeconds * 2);
  const into = now / windowSeconds - window;
  return current + before * (1 - into);
}

/** The count of `slidingHit` without a hit. */
export async function slidingCount(
  cache: Pick<Cache, 'get'>,
  name: string,
  windowSeconds: number,
  clock: Clock,
): Promise<number> {
  const now = clock() / 1000;
  const window = Math.floor(now / windowSeconds);
  const [before, current] = await Promise.all([
    cache.get(`${name}:${window - 1}`),
    cache.get(`${name}:${window}`),
  ]);
  return Number(current ?? 0) + Number(before ?? 0) * (1 - (now / windowSeconds - window));
}

export { offerCache } from './linked.ts';
export { type Cache, callLeaseMs, type CallLimit, type ReachedLimit } from './port.ts';

export interface CacheOptions {
  /** REDIS_CONN_STRING; '' for a cache in memory. */
  redisUrl: string;
  clock: Clock;
  /** In a worker: the link to the process whose cache all workers share. */
  first?: ProcessLink | undefined;
  /** Called when Redis fails or does not answer; work continues with the process's own counters. */
  onError: (error: unknown) => void;
}

/** Redis if configured, with the processes' own memory as fallback; otherwise only that memory. */
export async function openCache({ redisUrl, clock, first, onError }: CacheOptions): Promise<Cache> {
  const fallback = { clock, onFallback: onError };
  const alone = createMemoryCache(clock);
  const own = first ? withFallback(createLinkedCache(first), alone, fallback) : alone;
  if (redisUrl === '') return own;
  const shared = await createRedisCache({ url: redisUrl, prefix: `${product.id}:`, clock, onError });
  return withFallback(shared, own, fallback);
}
