import { type Clock, seconds } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { channelMinutes, type Db } from '../../../store/index.ts';
import type { AttemptCounts, HealthId, SpentCall } from './health.ts';

/** What calls have cost today (UTC) on channels and on single keys, of all processes. */
export interface Spends {
  /** Counts the cost of a call of this process. */
  note(call: SpentCall): void;
  /**
   * Quota units spent today on a channel or a key. Reads the database at most every `freshMs`; calls of other processes
   * are in the sum when these have written their counts.
   */
  today(id: HealthId): Promise<number>;
}

const freshMs = 15_000;
const daySeconds = 86_400;

interface SpendDeps {
  /** Connection for sums that read many rows. */
  reports: Db;
  clock: Clock;
  attempts: Pick<AttemptCounts, 'flush' | 'spent'>;
  log: Pick<Log, 'warn'>;
}

type Sums = Map<HealthId, number>;

const add = (sums: Sums, id: HealthId, spent: number): void => void sums.set(id, (sums.get(id) ?? 0) + spent);

export function createSpends({ reports, clock, attempts, log }: SpendDeps): Spends {
  let read: Sums = new Map();
  /** The day of `read`, Unix seconds; -1 before the first reading. */
  let readDay = -1;
  let triedAt = -Infinity;
  let reading: Promise<void> | undefined;
  /** Of this process: before the reading that runs, and since. */
  let before: Sums = new Map();
  let since: Sums = new Map();

  const dayOf = (now: number): number => now - (now % daySeconds);
  const readAgain = async (): Promise<void> => {
    const day = dayOf(seconds(clock));
    for (const [id, spent] of since) add(before, id, spent);
    since = new Map();
    await attempts.flush();
    const sums: Sums = new Map();
    for (const { channelId, keyId, spent } of await channelMinutes.spentSince(reports, day)) {
      add(sums, channelId, spent);
      if (keyId !== '') add(sums, keyId, spent);
    }
    [read, readDay, before] = [sums, day, new Map()];
  };
  const begin = (): Promise<void> => {
    if (!reading) {
      triedAt = clock();
      reading = readAgain()
        .catch((err: unknown) => log.warn({ err }, 'spends of channels were not read'))
        .finally(() => (reading = undefined));
    }
    return reading;
  };
  const isOfToday = (): boolean => readDay === dayOf(seconds(clock));

  return {
    note(call) {
      const { channelId, keyId, spent } = call;
      attempts.spent(call);
      add(since, channelId, spent);
      if (keyId !== undefined) add(since, keyId, spent);
    },
    async today(id) {
      const isFresh = Math.abs(clock() - triedAt) < freshMs && isOfToday();
      if (!isFresh) void begin();
      // An older sum of today is used while the next one is read.
      if (!isOfToday()) await begin();
      // The one that ran may have begun before midnight.
      if (!isOfToday()) await begin();
      return [read, before, since].reduce((sum, part) => sum + (part.get(id) ?? 0), 0);
    },
  };
}
