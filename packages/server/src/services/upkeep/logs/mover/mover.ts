import { type Clock, seconds, type Sleep, systemSleep } from '../../../../lib/clock.ts';
import type { Log } from '../../../../lib/log.ts';
import {
  archivedUpTo,
  type Db,
  leases,
  type LogArchive,
  logChanges,
  archiveMarks,
  logMoves,
} from '../../../../store/index.ts';
import { createLogHours, type LogHours } from '../hours.ts';
import { joinArchive } from './join.ts';
import { dropNext, makeChanges, moveNext, type StepDeps } from './steps.ts';

/** Ids that were seen, and which of them were seen at least `afterMs` ago. */
class Settled {
  private readonly afterMs: number;
  private readonly clock: Clock;
  private seen: { id: number; at: number }[] = [];
  private old = 0;

  constructor(afterMs: number, clock: Clock) {
    this.afterMs = afterMs;
    this.clock = clock;
  }

  /** Adds the present highest id. */
  note(id: number): void {
    if (this.seen.at(-1)?.id === id) return;
    this.seen.push({ id, at: this.clock() });
  }

  /** Adds an id that another process saw long enough ago. */
  noteOld(id: number): void {
    this.old = Math.max(this.old, id);
  }

  /** The highest id that was seen long enough ago; 0 for none. */
  upTo(): number {
    const bound = this.clock() - this.afterMs;
    const old = this.seen.findLastIndex(({ at }) => at <= bound);
    if (old > 0) this.seen = this.seen.slice(old);
    return Math.max(this.old, old < 0 ? 0 : this.seen[0]!.id);
  }
}

/** Moves rows of the log to the database of LOG_SQL_DSN. */
export interface LogMover {
  /** One round, of at most about this many ms. Errors are logged, and the next round continues. */
  work(forMs: number): Promise<void>;
  /** The archive's hourly sums of its rows. */
  hours: LogHours;
  /** The rows that have not moved yet. */
  waiting(): Promise<WaitingRows>;
}

/** Waiting rows of the log. */
export interface WaitingRows {
  /** Their number; 100,000 if there are more. */
  rows: number;
  /** Age of the next row to move, in seconds; 0 for none. */
  oldestSeconds: number;
}

/** More waiting rows than this are not counted. */
const mostCounted = 100_000;

export interface LogMoverDeps {
  db: Db;
  /** For counting rows; `db` if absent. */
  reports?: Db;
  archive: LogArchive;
  clock: Clock;
  sleep?: Sleep;
  log: Pick<Log, 'info' | 'warn'>;
}

/**
 * A row is moved this long after it was first seen: by then every transaction that took a lower id has ended. A moved
 * row is deleted this long after the cut passed it: by then every read that started with the earlier cut has ended.
 */
const settleMs = 2 * 60_000;
/** The same for ids seen by another process, whose clock may differ by ten minutes; in seconds. */
const settleElsewhere = 12 * 60;
/** Longer than a round. A process that is later nevertheless is stopped by the epoch. */
export const leaseMs = 60_000;
export const leaseName = 'log-archive-lease';

type RoundDeps = Required<Pick<LogMoverDeps, 'db' | 'archive' | 'clock' | 'sleep'>>;

/**
 * Creates the rounds of one process. Each moves rows until its end (Unix ms); ids seen by earlier rounds are old
 * enough.
 */
function openRounds(
  { db, archive, clock, sleep }: RoundDeps,
  hours: Pick<LogHours, 'work'>,
): (end: number) => Promise<void> {
  const seen = new Settled(settleMs, clock);
  const cuts = new Settled(settleMs, clock);
  let isReady = false;

  /** Repeats a step until there is nothing to do or the time is over, with a pause as long as each step. */
  const repeat = async (end: number, step: () => Promise<boolean>): Promise<void> => {
    for (let at = clock(); at < end && (await step()); at = clock()) await sleep(clock() - at);
  };

  /** A process may end before its ids are old enough; a later one uses them. */
  const noteEarlier = async (now: archiveMarks.Sighting): Promise<void> => {
    const earlier = await archiveMarks.keptSighting(db);
    const age = earlier && now.at - earlier.at;
    if (age !== undefined && age >= 0 && age < settleElsewhere) return;
    if (earlier && age !== undefined && age >= settleElsewhere) {
      seen.noteOld(earlier.newest);
      cuts.noteOld(Math.min(earlier.cut, now.cut));
    }
    await archiveMarks.keepSighting(db, now);
  };

  const round = async (end: number): Promise<void> => {
    const newest = await logMoves.newestId(db);
    const cut = await archivedUpTo(db);
    seen.note(newest);
    cuts.note(cut);
    await noteEarlier({ newest, cut, at: seconds(clock) });
    if (!isReady) await joinArchive(db, archive);
    isReady = true;
    if (!(await hasWork(db, seen.upTo(), cuts.upTo()))) return sumUp(end);
    const deps: StepDeps = { db, archive, epoch: await archiveMarks.beginEpoch(archive.db) };
    await makeChanges(deps);
    // Each kind of work gets a third of the time, so that moving an old log does not delay the others.
    const third = (end - clock()) / 3;
    await repeat(end - 2 * third, async () => (await moveNext(deps, seen.upTo())) > 0);
    cuts.note(await archivedUpTo(db));
    await repeat(end - third, async () => (await dropNext(deps, cuts.upTo())).dropped > 0);
    await sumUp(end);
  };

  /** Copied rows that do not count yet must not be summed. */
  const sumUp = async (end: number): Promise<void> => {
    if ((await logMoves.newestId(archive.db)) > (await archivedUpTo(db))) return;
    await hours.work(Math.max(0, end - clock()));
  };

  return round;
}

/** Opens the moving of rows. One of several processes moves at a time. */
export function createLogMover({
  db,
  reports = db,
  archive,
  clock,
  sleep = systemSleep,
  log,
}: LogMoverDeps): LogMover {
  const hours = createLogHours({ db: archive.db, reports: archive.reports, clock });
  const round = openRounds({ db, archive, clock, sleep }, hours);
  let isFailing = false;

  return {
    hours,
    waiting: () => waitingAt(reports, seconds(clock)),
    async work(forMs) {
      const now = clock();
      const until = now + leaseMs;
      if (!(await leases.take(db, leaseName, now, until))) return;
      try {
        await round(now + forMs);
        if (isFailing) log.info({}, 'the archive of the log (LOG_SQL_DSN) takes rows again');
        isFailing = false;
      } catch (error) {
        if (error instanceof archiveMarks.EpochEnded) return;
        // An outage is logged at its start and its end, not in each round.
        const text = 'no rows move to the archive of the log (LOG_SQL_DSN); they stay in the main database';
        if (!isFailing) log.warn({ err: error }, text);
        isFailing = true;
      } finally {
        await leases.release(db, leaseName, until);
      }
    },
  };
}

async function waitingAt(db: Db, at: number): Promise<WaitingRows> {
  const cut = await archivedUpTo(db);
  const [next] = await logMoves.rowsIn(db, { above: cut }, 1);
  const rows = await logMoves.countWaiting(db, cut, at + 1, mostCounted);
  return { rows, oldestSeconds: next ? Math.max(0, at - next.created_at) : 0 };
}

async function hasWork(db: Db, seenUpTo: number, droppable: number): Promise<boolean> {
  if (seenUpTo > (await archivedUpTo(db)) || (await logChanges.countPending(db)) > 0) return true;
  return (await logMoves.rowsIn(db, { upTo: droppable }, 1)).length > 0;
}

/** Logged if rows of the log have moved to a database that is no longer configured. */
export const archiveMissing =
  'older rows of the log stand in another database, and LOG_SQL_DSN does not say which: they are not shown and not in sums until it ' +
  'does. To have them here again, set it, stop all processes, and run the command return-logs';
