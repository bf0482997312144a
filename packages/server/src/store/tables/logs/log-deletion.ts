import { archiveOf, dialectOf, inTransaction } from '../../db.ts';
import { batches } from '../shared.ts';
import { keepDeleted } from './hours/deleted.ts';
import { lockArchivedUpTo, readOn, type Side, sidesOf } from './sides/sides.ts';
import type { Db } from '../../dialects/types.ts';

/** What is read of rows before they are deleted. */
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

/**
 * Deletes the oldest rows before a moment (Unix seconds), at most `limit`, in short transactions; answers how many were
 * looked at: fewer than the limit when no more are left. What they charged stays in the sums by the hour. Of the archive first.
 */
export async function deleteSome(db: Db, before: number, limit: number): Promise<number> {
  const [main, archived] = await sidesOf(db);
  if (!archived) return deleteOn(main, before, limit);
  const side = { ...archived, db: archiveOf(db)?.db ?? db };
  const found = await readOn(side, async () => {
    const ids = await oldest(side, before, limit);
    // First what still stands of them in the main database: a row that is there and not in the archive would go there anew.
    for (const part of batches(ids)) await db.deleteFrom('logs').where('id', 'in', part).execute();
    await deleteRows(side, ids);
    return ids.length;
  });
  return found < limit ? found + (await deleteOn(main, before, limit - found)) : found;
}

async function deleteOn(side: Side, before: number, limit: number): Promise<number> {
  const ids = await oldest(side, before, limit);
  await deleteRows(side, ids);
  return ids.length;
}

async function oldest({ db, ids: { above = 0, upTo } }: Side, before: number, limit: number) {
  let query = db.selectFrom('logs').select('id').where('created_at', '<', before);
  if (above > 0) query = query.where('id', '>', above);
  if (upTo !== undefined) query = query.where('id', '<=', upTo);
  const rows = await query.orderBy('created_at').orderBy('id').limit(limit).execute();
  return rows.map(({ id }) => id);
}

async function deleteRows({ db, isArchive }: Side, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await inTransaction(db, async (trx) => {
    // Locked, so that of two who delete the same rows one keeps what they charged.
    const locked = await dialectOf(trx)
      .lockRows(trx.selectFrom('logs').select(kept).where('id', 'in', ids))
      .execute();
    // What was moved meanwhile counts in the archive, and is deleted there.
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
