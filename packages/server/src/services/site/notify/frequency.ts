import type { Clock } from '../../../lib/clock.ts';
import { type Db, noticeCounts } from '../../../store/index.ts';

/** Maximum number of events in a window, which starts with the first one. */
type Limit = noticeCounts.NoticeLimit;

/** Limits the frequency of named events, for all processes on one database together. */
export interface Frequency {
  /** Counts one event; false if the limit is reached. Rejects if the database does not respond. */
  allow(name: string, limit: Limit): Promise<boolean>;
  /** Uncounts the events of a name, because they did not happen. Never rejects. */
  forget(name: string): Promise<void>;
}

/** Maximum number of cached names; the one refused longest ago is removed first. */
const maxNames = 50_000;
/** Maximum length of a window. */
const keptMs = 86_400_000;

/**
 * Counts in the database. A refusal is cached in this process until the end of its window, because each settlement
 * below the threshold makes a query.
 */
export function createFrequency(db: Db, clock: Clock): Frequency {
  const refused = new Map<string, { since: number; until: number }>();
  const asking = new Set<string>();
  let sweptAt = clock();

  const isRefused = (name: string): boolean => {
    const known = refused.get(name);
    const now = clock();
    // If the clock was set back, notices stop for at most one window.
    return known !== undefined && now < known.until && now >= known.since;
  };
  const remember = (name: string, since: number, windowMs: number): void => {
    refused.delete(name);
    refused.set(name, { since, until: since + windowMs });
    if (refused.size > maxNames) refused.delete(refused.keys().next().value!);
  };
  const sweep = async (): Promise<void> => {
    if (Math.abs(clock() - sweptAt) < keptMs) return;
    sweptAt = clock();
    await noticeCounts.removeBefore(db, sweptAt - keptMs);
  };
  const ask = async (name: string, limit: Limit): Promise<boolean> => {
    if (await noticeCounts.claim(db, name, limit, clock())) {
      await sweep();
      return true;
    }
    remember(name, (await noticeCounts.since(db, name)) ?? clock(), limit.windowMs);
    return false;
  };

  return {
    async allow(name, limit) {
      // One query at a time for each name: simultaneous settlements share it.
      if (isRefused(name) || asking.has(name)) return false;
      asking.add(name);
      try {
        return await ask(name, limit);
      } finally {
        asking.delete(name);
      }
    },
    async forget(name) {
      refused.delete(name);
      await noticeCounts.forget(db, name).catch(() => undefined);
    },
  };
}
