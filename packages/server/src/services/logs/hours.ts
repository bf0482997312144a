import { type Clock, seconds } from '../../lib/clock.ts';
import { type Db, dialectOf, logHourMarks, logHours, type HourSum } from '../../store/index.ts';

/** The sums of the log by the hour, behind the log. */
export interface LogHours {
  /** Adds what is over to the sums, and sums up marked hours anew, until there are none or the time (ms) is over; answers how many steps. */
  work(forMs: number): Promise<number>;
  /** Sums up every hour anew; answers how many. */
  rebuild(): Promise<number>;
  /** What of one of the last two days' hours is not as the rows say, in words; another hour each time. Reads only. */
  check(): Promise<string[]>;
}

export interface LogHoursDeps {
  db: Db;
  /** For reading many rows. */
  reports: Db;
  clock: Clock;
}

const hour = 3600;
/** What is over is added to the sums in steps of so many seconds: rows are read for the rest alone, by every question. */
const slice = 5 * 60;
/**
 * Rows are summed so long after their time (s): much longer than rows may come without a mark (a minute), and than they
 * take from there to their commit. Several machines may also be ten minutes apart; a SQLite file is on one.
 */
const closedAfter = { sqlite: 5 * 60, postgres: 15 * 60, mysql: 15 * 60 };
/** How many hours back `check` goes. */
const checkedHours = 48;

const startOf = (length: number, at: number): number => at - (at % length);

/** Opens the sums. */
export function createLogHours({ db, reports, clock }: LogHoursDeps): LogHours {
  // Rows are read after the marks and the end, and through another connection: what comes later leaves a mark.

  /** Sums up an hour anew, as far as it is summed. */
  const sumAnew = async (start: number): Promise<boolean> => {
    const marks = await logHourMarks.marksOf(db, start);
    const until = await logHourMarks.summedUntil(db);
    const sums = await logHours.sumsOf(reports, { from: start, to: Math.min(start + hour, until) });
    return logHours.putHour(db, { hour: start, sums, marks, until });
  };

  /** Adds what comes next and is over, of one hour at most; false when there is nothing. */
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
    const sums = await logHours.sumsOf(reports, { from: Math.max(start, from), to });
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
    // Hours whose rows are all gone are passed over, and their marks stay behind.
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

/** What of one of the last hours is not as the rows say; which hour it is changes every ten minutes. */
async function checkHour({ db, reports, clock }: LogHoursDeps): Promise<string[]> {
  const until = await logHourMarks.summedUntil(db);
  const start = startOf(hour, until) - hour * (1 + (Math.floor(seconds(clock) / 600) % checkedHours));
  if (start < 0) return [];
  const before = await logHours.ofHour(reports, start);
  const right = await logHours.sumsOf(reports, { from: start, to: start + hour });
  // A mark says that the sums are known to be old; one that is gone by now was there when they were read.
  if ((await logHourMarks.marksOf(db, start)).length > 0) return [];
  const found = differences(before, right);
  if (found.length === 0) return [];
  const isMended = differences(await logHours.ofHour(reports, start), right).length === 0;
  return isMended ? [] : found;
}

const keyOf = ({ kind, ref, name, hour: start }: HourSum) => `log_hours ${start}: ${kind} ${ref} ${name}`;

const amounts = ['quota', 'team_quota', 'refunded', 'team_refunded'] as const;

const wrong = (key: string, { quota, refunded }: Partial<HourSum> = {}) =>
  `${key}: the rows say ${quota ?? 0}${refunded ? `, of which ${refunded} went back` : ''}`;

/** What of the sums is not as it should be, in words; at most a few. */
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
