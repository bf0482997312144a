import type { Clock } from '../../lib/clock.ts';

/** Limits of one group: `total` counts every request (0 for no limit), `success` only those that were answered. */
export interface ModelLimits {
  total: number;
  success: number;
  windowMinutes: number;
}

export type LimitVerdict = { allowed: true } | { allowed: false; message: string; retryAfterSeconds: number };

/**
 * Model requests per user (wire-facts 7.2): an average of `total` per window with a burst of `total`, and at most
 * `success` successful ones within a sliding window. Two numbers a user and kind, whatever the limits are.
 */
export interface ModelLimiter {
  /** Judges a request before it is carried; an allowed one counts against `total`. */
  admit(userId: number, limits: ModelLimits): LimitVerdict;
  /** Counts a request that was answered with a status below 400. */
  succeeded(userId: number, limits: ModelLimits): void;
}

interface UserState {
  /** Tokens left in the bucket of all requests, as of `bucketAt`. */
  bucket: number;
  bucketAt: number;
  /** Successes in the window that began at `windowAt`, and in the one before it. */
  current: number;
  previous: number;
  windowAt: number;
}

/** Users remembered at most; the one unseen longest is forgotten first, and then begins anew. */
const maxUsers = 100_000;

/** The limiter of one process. */
export function createModelLimiter(clock: Clock): ModelLimiter {
  const users = new Map<number, UserState>();

  const stateOf = (userId: number, limits: ModelLimits, now: number): UserState => {
    let state = users.get(userId);
    if (state) users.delete(userId);
    else state = { bucket: limits.total, bucketAt: now, current: 0, previous: 0, windowAt: now };
    // Set anew, so that the map's order is the order of last use.
    users.set(userId, state);
    if (users.size > maxUsers) users.delete(users.keys().next().value!);
    turnWindow(state, limits, now);
    return state;
  };

  return {
    admit(userId, limits) {
      const now = clock();
      const state = stateOf(userId, limits, now);
      const windowMs = limits.windowMinutes * 60_000;
      if (successes(state, limits, now) >= limits.success) {
        return refusal(
          `您已达到请求数限制：${limits.windowMinutes}分钟内最多请求${limits.success}次`,
          windowMs / limits.success,
        );
      }
      if (limits.total <= 0) return { allowed: true };
      refill(state, limits.total, windowMs, now);
      if (state.bucket < 1) {
        const text = `您已达到总请求数限制：${limits.windowMinutes}分钟内最多请求${limits.total}次，包括失败次数，请检查您的请求是否正确`;
        return refusal(text, windowMs / limits.total);
      }
      state.bucket -= 1;
      return { allowed: true };
    },
    succeeded(userId, limits) {
      stateOf(userId, limits, clock()).current += 1;
    },
  };
}

const refusal = (message: string, waitMs: number): LimitVerdict => ({
  allowed: false,
  message,
  retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
});

function refill(state: UserState, capacity: number, windowMs: number, now: number): void {
  // A clock that steps back gives nothing and takes nothing.
  const elapsed = Math.max(0, now - state.bucketAt);
  state.bucket = Math.min(capacity, state.bucket + (elapsed / windowMs) * capacity);
  state.bucketAt = now;
}

function turnWindow(state: UserState, limits: ModelLimits, now: number): void {
  const windowMs = limits.windowMinutes * 60_000;
  const passed = Math.floor((now - state.windowAt) / windowMs);
  if (passed < 1) return;
  state.previous = passed === 1 ? state.current : 0;
  state.current = 0;
  state.windowAt += passed * windowMs;
}

/** Successes within the sliding window: all of the current one and the share of the last that still lies inside. */
function successes(state: UserState, limits: ModelLimits, now: number): number {
  const into = (now - state.windowAt) / (limits.windowMinutes * 60_000);
  return state.current + state.previous * Math.max(0, 1 - into);
}
