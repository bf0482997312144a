import type { Clock } from '../../../lib/clock.ts';
import { type Db, noticeCounts } from '../../../store/index.ts';

/** So many within a window that the first one begins. */
type Limit = noticeCounts.NoticeLimit;

/** Bounds how often something named may happen, for all processes on one database together. */
export interface Frequency {
  /** Counts one more; false when there were enough. Rejects when the database does not answer. */
  allow(name: string, limit: Limit): Promise<boolean>;
  /** Forgets a name: what was counted did not happen after all. Never rejects. */
  forget(name: string): Promise<void>;
}

/** Names remembered at most; the one refused longest ago is forgotten first. */
const maxNames = 50_000;
/** No window is longer. */
const keptMs = 86_400_000;

/**
 * Counts in the database. A refusal is remembered in this process until its window is over, because a settlement below
 * the threshold asks each time.
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
      // One question at a time for a name: a crowd of settlements needs no crowd of them.
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
