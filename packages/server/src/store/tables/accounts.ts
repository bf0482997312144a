import type { Selectable } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import type { AccountTable } from '../schema/money.ts';

export type AccountRow = Selectable<AccountTable>;

/** Opens an empty account and returns its id. Only the ledger adds money. */
export const create = (db: Db): Promise<number> =>
  dialectOf(db).insertReturningId(db.insertInto('accounts').values({ balance: 0, held: 0 }));

export const find = (db: Db, id: number): Promise<AccountRow | undefined> =>
  db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();

/** The account that pays for a user; deleted users keep theirs. */
export const ofUser = (db: Db, userId: number): Promise<AccountRow | undefined> =>
  db
    .selectFrom('accounts')
    .innerJoin('users', 'users.account_id', 'accounts.id')
    .selectAll('accounts')
    .where('users.id', '=', userId)
    .executeTakeFirst();

/** The accounts of these ids, by id. */
export async function findBalances(db: Db, ids: readonly number[]): Promise<Map<number, AccountRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('accounts').selectAll().where('id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, row]));
}
