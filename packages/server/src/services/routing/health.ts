import type { Clock } from '../../lib/clock.ts';

/** When a channel is left alone for a while, in milliseconds. */
interface HealthRules {
  /** Failures within `windowMs` that start a rest. */
  failures: number;
  windowMs: number;
  /** The first rest; each further one in a row doubles, up to `maxRestMs`. */
  restMs: number;
  maxRestMs: number;
}

/** Five failures in half a minute: enough to tell a broken upstream from a hiccup, few enough for callers to be spared. */
const defaultHealthRules: HealthRules = {
  failures: 5,
  windowMs: 30_000,
  restMs: 15_000,
  maxRestMs: 240_000,
};

interface Trouble {
  failures: number;
  windowStart: number;
  /** 0 while not resting. */
  restUntil: number;
  /** Rests in a row, for the doubling. */
  rests: number;
  /** One request is out to see whether the channel works again. */
  onTrial: boolean;
}

/**
 * Remembers in memory which channels fail now. A channel that fails again and again rests; after the rest one
 * request tries it, and only its success brings it back (a single hiccup never switches a channel off for good).
 */
export interface Health {
  /** False while the channel rests. */
  available(channelId: number): boolean;
  /** A request goes to the channel: when its rest has just ended, it is the only one until its result is known. */
  chosen(channelId: number): void;
  failed(channelId: number): void;
  succeeded(channelId: number): void;
  /** Forgets channels that no longer exist, so that the memory stays as small as the channel list. */
  keepOnly(exists: (channelId: number) => boolean): void;
}

/** Health records in the memory of this process: each process learns for itself. */
export function createHealth(clock: Clock, rules: HealthRules = defaultHealthRules): Health {
  const troubled = new Map<number, Trouble>();

  return {
    available(channelId) {
      if (troubled.size === 0) return true;
      const trouble = troubled.get(channelId);
      return trouble === undefined || trouble.restUntil === 0 || clock() >= trouble.restUntil;
    },
    chosen(channelId) {
      if (troubled.size === 0) return;
      const trouble = troubled.get(channelId);
      if (trouble === undefined || trouble.restUntil === 0) return;
      const now = clock();
      if (now < trouble.restUntil) return;
      trouble.onTrial = true;
      // The trial's result may take long, or never come: others keep away for one plain rest.
      trouble.restUntil = now + rules.restMs;
    },
    failed(channelId) {
      const now = clock();
      let trouble = troubled.get(channelId);
      if (trouble === undefined) {
        trouble = { failures: 0, windowStart: now, restUntil: 0, rests: 0, onTrial: false };
        troubled.set(channelId, trouble);
      }
      noteFailure(trouble, now, rules);
    },
    succeeded(channelId) {
      if (troubled.size > 0) troubled.delete(channelId);
    },
    keepOnly(exists) {
      for (const id of troubled.keys()) if (!exists(id)) troubled.delete(id);
    },
  };
}

function noteFailure(trouble: Trouble, now: number, rules: HealthRules): void {
  // Failures of requests that were under way when the rest began say nothing new.
  if (now < trouble.restUntil && !trouble.onTrial) return;
  if (trouble.restUntil === 0) {
    if (now - trouble.windowStart > rules.windowMs) {
      trouble.failures = 0;
      trouble.windowStart = now;
    }
    trouble.failures += 1;
    if (trouble.failures < rules.failures) return;
  }
  trouble.restUntil = now + Math.min(rules.restMs * 2 ** trouble.rests, rules.maxRestMs);
  trouble.rests += 1;
  trouble.onTrial = false;
}
