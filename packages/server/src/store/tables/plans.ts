import type { Selectable, Updateable } from 'kysely';
import { dialectOf } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import type { PlanTable, SubscriptionTable } from '../schema/money.ts';
import { countOf, type Slice } from './shared.ts';

export type PlanRow = Selectable<PlanTable>;
export type SubscriptionRow = Selectable<SubscriptionTable>;
export type NewSubscription = Omit<SubscriptionRow, 'id' | 'ended_time'> &
  Partial<Pick<SubscriptionRow, 'ended_time'>>;

/** States of a subscription that has begun and not ended. */
const begun = ['active', 'overdue'] as const;

export const create = (db: Db, plan: Omit<PlanRow, 'id'>): Promise<number> =>
  dialectOf(db).insertReturningId(db.insertInto('plans').values(plan));

export const find = (db: Db, id: number): Promise<PlanRow | undefined> =>
  db.selectFrom('plans').selectAll().where('id', '=', id).executeTakeFirst();

/** All plans, the oldest first. */
export const list = (db: Db): Promise<PlanRow[]> =>
  db.selectFrom('plans').selectAll().orderBy('id').execute();

export async function update(
  db: Db,
  id: number,
  change: Omit<PlanRow, 'id' | 'created_time'>,
): Promise<boolean> {
  return (
    countOf(await db.updateTable('plans').set(change).where('id', '=', id).executeTakeFirstOrThrow()) > 0
  );
}

export async function remove(db: Db, id: number): Promise<void> {
  await db.deleteFrom('plans').where('id', '=', id).execute();
}

/** Numbers of subscriptions that have begun and not ended, by plan. */
export async function countSubscribers(db: Db): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('subscriptions')
    .select(['plan_id', (e) => e.fn.countAll<number>().as('rows')])
    .where('state', 'in', begun)
    .groupBy('plan_id')
    .execute();
  return new Map(rows.map((row) => [Number(row.plan_id), Number(row.rows)]));
}

export const subscribe = (db: Db, subscription: NewSubscription): Promise<number> =>
  dialectOf(db).insertReturningId(db.insertInto('subscriptions').values({ ended_time: 0, ...subscription }));

export const findSubscription = (db: Db, id: number): Promise<SubscriptionRow | undefined> =>
  db.selectFrom('subscriptions').selectAll().where('id', '=', id).executeTakeFirst();

export const findByName = (db: Db, name: string): Promise<SubscriptionRow | undefined> =>
  db.selectFrom('subscriptions').selectAll().where('name', '=', name).executeTakeFirst();

/** A user's subscriptions that have not ended, the oldest first. */
export const ofUser = (db: Db, userId: number): Promise<SubscriptionRow[]> =>
  db
    .selectFrom('subscriptions')
    .selectAll()
    .where('user_id', '=', userId)
    .where('state', '!=', 'ended')
    .orderBy('id')
    .execute();

/** Subscriptions that have begun, of all users, newest first; `username` is null for an erased account. */
export async function listSubscriptions(
  db: Db,
  { offset, limit }: Slice,
): Promise<{ rows: (SubscriptionRow & { username: string | null })[]; total: number }> {
  const found = db
    .selectFrom('subscriptions')
    .leftJoin('users', 'users.id', 'subscriptions.user_id')
    .where('subscriptions.periods', '>', 0);
  const { total } = await found.select((e) => e.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await found
    .selectAll('subscriptions')
    .select('users.username')
    .orderBy('subscriptions.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return { rows, total: Number(total) };
}

/**
 * Subscriptions that a process has to look after, those at Stripe or the others, the most overdue first. One at Stripe
 * of a user who is banned or gone is always due, because it charges the card until it is ended there.
 */
export const due = (
  db: Db,
  at: number,
  { limit, atStripe }: { limit: number; atStripe: boolean },
): Promise<SubscriptionRow[]> =>
  db
    .selectFrom('subscriptions')
    .leftJoin('users', 'users.id', 'subscriptions.user_id')
    .selectAll('subscriptions')
    .where('subscriptions.state', 'in', ['pending', ...begun])
    .where('subscriptions.paid_by', atStripe ? '=' : '!=', 'stripe')
    .where((e) => {
      const isDue = e('subscriptions.due_time', '<=', at);
      if (!atStripe) return isDue;
      const isGone = e.or([
        e('users.id', 'is', null),
        e('users.deleted_at', 'is not', null),
        e('users.status', '!=', 1),
      ]);
      return e.or([isDue, e.and([e('subscriptions.state', 'in', begun), isGone])]);
    })
    .orderBy('subscriptions.due_time')
    .limit(limit)
    .execute();

/**
 * Changes a subscription that is still in one of these states, and of which `periods` were credited; false if it is
 * not. One statement decides.
 */
export async function change(
  db: Db,
  id: number,
  expected: { states: readonly string[]; periods?: number; dueTime?: number },
  change: Updateable<SubscriptionTable>,
): Promise<boolean> {
  const { states, periods, dueTime } = expected;
  const result = await db
    .updateTable('subscriptions')
    .set(change)
    .where('id', '=', id)
    .where('state', 'in', states)
    .$if(periods !== undefined, (query) => query.where('periods', '=', periods!))
    .$if(dueTime !== undefined, (query) => query.where('due_time', '=', dueTime!))
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}
