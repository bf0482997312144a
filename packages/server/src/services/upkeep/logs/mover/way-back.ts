import { faultPoint } from '../../../../lib/fault-point.ts';
import { type Clock } from '../../../../lib/clock.ts';
import {
  archivedUpTo,
  type Db,
  inTransaction,
  leases,
  type LogArchive,
  logHourMarks,
  archiveMarks,
  logMoves,
  moveCut,
} from '../../../../store/index.ts';
import { joinArchive } from './join.ts';
import { leaseMs, leaseName } from './mover.ts';
import { makeChanges, type StepDeps } from './steps.ts';

/** No call waits for a step, because no process runs. */
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
 * Moves the rows of the log back from the archive, with the sums of deleted rows, while no process uses the
 * databases. Returns how many; then the archive is empty and LOG_SQL_DSN may be removed. If it is stopped, moved rows
 * count in the main database and the rest in the archive, and the next run continues. Throws if no rows have moved,
 * or another process moves rows.
 */
export async function returnLogs({
  db,
  archive,
  clock,
  stepRows = usualStepRows,
}: WayBackDeps): Promise<number> {
  if (!(await archiveMarks.hasCut(db))) throw new Error('no rows of the log have moved to another database');
  const now = clock();
  let until = now + leaseMs;
  if (!(await leases.take(db, leaseName, now, until)))
    throw new Error('another process moves rows of the log: stop all processes, and wait a minute');
  try {
    await archiveMarks.forgetSighting(db);
    await joinArchive(db, archive);
    const deps = { db, archive, epoch: await archiveMarks.beginEpoch(archive.db) };
    await makeChanges(deps);
    let rows = 0;
    while ((await archivedUpTo(db)) > 0) {
      rows += await returnNext(deps, stepRows);
      const longer = clock() + leaseMs;
      if (await leases.renew(db, leaseName, until, longer)) until = longer;
      else throw new archiveMarks.EpochEnded(overtaken);
    }
    await archiveMarks.inEpoch(archive.db, deps.epoch, logMoves.clear);
    await archiveMarks.forgetCut(db);
    return rows;
  } finally {
    await leases.release(db, leaseName, until);
  }
}

/**
 * Moves the next rows below the cut back, and the cut below them; with the last ones also the archive's sums of
 * deleted rows.
 */
async function returnNext({ db, archive, epoch }: StepDeps, stepRows: number): Promise<number> {
  const cut = await archivedUpTo(db);
  const rows = await logMoves.lastRows(archive.db, cut, stepRows);
  const below = (rows[0]?.id ?? 1) - 1;
  const isLast = rows.length < stepRows || below === 0;
  const hours = logMoves.hoursOf(rows);
  // Marked first: the archive's rows of a marked hour are read up to the cut, wherever the cut is.
  await archiveMarks.inEpoch(archive.db, epoch, async (trx) => {
    await logMoves.dropCopiesAbove(trx, cut);
    await logHourMarks.mark(trx, hours);
  });
  await inTransaction(db, async (trx) => {
    await logMoves.putBack(trx, rows);
    if (isLast) await logMoves.addDeletedOf(trx, archive.db);
    if (!(await moveCut(trx, cut, isLast ? 0 : below))) throw new archiveMarks.EpochEnded(overtaken);
  });
  faultPoint('log-returned');
  await archiveMarks.inEpoch(archive.db, epoch, (trx) => logMoves.dropCopiesAbove(trx, isLast ? 0 : below));
  return rows.length;
}
