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

/** What changes the standing of a channel: a failure, the success of one that had failed, the trial after a rest. */
export const healthNews = ['chosen', 'failed', 'succeeded'] as const;
export type HealthNews = (typeof healthNews)[number];

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
  /** Another process saw this: it counts as if it had happened here. */
  heard(what: HealthNews, channelId: number): void;
  /** Forgets channels that no longer exist, so that the memory stays as small as the channel list. */
  keepOnly(exists: (channelId: number) => boolean): void;
}

/**
 * Health records in the memory of this process. `report` hears of everything that changed one here, so that the other
 * processes of a site learn it, too; it must not wait.
 */
export function createHealth(
  clock: Clock,
  report: (what: HealthNews, channelId: number) => void = () => undefined,
  rules: HealthRules = defaultHealthRules,
): Health {
  const troubled = new Map<number, Trouble>();
  /** Each answers whether anything changed. */
  const changes: Record<HealthNews, (channelId: number) => boolean> = {
    chosen: (channelId) => beginTrial(troubled.get(channelId), clock(), rules),
    failed(channelId) {
      const now = clock();
      let trouble = troubled.get(channelId);
      if (trouble === undefined) {
        trouble = { failures: 0, windowStart: now, restUntil: 0, rests: 0, onTrial: false };
        troubled.set(channelId, trouble);
      }
      return noteFailure(trouble, now, rules);
    },
    succeeded: (channelId) => troubled.delete(channelId),
  };
  const happened = (what: HealthNews, channelId: number): void => {
    if (changes[what](channelId)) report(what, channelId);
  };

  return {
    available(channelId) {
      if (troubled.size === 0) return true;
      const trouble = troubled.get(channelId);
      return trouble === undefined || trouble.restUntil === 0 || clock() >= trouble.restUntil;
    },
    chosen(channelId) {
      if (troubled.size > 0) happened('chosen', channelId);
    },
    failed: (channelId) => happened('failed', channelId),
    succeeded(channelId) {
      if (troubled.size > 0) happened('succeeded', channelId);
    },
    heard: (what, channelId) => void changes[what](channelId),
    keepOnly(exists) {
      for (const id of troubled.keys()) if (!exists(id)) troubled.delete(id);
    },
  };
}

/** The first request after a rest tries the channel. */
function beginTrial(trouble: Trouble | undefined, now: number, rules: HealthRules): boolean {
  if (trouble === undefined || trouble.restUntil === 0 || now < trouble.restUntil) return false;
  trouble.onTrial = true;
  // The trial's result may take long, or never come: others keep away for one plain rest.
  trouble.restUntil = now + rules.restMs;
  return true;
}

/** Answers whether the failure counts. */
function noteFailure(trouble: Trouble, now: number, rules: HealthRules): boolean {
  // Failures of requests that were under way when the rest began say nothing new.
  if (now < trouble.restUntil && !trouble.onTrial) return false;
  if (trouble.restUntil === 0) {
    if (now - trouble.windowStart > rules.windowMs) {
      trouble.failures = 0;
      trouble.windowStart = now;
    }
    trouble.failures += 1;
    if (trouble.failures < rules.failures) return true;
  }
  trouble.restUntil = now + Math.min(rules.restMs * 2 ** trouble.rests, rules.maxRestMs);
  trouble.rests += 1;
  trouble.onTrial = false;
  return true;
}
