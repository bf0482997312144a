import type { Insertable, Selectable } from 'kysely';
import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import type { PasskeyTable } from '../../schema/people.ts';
import { countOf } from '../shared.ts';

export type PasskeyRow = Selectable<PasskeyTable>;

/** Stores a passkey; false if it exists already. */
export const add = (db: Db, passkey: Omit<Insertable<PasskeyTable>, 'id'>): Promise<boolean> =>
  dialectOf(db).insertIfNew(db.insertInto('passkeys').values(passkey), ['id_hash']);

/** A passkey by the hash of its credential's id. */
export const find = (db: Db, idHash: string): Promise<PasskeyRow | undefined> =>
  db.selectFrom('passkeys').selectAll().where('id_hash', '=', idHash).executeTakeFirst();

/** A user's passkeys, the oldest first. */
export const ofUser = (db: Db, userId: number): Promise<PasskeyRow[]> =>
  db.selectFrom('passkeys').selectAll().where('user_id', '=', userId).orderBy('id').execute();

/** The users, of some, with a passkey. */
export async function ownersAmong(db: Db, userIds: readonly number[]): Promise<number[]> {
  if (userIds.length === 0) return [];
  const rows = await db
    .selectFrom('passkeys')
    .select('user_id')
    .distinct()
    .where('user_id', 'in', userIds)
    .execute();
  return rows.map((row) => row.user_id);
}

/** Records a use with the device's counter; false if it was used concurrently, or is deleted. */
export async function noteUse(
  db: Db,
  { id, counter }: Pick<PasskeyRow, 'id' | 'counter'>,
  use: { counter: number; now: number },
): Promise<boolean> {
  const result = await db
    .updateTable('passkeys')
    .set({ counter: use.counter, used_time: use.now })
    .where('id', '=', id)
    .where('counter', '=', counter)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** False if the user has no such passkey. */
export async function rename(
  db: Db,
  { id, user_id: userId, name }: Pick<PasskeyRow, 'id' | 'user_id' | 'name'>,
): Promise<boolean> {
  const result = await db
    .updateTable('passkeys')
    .set({ name })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** False if the user has no such passkey. */
export async function remove(
  db: Db,
  { id, user_id: userId }: Pick<PasskeyRow, 'id' | 'user_id'>,
): Promise<boolean> {
  const result = await db
    .deleteFrom('passkeys')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Removes all passkeys from a user; returns their number. */
export async function removeAll(db: Db, userId: number): Promise<number> {
  return countOf(await db.deleteFrom('passkeys').where('user_id', '=', userId).executeTakeFirstOrThrow());
}
