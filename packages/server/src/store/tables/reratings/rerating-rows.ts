import type { Selectable } from 'kysely';
import type { Db } from '../../dialects/types.ts';
import type { ReratingRowTable } from '../../schema/money.ts';
import { batches, countOf, type Slice } from '../shared.ts';

export type ReratedCharge = Selectable<ReratingRowTable>;
export type NewReratedCharge = Omit<ReratedCharge, 'id'>;

/** Stores corrected charges. Violates the unique key if the same correction has corrected one before. */
export async function insert(db: Db, rows: readonly NewReratedCharge[]): Promise<void> {
  for (const part of batches(rows, 50)) await db.insertInto('rerating_rows').values(part).execute();
}

/** All corrections of rows of the log between two ids, both included, the oldest first. */
export const ofLogs = (db: Db, from: number, to: number): Promise<ReratedCharge[]> =>
  db
    .selectFrom('rerating_rows')
    .selectAll()
    .where('log_id', '>=', from)
    .where('log_id', '<=', to)
    .orderBy('id')
    .execute();

/** The corrections of one row of the log, with their reasons, the oldest first. */
export const ofLog = (db: Db, logId: number) =>
  db
    .selectFrom('rerating_rows')
    .innerJoin('reratings', 'reratings.id', 'rerating_rows.rerating_id')
    .select([
      'reratings.id as id',
      'reason',
      'revert_reason',
      'moved',
      'undone',
      'rerating_rows.state as state',
    ])
    .select(['applied_at', 'rerating_rows.reverted_at as reverted_at'])
    .where('log_id', '=', logId)
    .orderBy('rerating_rows.id')
    .execute();

/** Corrected charges that are still in force, the newest first. */
export const applied = (db: Db, reratingId: number, limit: number): Promise<ReratedCharge[]> =>
  db
    .selectFrom('rerating_rows')
    .selectAll()
    .where('rerating_id', '=', reratingId)
    .where('state', '=', 'applied')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

/** True if a later correction of one of the same charges is in force. */
export async function hasLaterCorrection(db: Db, reratingId: number): Promise<boolean> {
  const later = await db
    .selectFrom('rerating_rows as mine')
    .innerJoin('rerating_rows as other', 'other.log_id', 'mine.log_id')
    .select('other.id')
    .where('mine.rerating_id', '=', reratingId)
    .where('mine.state', '=', 'applied')
    .where('other.rerating_id', '>', reratingId)
    .where('other.state', '=', 'applied')
    .limit(1)
    .executeTakeFirst();
  return later !== undefined;
}

/** Stores that a charge was reverted; false if it was reverted before. */
export async function revert(db: Db, id: number, undone: number, at: number): Promise<boolean> {
  const query = db
    .updateTable('rerating_rows')
    .set({ state: 'reverted', undone, reverted_at: at })
    .where('id', '=', id)
    .where('state', '=', 'applied');
  return countOf(await query.executeTakeFirstOrThrow()) > 0;
}

/** One page of the charges of a correction in the order of the log, and their number. */
export async function page(db: Db, reratingId: number, { offset, limit }: Slice) {
  const { total } = await db
    .selectFrom('rerating_rows')
    .select((e) => e.fn.countAll<number>().as('total'))
    .where('rerating_id', '=', reratingId)
    .executeTakeFirstOrThrow();
  const items = await db
    .selectFrom('rerating_rows')
    .leftJoin('users', 'users.id', 'rerating_rows.user_id')
    .selectAll('rerating_rows')
    .select('users.username as username')
    .where('rerating_id', '=', reratingId)
    .orderBy('rerating_rows.id')
    .limit(limit)
    .offset(offset)
    .execute();
  return { total: Number(total), items };
}
