import type { Selectable, Updateable } from 'kysely';
import type { Db } from '../dialects/types.ts';
import type { AutoTopUpTable } from '../schema/money.ts';
import { countOf } from './shared.ts';

export type AutoTopUpRow = Selectable<AutoTopUpTable>;

export const find = (db: Db, userId: number): Promise<AutoTopUpRow | undefined> =>
  db.selectFrom('auto_top_ups').selectAll().where('user_id', '=', userId).executeTakeFirst();

export async function create(db: Db, row: AutoTopUpRow): Promise<void> {
  await db.insertInto('auto_top_ups').values(row).execute();
}

/**
 * Changes the row of a user whose order is this one, '' for none; false if it is not. One statement decides, so that
 * one process takes a crossing.
 */
export async function change(
  db: Db,
  userId: number,
  orderNo: string | undefined,
  change: Updateable<AutoTopUpTable>,
): Promise<boolean> {
  const result = await db
    .updateTable('auto_top_ups')
    .set(change)
    .where('user_id', '=', userId)
    .$if(orderNo !== undefined, (query) => query.where('order_no', '=', orderNo!))
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Forgets the card of an erased user. */
export async function removeOf(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('auto_top_ups').where('user_id', '=', userId).execute();
}

/** Rows with an open order, and rows that are on, of users with a balance in quota units below theirs. */
export const due = (
  db: Db,
  { at, perUnit, limit }: { at: number; perUnit: number; limit: number },
): Promise<AutoTopUpRow[]> =>
  db
    .selectFrom('auto_top_ups')
    .innerJoin('users', 'users.id', 'auto_top_ups.user_id')
    .innerJoin('accounts', 'accounts.id', 'users.account_id')
    .selectAll('auto_top_ups')
    .where('auto_top_ups.due_time', '<=', at)
    .where((e) =>
      e.or([
        e('auto_top_ups.order_no', '!=', ''),
        e.and([
          e('auto_top_ups.enabled', '=', 1),
          e('users.deleted_at', 'is', null),
          e('users.status', '=', 1),
          e('accounts.balance', '<', e('auto_top_ups.below', '*', perUnit)),
        ]),
      ]),
    )
    .orderBy('auto_top_ups.due_time')
    .limit(limit)
    .execute();
