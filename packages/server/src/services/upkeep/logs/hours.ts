import { type Clock, seconds } from '../../../lib/clock.ts';
import { type Db, dialectOf, logHourMarks, logHours, type HourSum } from '../../../store/index.ts';

/** The hourly sums of the log, made after the rows. */
export interface LogHours {
  /**
   * Adds completed intervals to the sums, and recomputes marked hours, until nothing is left or the time (ms) is over;
   * returns the number of steps.
   */
  work(forMs: number): Promise<number>;
  /** Recomputes every hour; returns their number. */
  rebuild(): Promise<number>;
  /**
   * Differences between the sums and the rows of one of the last 48 hours, as text; another hour each time. Reads
   * only.
   */
  check(): Promise<string[]>;
}

export interface LogHoursDeps {
  db: Db;
  /** A connection for reading many rows. */
  reports: Db;
  clock: Clock;
}

const hour = 3600;
/** Completed intervals are added in steps of this many seconds; queries read rows only for the rest. */
const slice = 5 * 60;
/**
 * Rows are summed this long after their time (s): much longer than rows may be late without a mark (a minute), and
 * than they take to commit. Several machines may also differ by ten minutes; a SQLite file is on one machine.
 */
const closedAfter = { sqlite: 5 * 60, postgres: 15 * 60, mysql: 15 * 60 };
/** Number of past hours covered by `check`. */
const checkedHours = 48;

const startOf = (length: number, at: number): number => at - (at % length);

/** Opens the sums. */
export function createLogHours({ db, reports, clock }: LogHoursDeps): LogHours {
  // Rows are read after the marks and the end, on another connection: rows that are written later leave a mark.

  /** Recomputes the summed part of an hour. */
  const sumAnew = async (start: number): Promise<boolean> => {
    const marks = await logHourMarks.findMarks(db, start);
    const until = await logHourMarks.summedUntil(db);
    const sums = await logHours.sumPart(reports, { from: start, to: Math.min(start + hour, until) });
    return logHours.putHour(db, { hour: start, sums, marks, until });
  };

  /** Adds the next completed interval, of one hour at most; false if there is none. */
  const next = async (): Promise<boolean> => {
    const from = await logHourMarks.summedUntil(db);
    const end = startOf(slice, seconds(clock) - closedAfter[dialectOf(db).kind]);
    if (from >= end) return false;
    const start = await logHourMarks.nextHour(reports, from);
    if (start === undefined || start >= end) {
      await logHourMarks.moveOn(db, from, end);
      return false;
    }
    const to = Math.min(start + hour, end);
    const sums = await logHours.sumPart(reports, { from: Math.max(start, from), to });
    return logHours.addToHour(db, { from, to, sums });
  };

  const sumMarked = async (end: number): Promise<number> => {
    let summed = 0;
    for (const start of await logHourMarks.markedBefore(db, await logHourMarks.summedUntil(db))) {
      if (clock() >= end) break;
      if (await sumAnew(start)) summed += 1;
    }
    return summed;
  };

  const work = async (forMs: number): Promise<number> => {
    const end = clock() + forMs;
    let summed = await sumMarked(end);
    while (clock() < end && (await next())) summed += 1;
    // Hours without rows are skipped, and their marks stay before the position.
    return summed + (await sumMarked(end));
  };

  return {
    work,
    async rebuild() {
      const until = await logHourMarks.summedUntil(db);
      await logHourMarks.mark(db, await logHours.hoursBefore(reports, until));
      return work(Infinity);
    },
    check: () => checkHour({ db, reports, clock }),
  };
}

/** Differences of one of the last hours; the hour changes every ten minutes. */
async function checkHour({ db, reports, clock }: LogHoursDeps): Promise<string[]> {
  const until = await logHourMarks.summedUntil(db);
  const start = startOf(hour, until) - hour * (1 + (Math.floor(seconds(clock) / 600) % checkedHours));
  if (start < 0) return [];
  const before = await logHours.ofHour(reports, start);
  const right = await logHours.sumPart(reports, { from: start, to: start + hour });
  // A mark means that the sums are known to be outdated; a mark deleted since then existed when they were read.
  if ((await logHourMarks.findMarks(db, start)).length > 0) return [];
  const found = differences(before, right);
  if (found.length === 0) return [];
  const isMended = differences(await logHours.ofHour(reports, start), right).length === 0;
  return isMended ? [] : found;
}

const keyOf = ({ kind, ref, name, hour: start }: HourSum) => `log_hours ${start}: ${kind} ${ref} ${name}`;

const amounts = ['quota', 'team_quota', 'refunded', 'team_refunded'] as const;

const wrong = (key: string, { quota, refunded }: Partial<HourSum> = {}) =>
  `${key}: the rows say ${quota ?? 0}${refunded ? `, of which ${refunded} went back` : ''}`;

/** Differences in the sums as text; at most a few. */
function differences(sums: readonly HourSum[], right: readonly HourSum[]): string[] {
  const wanted = new Map(
    right.filter(({ quota, refunded }) => quota !== 0 || refunded !== 0).map((sum) => [keyOf(sum), sum]),
  );
  const found: string[] = [];
  for (const sum of sums) {
    const key = keyOf(sum);
    const should = wanted.get(key);
    wanted.delete(key);
    if (amounts.some((amount) => sum[amount] !== (should?.[amount] ?? 0))) found.push(wrong(key, should));
  }
  for (const [key, sum] of wanted) found.push(wrong(key, sum));
  return found.slice(0, 20);
}
