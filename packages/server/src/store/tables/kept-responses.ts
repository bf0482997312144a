import type { Selectable } from 'kysely';
import { dialectOf, inTransaction } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import type { KeptResponseTable } from '../schema/calls.ts';
import { countOf, firstBeyond, type KeepBounds } from './shared.ts';

export type KeptResponseRow = Selectable<KeptResponseTable>;

/** Stores a response; one with the same name stays. */
export const keep = (db: Db, row: Omit<KeptResponseRow, 'id'>): Promise<boolean> =>
  dialectOf(db).insertIfNew(db.insertInto('kept_responses').values(row), ['name']);

/** Replaces a row, which becomes the newest; false if it has been replaced meanwhile. */
export const replace = (db: Db, id: number, row: Omit<KeptResponseRow, 'id'>): Promise<boolean> =>
  inTransaction(db, async (trx) => {
    const gone = await trx.deleteFrom('kept_responses').where('id', '=', id).executeTakeFirstOrThrow();
    return countOf(gone) > 0 && (await keep(trx, row));
  });

/** Stores a response in place of one with the same name. */
export async function put(db: Db, row: Omit<KeptResponseRow, 'id'>): Promise<void> {
  const { name, ...rest } = row;
  const changed = await db
    .updateTable('kept_responses')
    .set(rest)
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  if (Number(changed.numUpdatedRows) === 0) await keep(db, row);
}

export const find = (db: Db, name: string): Promise<KeptResponseRow | undefined> =>
  db.selectFrom('kept_responses').selectAll().where('name', '=', name).executeTakeFirst();

/** Deletes a response; false if there is none. */
export const remove = async (db: Db, name: string): Promise<boolean> =>
  countOf(await db.deleteFrom('kept_responses').where('name', '=', name).executeTakeFirstOrThrow()) > 0;

/** Deletes the responses from before a moment; returns their number. */
export const removeBefore = async (db: Db, before: number): Promise<number> =>
  countOf(await db.deleteFrom('kept_responses').where('at', '<', before).executeTakeFirstOrThrow());

/** Deletes the responses of a user. */
export async function removeOf(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('kept_responses').where('user_id', '=', userId).execute();
}

/** Users with more responses than the limits. */
export async function usersBeyond(db: Db, bounds: KeepBounds): Promise<number[]> {
  const rows = await db
    .selectFrom('kept_responses')
    .select('user_id')
    .groupBy('user_id')
    .having((e) => e.or([e(e.fn.countAll(), '>', bounds.rows), e(e.fn.sum('size'), '>', bounds.size)]))
    .execute();
  return rows.map(({ user_id: id }) => id);
}

/** Deletes the oldest responses, of one user or of all, until the rest is within the limits. */
export async function trim(db: Db, bounds: KeepBounds, userId?: number): Promise<void> {
  const rows = await db
    .selectFrom('kept_responses')
    .select(['id', 'size'])
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId!))
    .orderBy('id', 'desc')
    .execute();
  const last = firstBeyond(rows, bounds);
  if (!last) return;
  await db
    .deleteFrom('kept_responses')
    .where('id', '<=', last.id)
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId!))
    .execute();
}
