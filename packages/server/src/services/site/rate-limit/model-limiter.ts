import { type Cache, slidingCount, slidingHit } from '../../../cache/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { Settings } from '../settings/index.ts';

/** Limits of one group: `total` counts every request (0 for no limit), `success` only successful ones. */
export interface ModelLimits {
  total: number;
  success: number;
  windowMinutes: number;
}

/** `reached` is the name of a relay error. */
type LimitVerdict =
  | { allowed: true }
  | {
      allowed: false;
      reached: 'success_limit_reached' | 'total_limit_reached';
      values: { minutes: number; count: number };
      retryAfterSeconds: number;
    };

/**
 * Model requests per user: an average of `total` per window with a burst of `total`, and at most `success` successful
 * ones within a sliding window. Each user needs a few numbers, regardless of the limits. All processes that share a
 * cache count together; while it does not respond, each counts separately.
 */
export interface ModelLimiter {
  /** Checks a request before it runs; an allowed one counts against `total`. */
  admit(userId: number, limits: ModelLimits): Promise<LimitVerdict>;
  /** Counts a request with a response status below 400. Never waits, never fails. */
  succeeded(userId: number, limits: ModelLimits): void;
}

interface ModelLimiterDeps {
  cache: Pick<Cache, 'get' | 'hit' | 'draw'>;
  clock: Clock;
  log: Pick<Log, 'warn'>;
}

const totalOf = (userId: number): string => `model-requests:${userId}`;
const successesOf = (userId: number): string => `model-successes:${userId}`;

/** A limiter with counters that all processes of a site share. */
export function createModelLimiter({ cache, clock, log }: ModelLimiterDeps): ModelLimiter {
  return {
    async admit(userId, limits) {
      const { total, success } = limits;
      const windowSeconds = limits.windowMinutes * 60;
      if ((await slidingCount(cache, successesOf(userId), windowSeconds, clock)) >= success) {
        return refusal('success_limit_reached', limits, success);
      }
      const bucket = { capacity: total, refillMs: windowSeconds * 1_000 };
      const isFree = total <= 0 || (await cache.draw(totalOf(userId), bucket));
      return isFree ? { allowed: true } : refusal('total_limit_reached', limits, total);
    },
    succeeded(userId, { windowMinutes }) {
      slidingHit(cache, successesOf(userId), windowMinutes * 60, clock).catch((error: unknown) => {
        log.warn({ err: error }, 'a success could not be counted');
      });
    },
  };
}

const refusal = (
  reached: (LimitVerdict & { allowed: false })['reached'],
  { windowMinutes: minutes }: ModelLimits,
  count: number,
): LimitVerdict => ({
  allowed: false,
  reached,
  values: { minutes, count },
  retryAfterSeconds: Math.max(1, Math.ceil((minutes * 60) / count)),
});

/**
 * The limits of a group if limits are on: its own entry, otherwise the site's
 * (docs/compatibility.md#model-request-limits).
 */
export function modelLimitsOf(settings: Settings, group: string): ModelLimits | null {
  const windowMinutes = settings.get('ModelRequestRateLimitDurationMinutes');
  if (!settings.get('ModelRequestRateLimitEnabled') || windowMinutes <= 0) return null;
  const own = settings.get('ModelRequestRateLimitGroup');
  const [total, success] = Object.hasOwn(own, group)
    ? own[group]!
    : [settings.get('ModelRequestRateLimitCount'), settings.get('ModelRequestRateLimitSuccessCount')];
  return { total, success, windowMinutes };
}
