import type { Clock } from '../lib/clock.ts';
import type { Cache } from './port.ts';

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

/** What `slidingHit` would count, without a hit. */
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
