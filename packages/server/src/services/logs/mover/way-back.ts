import { faultPoint } from '../../../lib/fault-point.ts';
import { type Clock } from '../../../lib/clock.ts';
import {
  archivedUpTo,
  type Db,
  inTransaction,
  leases,
  type LogArchive,
  logHourMarks,
  logMoves,
  moveCut,
} from '../../../store/index.ts';
import { joinArchive } from './join.ts';
import { leaseMs, leaseName } from './mover.ts';
import { makeChanges, type StepDeps } from './steps.ts';

/** Calls do not wait for a step, because none run. */
const usualStepRows = 500;
const overtaken = 'another process moves rows of the log: stop all processes';

export interface WayBackDeps {
  db: Db;
  archive: LogArchive;
  clock: Clock;
  /** Rows of one step. */
  stepRows?: number;
}

/**
 * Brings the rows of the log back from the archive, and what it keeps of deleted ones, while no process uses the databases.
 * Answers how many; the archive is empty then, and LOG_SQL_DSN may go. Where it is stopped, whatever has come back counts in
 * the main database and the rest in the archive: it goes on where it is run again. Throws where no rows have moved, or another
 * process moves rows.
 */
export async function returnLogs({
  db,
  archive,
  clock,
  stepRows = usualStepRows,
}: WayBackDeps): Promise<number> {
  if (!(await logMoves.hasCut(db))) throw new Error('no rows of the log have moved to another database');
  const now = clock();
  let until = now + leaseMs;
  if (!(await leases.take(db, leaseName, now, until)))
    throw new Error('another process moves rows of the log: stop all processes, and wait a minute');
  try {
    await joinArchive(db, archive);
    const deps = { db, archive, epoch: await logMoves.beginEpoch(archive.db) };
    await makeChanges(deps);
    let rows = 0;
    while ((await archivedUpTo(db)) > 0) {
      rows += await returnNext(deps, stepRows);
      const longer = clock() + leaseMs;
      if (await leases.renew(db, leaseName, until, longer)) until = longer;
      else throw new logMoves.EpochOver(overtaken);
    }
    await logMoves.inEpoch(archive.db, deps.epoch, logMoves.clear);
    await logMoves.forgetCut(db);
    return rows;
  } finally {
    await leases.release(db, leaseName, until);
  }
}

/** Brings the next rows below the cut back, and moves it below them; with the last ones what the archive keeps of deleted rows. */
async function returnNext({ db, archive, epoch }: StepDeps, stepRows: number): Promise<number> {
  const cut = await archivedUpTo(db);
  const rows = await logMoves.lastRows(archive.db, cut, stepRows);
  const below = (rows[0]?.id ?? 1) - 1;
  const isLast = rows.length < stepRows || below === 0;
  const hours = logMoves.hoursOf(rows);
  // Marked first: of a marked hour the archive's rows up to the cut are read, wherever that is by then.
  await logMoves.inEpoch(archive.db, epoch, async (trx) => {
    await logMoves.dropCopiesAbove(trx, cut);
    await logHourMarks.mark(trx, hours);
  });
  await inTransaction(db, async (trx) => {
    await logMoves.putBack(trx, rows);
    if (isLast) await logMoves.addDeletedOf(trx, archive.db);
    if (!(await moveCut(trx, cut, isLast ? 0 : below))) throw new logMoves.EpochOver(overtaken);
  });
  faultPoint('log-returned');
  await logMoves.inEpoch(archive.db, epoch, (trx) => logMoves.dropCopiesAbove(trx, isLast ? 0 : below));
  return rows.length;
}
