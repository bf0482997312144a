import type { Insertable, Selectable } from 'kysely';
import type { Db } from '../../dialects/types.ts';
import { dialectOf } from '../../db.ts';
import type { AccessTokenTable } from '../../schema/people.ts';
import { countOf } from '../shared.ts';

export type AccessTokenRow = Selectable<AccessTokenTable>;

/** Returns the new id. */
export const create = (db: Db, row: Insertable<AccessTokenTable>): Promise<number> =>
  dialectOf(db).insertReturningId(db.insertInto('access_tokens').values(row));

/** The token with this hash, expired or not. */
export const find = (db: Db, hash: string): Promise<AccessTokenRow | undefined> =>
  db.selectFrom('access_tokens').selectAll().where('token_hash', '=', hash).executeTakeFirst();

/** A user's tokens, newest first. */
export const list = (db: Db, userId: number): Promise<AccessTokenRow[]> =>
  db.selectFrom('access_tokens').selectAll().where('user_id', '=', userId).orderBy('id', 'desc').execute();

export async function touch(db: Db, id: number, now: number): Promise<void> {
  await db.updateTable('access_tokens').set({ used_time: now }).where('id', '=', id).execute();
}

/** Ends a token of a user; false if there is none. */
export async function remove(
  db: Db,
  { id, user_id }: Pick<AccessTokenRow, 'id' | 'user_id'>,
): Promise<boolean> {
  const query = db.deleteFrom('access_tokens').where('id', '=', id).where('user_id', '=', user_id);
  return countOf(await query.executeTakeFirstOrThrow()) > 0;
}

export async function removeAll(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('access_tokens').where('user_id', '=', userId).execute();
}
