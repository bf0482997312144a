import { seconds } from '../../lib/clock.ts';
import { type Db, plans } from '../../store/index.ts';
import type { Ids } from './kit/ids.ts';
import { noteSome } from './kit/report.ts';
import type { Move } from './move-parts.ts';
import type { SourceSubscription } from './subscriptions.ts';
import { importName } from './target.ts';

/** Subscriptions with refills that have a user here. */
export const refilled = ({ subscriptions, users }: Move['data']) => {
  const living = new Set(users.filter(({ deletedAt }) => deletedAt === null).map(({ id }) => id));
  return subscriptions.flatMap((subscription) => {
    const { refills, userId } = subscription;
    return refills && living.has(userId) ? [{ ...subscription, refills }] : [];
  });
};

/** True if the group of the user ends with the subscription, without anybody's work. */
export const endsItsGroup = ({ refills, group, groupAfter }: SourceSubscription): boolean =>
  refills !== undefined && group !== '' && groupAfter !== '';

/**
 * Writes subscriptions with refills as gifts of plans, which are hidden and have no price. Their present credit is in the
 * opening of the books.
 */
export async function moveSubscriptions(
  db: Db,
  { data, source, report, clock }: Move,
  ids: Ids,
): Promise<void> {
  const now = seconds(clock);
  const moved = new Map<number, number>();
  const names: string[] = [];
  const running = refilled(data);
  for (const subscription of running) {
    const { id, userId, expiresAt, end, group, groupAfter, refills } = subscription;
    const { plan, period, amount, count, start } = refills;
    const name = plan.title.slice(0, 40);
    const terms = {
      name_zh: name,
      name_en: name,
      price: '0.00',
      currency: 'usd',
      balance_price: 0,
      period,
      quota: amount,
      budget: 0,
      budget_period: 'day',
    };
    if (!moved.has(plan.id)) {
      const row = { ...terms, user_group: plan.group, hidden: 1, created_time: now };
      moved.set(plan.id, await plans.create(db, row));
      names.push(name);
    }
    const isOwnGroup = endsItsGroup(subscription);
    await plans.subscribe(db, {
      ...terms,
      name: `${importName(source)}:subscription:${id}`,
      plan_id: moved.get(plan.id)!,
      user_id: ids.user(userId),
      user_group: isOwnGroup ? group : '',
      former_group: isOwnGroup ? groupAfter : '',
      paid_by: 'gift',
      state: 'active',
      periods: 1,
      start_time: start,
      period_end: expiresAt,
      due_time: expiresAt,
      renews: count,
      ended_time: end,
      budget_id: 0,
      page_id: '',
      provider_id: '',
      created_time: now,
    });
  }
  noteSome(report, running.length, 'Subscriptions that are refilled, as gifts of plans until their end');
  if (names.length > 0) report.notes.push(`Plans of these, hidden and without a price: ${names.join(', ')}`);
  const gone = data.subscriptions.filter(({ refills }) => refills).length - running.length;
  noteSome(report, gone, 'Subscriptions of deleted users, which are not refilled any more');
  for (const { userId, loss } of data.subscriptions)
    if (loss !== '') report.notes.push(`Could not come: user ${userId} had ${loss}`);
}
