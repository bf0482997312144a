import type { Clock } from '../../lib/clock.ts';

/** Bounds how often something named may happen. */
export interface Frequency {
  /** Counts one more within the window that the name's first one began; false when there were enough. */
  allow(name: string, limit: number, windowMs: number): boolean;
  /** Forgets a name: what was counted did not happen after all. */
  forget(name: string): void;
}

/** Names remembered at most; the one whose window is the oldest is forgotten first. */
const maxNames = 50_000;

/** Counts in the memory of this process. */
export function createFrequency(clock: Clock): Frequency {
  const names = new Map<string, { count: number; since: number }>();
  return {
    allow(name, limit, windowMs) {
      const now = clock();
      const seen = names.get(name);
      // A clock that was set back must not silence anybody for longer than a window.
      if (!seen || now - seen.since >= windowMs || now < seen.since) {
        if (limit < 1) return false;
        names.delete(name);
        names.set(name, { count: 1, since: now });
        if (names.size > maxNames) names.delete(names.keys().next().value!);
        return true;
      }
      if (seen.count >= limit) return false;
      seen.count += 1;
      return true;
    },
    forget(name) {
      names.delete(name);
    },
  };
}
