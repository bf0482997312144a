import { faultPoint } from '../../../../lib/fault-point.ts';
import {
  archivedUpTo,
  type Db,
  inTransaction,
  type LogArchive,
  logChanges,
  logHourMarks,
  archiveMarks,
  logMoves,
  logs,
  moveCut,
} from '../../../../store/index.ts';

/** Rows of one step: few enough that a settlement waiting for it is not noticeably delayed. */
const stepRows = 200;

/** Dependencies of a step. */
export interface StepDeps {
  db: Db;
  archive: LogArchive;
  /** The epoch of this round: every write to the archive requires it. */
  epoch: number;
}

/**
 * Copies the next rows above the cut, up to an id, and moves the cut past them if they have not changed since they
 * were read; from then on they are read from the archive. Returns how many: 0 if there are none, or they changed
 * meanwhile.
 */
export async function moveNext({ db, archive, epoch }: StepDeps, upTo: number): Promise<number> {
  const cut = await archivedUpTo(db);
  const rows = cut < upTo ? await logMoves.rowsIn(db, { above: cut, upTo }, stepRows) : [];
  if (rows.length === 0) return 0;
  await archiveMarks.inEpoch(archive.db, epoch, async (trx) => {
    await logMoves.dropCopiesAbove(trx, cut);
    await logMoves.putCopies(trx, rows);
  });
  faultPoint('log-copied');
  const isMoved = await inTransaction(db, async (trx) => {
    const now = await logMoves.lockByIds(
      trx,
      rows.map(({ id }) => id),
    );
    if (now.length < rows.length || !rows.every((row, index) => logMoves.isSame(row, now[index])))
      return false;
    await logHourMarks.mark(trx, logMoves.hoursOf(rows));
    return moveCut(trx, cut, rows.at(-1)!.id);
  });
  faultPoint('log-cut-moved');
  return isMoved ? rows.length : 0;
}

/**
 * Deletes the next rows of the main database up to an id below the cut if the archive has the same values; different
 * rows are copied again and deleted by a later step. Returns how many were examined, and deleted.
 */
export async function dropNext({ db, archive, epoch }: StepDeps, upTo: number) {
  const old = await logMoves.rowsIn(db, { upTo }, stepRows);
  if (old.length === 0) return { found: 0, dropped: 0 };
  const ids = old.map(({ id }) => id);
  const copies = new Map((await logMoves.byIds(archive.db, ids)).map((row) => [row.id, row]));
  faultPoint('log-compared');
  const rest = await inTransaction(db, async (trx) => {
    const rows = await logMoves.lockByIds(trx, ids);
    const changed = new Set(
      rows.filter((row) => !logMoves.isSame(row, copies.get(row.id))).map((row) => row.request_id),
    );
    // A charge stays as long as its other rows, because the check of the books compares them.
    const same = rows.filter((row) => !changed.has(row.request_id));
    await logMoves.drop(
      trx,
      same.map(({ id }) => id),
    );
    return rows.filter((row) => !same.includes(row));
  });
  if (rest.length > 0) await archiveMarks.inEpoch(archive.db, epoch, (trx) => logMoves.putCopies(trx, rest));
  return { found: ids.length, dropped: ids.length - rest.length };
}

/**
 * Applies the waiting changes, each once: the archive stores which it has applied, until the main database has
 * deleted them.
 */
export async function makeChanges({ db, archive, epoch }: StepDeps): Promise<void> {
  for (;;) {
    const remembered = await logMoves.rememberedChanges(archive.db);
    const waiting = await logChanges.pending(db, stepRows);
    const waitingIds = waiting.map(({ id }) => id);
    // Ids that are not among the waiting ones were deleted in the main database before.
    if (waiting.length < stepRows)
      await logChanges.forget(
        archive.db,
        remembered.filter((id) => !waitingIds.includes(id)),
      );
    if (waiting.length === 0) return;
    await archiveMarks.inEpoch(archive.db, epoch, async (trx) => {
      for (const change of waiting) if (await logChanges.remember(trx, change)) await make(trx, change);
    });
    faultPoint('log-changes-made');
    await logChanges.forget(db, waitingIds);
  }
}

async function make(
  archive: Db,
  { request_id: requestId, refunded, corrected }: logChanges.PendingChange,
): Promise<void> {
  const columns = JSON.parse(corrected) as Partial<logs.NewLog>;
  if (Object.keys(columns).length > 0) await logs.correct(archive, requestId, columns);
  if (refunded !== 0) await logs.refund(archive, [{ requestId, quota: refunded }]);
}
