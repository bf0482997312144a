import { archiveOf, dialectOf, inTransaction } from '../../db.ts';
import { batches } from '../shared.ts';
import { keepDeleted } from './hours/deleted.ts';
import { lockArchivedUpTo } from '../log-archive/marks.ts';
import { readOn, type Side, findSides } from '../log-archive/sides.ts';
import type { Db } from '../../dialects/types.ts';

/** Columns that are read before rows are deleted. */
const kept = [
  'id',
  'created_at',
  'type',
  'user_id',
  'username',
  'channel_id',
  'model_name',
  'group',
  'token_id',
  'token_name',
  'team_id',
  'quota',
  'refunded',
] as const;

/** Time range of the deleted rows, in Unix seconds; the end is not included. */
export interface DeletedSpan {
  /** End of the previous step. Databases keep deleted rows in their indexes for a while, and skipping them takes time. */
  from: number;
  before: number;
}

/** Result of a deletion step. */
export interface DeletedSome {
  /** Number of examined rows: fewer than the limit if no more are left in the time range. */
  rows: number;
  /** The time of the last row; 0 if there was none. */
  last: number;
}

/**
 * Deletes the oldest rows of a time range, at most `limit`, in short transactions. Their charges stay in the hourly
 * sums. The archive comes first.
 */
export async function deleteSome(db: Db, span: DeletedSpan, limit: number): Promise<DeletedSome> {
  const [main, archived] = await findSides(db);
  if (!archived) return deleteOn(main, span, limit);
  const side = { ...archived, db: archiveOf(db)?.db ?? db };
  const far = await readOn(side, async () => {
    const found = await oldest(side, span, limit);
    // First deletes their rows in the main database: a row that is there and not in the archive would be copied
    // again.
    for (const part of batches(found.ids)) await db.deleteFrom('logs').where('id', 'in', part).execute();
    await deleteRows(side, found.ids);
    return { rows: found.ids.length, last: found.last };
  });
  if (far.rows === limit) return far;
  const near = await deleteOn(main, span, limit - far.rows);
  return { rows: far.rows + near.rows, last: Math.max(far.last, near.last) };
}

async function deleteOn(side: Side, span: DeletedSpan, limit: number): Promise<DeletedSome> {
  const { ids, last } = await oldest(side, span, limit);
  await deleteRows(side, ids);
  return { rows: ids.length, last };
}

async function oldest({ db, ids: { above = 0, upTo } }: Side, { from, before }: DeletedSpan, limit: number) {
  let query = db
    .selectFrom('logs')
    .select(['id', 'created_at'])
    .where('created_at', '>=', from)
    .where('created_at', '<', before);
  if (above > 0) query = query.where('id', '>', above);
  if (upTo !== undefined) query = query.where('id', '<=', upTo);
  const rows = await query.orderBy('created_at').orderBy('id').limit(limit).execute();
  return { ids: rows.map(({ id }) => id), last: rows.at(-1)?.created_at ?? 0 };
}

async function deleteRows({ db, isArchive }: Side, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await inTransaction(db, async (trx) => {
    // Locked, so that of two concurrent deletions one keeps the charges.
    const locked = await dialectOf(trx)
      .lockRows(trx.selectFrom('logs').select(kept).where('id', 'in', ids))
      .execute();
    // Rows that were moved meanwhile count in the archive and are deleted there.
    const cut = !isArchive && archiveOf(trx) ? await lockArchivedUpTo(trx) : 0;
    const rows = cut === 0 ? locked : locked.filter(({ id }) => id > cut);
    if (rows.length === 0) return;
    await trx
      .deleteFrom('logs')
      .where(
        'id',
        'in',
        rows.map(({ id }) => id),
      )
      .execute();
    await keepDeleted(trx, rows);
  });
}
