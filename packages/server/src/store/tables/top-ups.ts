import type { Selectable } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import type { TopUpTable } from '../schema/money.ts';
import { countOf, type Slice } from './shared.ts';

export type TopUpRow = Selectable<TopUpTable>;
type Optional = 'team_id' | 'currency' | 'balance_price' | 'page_id' | 'invoice' | 'credit_note';
export type NewTopUp = Omit<TopUpRow, 'id' | 'status' | 'complete_time' | 'refunded' | Optional> &
  Partial<Pick<TopUpRow, Optional>>;

/** Stores an order with a pending payment; an existing trade number is a unique violation. */
export const create = (db: Db, order: NewTopUp): Promise<number> =>
  dialectOf(db).insertReturningId(
    db.insertInto('top_ups').values({ team_id: 0, ...order, status: 'pending', complete_time: 0 }),
  );

/** Stores an order whose payment is there, or was paid back; an existing trade number is a unique violation. */
export const createPaid = (
  db: Db,
  order: NewTopUp,
  status: 'success' | 'refunded' = 'success',
): Promise<number> =>
  dialectOf(db).insertReturningId(
    db.insertInto('top_ups').values({ team_id: 0, ...order, status, complete_time: order.create_time }),
  );

export const findByTradeNo = (db: Db, tradeNo: string): Promise<TopUpRow | undefined> =>
  db.selectFrom('top_ups').selectAll().where('trade_no', '=', tradeNo).executeTakeFirst();

/**
 * Ends a pending order of this payment provider. One statement decides: of any number of callbacks, one gets true.
 * Credit the quota in the same transaction. `quota` and `money` replace those of an order that was paid back in part.
 */
export async function complete(
  db: Db,
  tradeNo: string,
  provider: string,
  {
    status,
    now,
    ...kept
  }: { status: 'success' | 'failed' | 'expired' | 'refunded'; now: number; quota?: number; money?: string },
): Promise<boolean> {
  const result = await db
    .updateTable('top_ups')
    .set({ status, complete_time: now, ...kept })
    .where('trade_no', '=', tradeNo)
    .where('provider', '=', provider)
    .where('status', '=', 'pending')
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Notes the provider's id of the page where an order is paid. */
export async function notePage(db: Db, tradeNo: string, pageId: string): Promise<void> {
  await db.updateTable('top_ups').set({ page_id: pageId }).where('trade_no', '=', tradeNo).execute();
}

/**
 * Makes an expired order pending again, because its payment arrived late; safe to repeat. Returns whether
 * it was expired.
 */
export async function reopen(db: Db, tradeNo: string, provider: string): Promise<boolean> {
  const result = await db
    .updateTable('top_ups')
    .set({ status: 'pending', complete_time: 0 })
    .where('trade_no', '=', tradeNo)
    .where('provider', '=', provider)
    .where('status', '=', 'expired')
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Marks a credited order as refunded, with the quota that was taken back; false if it is in another state. */
export async function refund(db: Db, tradeNo: string, refunded: number): Promise<boolean> {
  const result = await db
    .updateTable('top_ups')
    .set({ status: 'refunded', refunded })
    .where('trade_no', '=', tradeNo)
    .where('status', '=', 'success')
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** US dollars of a user's automatic orders since a moment that were paid, or may be. */
export async function sumAutomatic(db: Db, userId: number, since: number): Promise<number> {
  const { sum } = await db
    .selectFrom('top_ups')
    .select((e) => e.fn.sum<number | null>('amount').as('sum'))
    .where('user_id', '=', userId)
    .where('payment_method', '=', 'auto')
    .where('status', 'in', ['pending', 'success', 'refunded'])
    .where('create_time', '>=', since)
    .executeTakeFirstOrThrow();
  return Number(sum ?? 0);
}

/** Number of orders of a user. */
export async function count(db: Db, userId: number): Promise<number> {
  const { rows } = await db
    .selectFrom('top_ups')
    .select((e) => e.fn.countAll<number>().as('rows'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return Number(rows);
}

/** A user's orders, newest first. */
export const list = (db: Db, userId: number, { offset, limit }: Slice): Promise<TopUpRow[]> =>
  db
    .selectFrom('top_ups')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();

/** Orders of all users; optionally with this number or username, or in this state. */
export interface TopUpFilter {
  keyword: string;
  status: string;
}

/** Orders of all users, newest first; `username` is null for an erased account. */
export async function listAll(
  db: Db,
  { keyword, status }: TopUpFilter,
  { offset, limit }: Slice,
): Promise<{ rows: (TopUpRow & { username: string | null })[]; total: number }> {
  const found = db
    .selectFrom('top_ups')
    .leftJoin('users', 'users.id', 'top_ups.user_id')
    .$if(keyword !== '', (query) =>
      query.where((e) => e.or([e('trade_no', '=', keyword), e('users.username', '=', keyword)])),
    )
    .$if(status !== '', (query) => query.where('top_ups.status', '=', status));
  const { total } = await found.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await found
    .selectAll('top_ups')
    .select('users.username')
    .orderBy('top_ups.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return { rows, total: Number(total) };
}

/** Pending orders from before a moment, oldest first: their callbacks may have been lost. */
export const pendingBefore = (db: Db, before: number, limit: number): Promise<TopUpRow[]> =>
  db
    .selectFrom('top_ups')
    .selectAll()
    .where('status', '=', 'pending')
    .where('create_time', '<', before)
    .orderBy('create_time')
    .limit(limit)
    .execute();
