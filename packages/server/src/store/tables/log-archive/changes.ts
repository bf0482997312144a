import { logType } from '@tollgate/contract';
import type { Selectable, Updateable } from 'kysely';
import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import type { LogChangeTable, LogTable } from '../../schema/upkeep.ts';
import { batches } from '../shared.ts';
import { archivedUpTo, CUT } from './marks.ts';

/** A change of a charge's row. */
export interface LogChange {
  requestId: string;
  /** Refunded quota units of it. */
  refunded: number;
  /** Columns with new values. */
  corrected: Updateable<LogTable>;
}

export type PendingChange = Selectable<LogChangeTable>;

/**
 * Stores changes of rows that have moved to the archive; they are applied there later. Part of the transaction that
 * moves the money. A row that is in no database has no change.
 */
export async function deferOfMissing(db: Db, changes: readonly LogChange[]): Promise<void> {
  if ((await archivedUpTo(db)) === 0) return;
  // Under a lock, which sees all commits: a row that is being moved is either changed here or no longer here.
  const there = await dialectOf(db)
    .lockRows(
      db
        .selectFrom('logs')
        .select(['id', 'request_id'])
        .where(
          'request_id',
          'in',
          changes.map(({ requestId }) => requestId),
        )
        .where('type', '=', logType.consume),
    )
    .execute();
  const known = new Set(there.map((row) => row.request_id));
  const missing = changes.filter(({ requestId }) => !known.has(requestId));
  if (missing.length === 0) return;
  await db
    .insertInto('log_changes')
    .values(
      missing.map(({ requestId, refunded, corrected }) => ({
        request_id: requestId,
        refunded,
        corrected: JSON.stringify(corrected),
      })),
    )
    .execute();
}

/** The same for one change of a moved row, for SQLite's prepared statements: request id, columns as JSON. */
export const deferChangeSql = `insert into log_changes (request_id, refunded, corrected)
    select ?, 0, ? from change_marks where name = '${CUT}' and version < 0`;

/** The oldest waiting changes. */
export const pending = (db: Db, limit: number): Promise<PendingChange[]> =>
  db.selectFrom('log_changes').selectAll().orderBy('id').limit(limit).execute();

/** Number of waiting changes. */
export async function countPending(db: Db): Promise<number> {
  const row = await db
    .selectFrom('log_changes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Stores in the archive that a change is applied; false if it was applied before. */
export const remember = (db: Db, change: PendingChange): Promise<boolean> =>
  dialectOf(db).insertIfNew(db.insertInto('log_changes').values(change), ['id']);

/** Deletes applied changes: the waiting rows in the main database, or the stored marks in the archive. */
export async function forget(db: Db, ids: readonly number[]): Promise<void> {
  for (const part of batches(ids)) await db.deleteFrom('log_changes').where('id', 'in', part).execute();
}
