import type { Db } from '../dialects/types.ts';
import type { BudgetRow } from './budgets.ts';

/** A run: a budget that calls name by its path. */
export type RunRow = BudgetRow & { run: string };

const ofUser = (db: Db, userId: number) => db.selectFrom('budgets').where('user_id', '=', userId);

/** The runs of a user with these paths, parents first. */
export const find = (db: Db, userId: number, paths: readonly string[]): Promise<RunRow[]> =>
  ofUser(db, userId)
    .selectAll()
    .where('run', 'in', paths)
    .orderBy('id')
    .$narrowType<{ run: string }>()
    .execute();

/** The run for which a key with this SHA-256 was made. */
export const findByKey = (db: Db, keyHash: string): Promise<RunRow | undefined> =>
  db
    .selectFrom('budgets')
    .selectAll()
    .where('key_hash', '=', keyHash)
    .where('run', 'is not', null)
    .$narrowType<{ run: string }>()
    .executeTakeFirst();

/** Runs with keys that a user's key has made and that accept calls at a moment (Unix seconds), newest first. */
const keyed = (db: Db, userId: number, tokenId: number, now: number) =>
  ofUser(db, userId)
    .where('window_end', '>', now)
    .where('token_id', '=', tokenId)
    .where('key_hash', 'is not', null)
    .where('enabled', '=', 1);

export const ofKey = (
  db: Db,
  { user_id: userId, id }: { user_id: number; id: number },
  now: number,
  limit: number,
): Promise<RunRow[]> =>
  keyed(db, userId, id, now)
    .selectAll()
    .orderBy('id', 'desc')
    .limit(limit)
    .$narrowType<{ run: string }>()
    .execute();

export async function countOfKey(db: Db, userId: number, tokenId: number, now: number): Promise<number> {
  const { count } = await keyed(db, userId, tokenId, now)
    .select((e) => e.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The direct sub-runs of some runs of a user, oldest first. */
export const children = (db: Db, userId: number, ids: readonly number[], limit: number): Promise<RunRow[]> =>
  ofUser(db, userId)
    .selectAll()
    .where('parent', 'in', ids)
    .where('run', 'is not', null)
    .orderBy('id')
    .limit(limit)
    .$narrowType<{ run: string }>()
    .execute();

/** The newest runs of a user that are no part of another. */
export const newest = (db: Db, userId: number, limit: number): Promise<RunRow[]> =>
  ofUser(db, userId)
    .selectAll()
    .where('run', 'is not', null)
    .where('parent', '=', 0)
    .orderBy('id', 'desc')
    .limit(limit)
    .$narrowType<{ run: string }>()
    .execute();

/** Number of a user's runs that end after a moment (Unix seconds). */
export async function countOpen(db: Db, userId: number, now: number): Promise<number> {
  const { count } = await ofUser(db, userId)
    .select((e) => e.fn.countAll().as('count'))
    .where('run', 'is not', null)
    .where('window_end', '>', now)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Removes runs of a user that ended before a moment and have no running calls; at most `limit`. Returns their ids. */
export async function removeEnded(db: Db, userId: number, before: number, limit: number): Promise<number[]> {
  const rows = await ofUser(db, userId)
    .select('id')
    .where('run', 'is not', null)
    .where('window_end', '<', before)
    .where('held', '=', 0)
    .limit(limit)
    .execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await db.deleteFrom('budgets').where('id', 'in', ids).where('held', '=', 0).execute();
  return ids;
}
