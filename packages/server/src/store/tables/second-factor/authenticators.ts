import type { Selectable } from 'kysely';
import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import type { AuthenticatorTable } from '../../schema/people.ts';
import { countOf } from '../shared.ts';

export type AuthenticatorRow = Selectable<AuthenticatorTable>;

/** Stores an unconfirmed secret, in place of a former unconfirmed one; false if a confirmed one exists. */
export async function propose(db: Db, userId: number, sealed: string): Promise<boolean> {
  const row = { user_id: userId, secret_sealed: sealed, confirmed_time: 0, used_step: 0 };
  if (await dialectOf(db).insertIfNew(db.insertInto('authenticators').values(row), ['user_id'])) return true;
  const result = await db
    .updateTable('authenticators')
    .set({ secret_sealed: sealed, used_step: 0 })
    .where('user_id', '=', userId)
    .where('confirmed_time', '=', 0)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** A user's authenticator, confirmed or not. */
export const find = (db: Db, userId: number): Promise<AuthenticatorRow | undefined> =>
  db.selectFrom('authenticators').selectAll().where('user_id', '=', userId).executeTakeFirst();

/** The users, of some, with a confirmed authenticator. */
export async function confirmedAmong(db: Db, userIds: readonly number[]): Promise<number[]> {
  if (userIds.length === 0) return [];
  const rows = await db
    .selectFrom('authenticators')
    .select('user_id')
    .where('user_id', 'in', userIds)
    .where('confirmed_time', '>', 0)
    .execute();
  return rows.map((row) => row.user_id);
}

/** Uses the code of a step; of concurrent attempts, one gets true. False for a used step or an earlier one. */
export async function useStep(
  db: Db,
  { user_id: userId, secret_sealed: sealed }: Pick<AuthenticatorRow, 'user_id' | 'secret_sealed'>,
  step: number,
): Promise<boolean> {
  const result = await db
    .updateTable('authenticators')
    .set({ used_step: step })
    .where('user_id', '=', userId)
    .where('secret_sealed', '=', sealed)
    .where('used_step', '<', step)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Confirms it; false if it was confirmed already. */
export async function confirm(db: Db, userId: number, now: number): Promise<boolean> {
  const result = await db
    .updateTable('authenticators')
    .set({ confirmed_time: now })
    .where('user_id', '=', userId)
    .where('confirmed_time', '=', 0)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Removes it; false if there was none. */
export async function remove(db: Db, userId: number): Promise<boolean> {
  const result = await db
    .deleteFrom('authenticators')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}
