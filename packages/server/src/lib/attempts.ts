import type { Clock } from './clock.ts';

/** Limits how often each user may do something. */
export interface Attempts {
  /** Counts one; returns the seconds to wait if there were too many, otherwise 0. */
  take(userId: number): number;
  /** Removes one that should not count. */
  giveBack(userId: number): void;
}

/** Most users in memory; the least recent ones are dropped. */
const maxUsers = 100_000;

/** At most `limit` attempts of a user in a window of `windowMs`, counted by this process. */
export function createAttempts(limit: number, windowMs: number, clock: Clock): Attempts {
  const users = new Map<number, { count: number; until: number }>();
  return {
    take(userId) {
      const now = clock();
      let seen = users.get(userId);
      // A clock that was set back must not lock a user out for longer than a window.
      if (!seen || seen.until <= now || seen.until > now + windowMs)
        seen = { count: 0, until: now + windowMs };
      if (seen.count >= limit) return Math.max(1, Math.ceil((seen.until - now) / 1000));
      seen.count += 1;
      users.delete(userId);
      users.set(userId, seen);
      if (users.size > maxUsers) users.delete(users.keys().next().value!);
      return 0;
    },
    giveBack(userId) {
      const seen = users.get(userId);
      if (seen && seen.count > 0) seen.count -= 1;
    },
  };
}
