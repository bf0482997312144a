import { randomInt } from 'node:crypto';
import {
  archivedUpTo,
  type Db,
  inTransaction,
  type LogArchive,
  archiveMarks,
  logMoves,
  migrate,
  moveCut,
  schemaState,
} from '../../../../store/index.ts';

const notOurs =
  'the database of LOG_SQL_DSN has a log already, which is not the log of this site: name an empty database';
const another =
  'LOG_SQL_DSN names another database than the one that rows of the log have moved to: name that one';
const highestPair = 2 ** 47;

/**
 * Migrates the archive's schema. Refuses one with rows of another site or gateway, whose ids would collide, and any
 * database other than the one that rows have moved to, because copies above the cut are removed from it.
 */
export async function joinArchive(db: Db, archive: LogArchive): Promise<void> {
  if ((await schemaState(archive)) === 'foreign') throw new Error(notOurs);
  await migrate(archive);
  const pair = await archiveMarks.findPair(db);
  if (!(await isPair(db, archive))) throw new Error(another);
  const isNew = !(await archiveMarks.hasCut(db));
  if (isNew && (await logMoves.hasRowsOrSums(archive.db))) throw new Error(notOurs);
  if (pair === undefined) {
    // The archive first: one that has only a number is still empty.
    const number = (await archiveMarks.findPair(archive.db)) ?? randomInt(1, highestPair);
    await archiveMarks.setPair(archive.db, number);
    await inTransaction(db, async (trx) => {
      if (isNew) await moveCut(trx, 0, 0);
      await archiveMarks.setPair(trx, number);
    });
  }
  // At the start nothing in it counts; leftovers come from a return of the rows that was stopped after its last step.
  if ((await archivedUpTo(db)) === 0) await inTransaction(archive.db, logMoves.clear);
}

/**
 * Whether rows of the log have moved from the first database to the second, or to any. Throws if it has no schema.
 */
export async function isPair(db: Db, archive: LogArchive): Promise<boolean> {
  const pair = await archiveMarks.findPair(db);
  return pair === undefined || pair === (await archiveMarks.findPair(archive.db));
}
