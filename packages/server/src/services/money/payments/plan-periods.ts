import { keptText, planBudgetPeriods, userStatus, type Words } from '@tollgate/contract';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { Http } from '../../../lib/outbound/http.ts';
import { changeMarks, type Db, plans, users } from '../../../store/index.ts';
import type { Audit } from '../../site/audit/index.ts';
import type { Settings } from '../../site/settings/index.ts';
import { addBudget, type BudgetRules, removeBudget } from '../budgets/index.ts';
import { creditPeriod, type Ledger, type VerbContext } from '../ledger/index.ts';
import { shownQuota } from './words.ts';

export interface PlanDeps {
  db: Db;
  ledger: Pick<Ledger, 'change'>;
  audit: Pick<Audit, 'record'>;
  settings: Pick<Settings, 'get'>;
  http: Pick<Http, 'request'>;
  /** Origin of Stripe's API. */
  stripeUrl: string;
  isGroup(name: string): boolean;
  /** The change mark of a user whose group changed. */
  userMark(id: number): string;
  /** Drops cached data of a user whose group changed. */
  forgetUser(id: number): void;
  /** Read again when a subscription has added or removed a budget. */
  budgetRules: Pick<BudgetRules, 'reload'>;
  /** Tells a user that a subscription has ended, or that its payment failed. */
  notify(userId: number, notice: { plan: Words; reason: 'ended' | 'short' | 'failed' }): void;
  clock: Clock;
  log: Log;
}

type Row = plans.SubscriptionRow;
type State = 'active' | 'overdue' | 'ended';

const daySeconds = 86_400;

/** The moment that is a number of months later, on the last day of a month that is too short. UTC, Unix seconds. */
function addMonths(start: number, months: number): number {
  const from = new Date(start * 1_000);
  const [year, month] = [from.getUTCFullYear(), from.getUTCMonth() + months];
  const day = Math.min(from.getUTCDate(), new Date(Date.UTC(year, month + 1, 0)).getUTCDate());
  return Date.UTC(year, month, day) / 1_000 + (start % daySeconds);
}

/** The first end of a period after a moment, for periods that are counted from `start`. */
export function firstEndAfter(start: number, period: string, at: number): number {
  if (period === 'day' || period === 'week') {
    const length = period === 'day' ? daySeconds : 7 * daySeconds;
    return start + length * Math.max(1, Math.floor((at - start) / length) + 1);
  }
  const months = period === 'year' ? 12 : 1;
  let count = 1;
  while (addMonths(start, count * months) <= at) count += 1;
  return addMonths(start, count * months);
}

/** When the next period of a due subscription ends. The last one of a gift lasts until the end of the subscription. */
function nextEnd({ start_time: start, period, renews, ended_time: until }: Row, at: number): number {
  const regular = firstEndAfter(start, period, at);
  return until !== 0 && (renews === 1 || regular > until) ? until : regular;
}

/** Text of the log row of a period. */
export const creditText = (quota: number, settings: Pick<Settings, 'get'>): string =>
  keptText('planCredited', { amount: shownQuota(quota, settings) });

/**
 * Moves a subscription to another state, and gives or takes its group and its budget. Call it last in the transaction,
 * and `forgetTerms` after the commit. Returns false if it is not in the given state any more.
 */
export async function setState(
  context: Pick<VerbContext, 'db' | 'at' | 'touched'>,
  row: Row,
  state: State,
  deps: Pick<PlanDeps, 'userMark' | 'settings'>,
  change: Partial<Row> = {},
): Promise<boolean> {
  const { db, at } = context;
  const ended = state === 'ended' ? { ended_time: at } : {};
  const done = await plans.change(db, row.id, { states: [row.state] }, { ...change, ...ended, state });
  const [wasActive, isActive] = [row.state === 'active', state === 'active'];
  if (!done || wasActive === isActive || (row.user_group === '' && row.budget === 0)) return done;
  const user = await users.findLocked(db, row.user_id);
  if (row.budget > 0) await changeBudget(context, row, isActive && user !== undefined, deps);
  if (!user || row.user_group === '') return true;
  const others = (await plans.ofUser(db, row.user_id)).filter(
    (each) => each.id !== row.id && each.state === 'active' && each.user_group !== '',
  );
  const last = others.at(-1);
  if (isActive) {
    // The group of another subscription is not the user's own.
    const other = others.find((each) => each.user_group === user.group);
    await plans.change(db, row.id, { states: [state] }, { former_group: other?.former_group ?? user.group });
    await users.update(db, user.id, { group: row.user_group });
  } else if (user.group === row.user_group) {
    await users.update(db, user.id, { group: last?.user_group ?? row.former_group });
  }
  await changeMarks.mark(db, [deps.userMark(user.id)]);
  return true;
}

/** Adds the budget of a subscription that became active, or removes it. */
async function changeBudget(
  context: Pick<VerbContext, 'db' | 'at' | 'touched'>,
  row: Row,
  isActive: boolean,
  { settings }: Pick<PlanDeps, 'settings'>,
): Promise<void> {
  const { id, user_id, budget: amount, budget_period } = row;
  // Other transactions may have changed it since the row was read. Now this one has locked the row.
  const known = (await plans.findSubscription(context.db, id))?.budget_id ?? 0;
  if (known !== 0) await removeBudget(context, known);
  const added = isActive
    ? await addBudget(context, {
        user_id,
        name: row.name_en,
        period: budgetPeriodOf(budget_period),
        amount,
        time_zone: settings.get('AlarmTimeZone'),
      })
    : 0;
  await plans.change(context.db, id, { states: ['active', 'overdue', 'ended'] }, { budget_id: added });
}

/** The period of a plan's budget in a row. */
export const budgetPeriodOf = (period: string) => planBudgetPeriods.find((each) => each === period) ?? 'day';

/** Drops cached data that the group and the budget of a subscription have changed, after the commit. */
export async function forgetTerms(
  { user_id: userId, budget }: Pick<Row, 'user_id' | 'budget'>,
  { forgetUser, budgetRules }: Pick<PlanDeps, 'forgetUser' | 'budgetRules'>,
): Promise<void> {
  forgetUser(userId);
  if (budget > 0) await budgetRules.reload();
}

/**
 * Begins a subscription that needs no payment page: its first period is paid from the balance, or a gift. Everything is
 * one transaction. Returns why it cannot.
 */
export async function begin(
  row: Omit<plans.NewSubscription, 'state' | 'periods' | 'start_time' | 'period_end' | 'due_time'>,
  deps: PlanDeps,
  record: (context: VerbContext) => Promise<void>,
): Promise<'begun' | 'short' | 'held'> {
  const outcome = await deps.ledger
    .change(async (context) => {
      const { db, at } = context;
      // An earlier attempt was committed, although its answer was lost.
      if (context.repeated && (await plans.findByName(db, row.name))) return 'begun';
      const end = firstEndAfter(at, row.period, at);
      const times = { start_time: at, period_end: end, due_time: end };
      const started = { ...row, ...times, state: 'pending', periods: 1 };
      const tradeNo = `${row.name}P1`;
      const content = (quota: number) => creditText(quota, deps.settings);
      const period = { tradeNo, invoiceId: '', expiresAt: end, content };
      const credited = await creditPeriod(context, { ...started, id: 0, ended_time: 0 }, period);
      if (credited === 'short') throw new Refused('short');
      // Under the lock of the wallet, so that two clicks are one subscription.
      const held = (await plans.ofUser(db, row.user_id)).some(
        ({ plan_id: plan, state }) => plan === row.plan_id && state !== 'pending',
      );
      if (held) throw new Refused('held');
      const id = await plans.subscribe(db, started);
      await record(context);
      await setState(context, { ...started, id, ended_time: 0 }, 'active', deps);
      return 'begun' as const;
    })
    .catch((error: unknown) => {
      if (error instanceof Refused) return error.reason;
      throw error;
    });
  await forgetTerms(row, deps);
  return outcome;
}

/** Undoes the transaction of a subscription that cannot begin. */
class Refused extends Error {
  readonly reason: 'short' | 'held';

  constructor(reason: 'short' | 'held') {
    super(reason);
    this.reason = reason;
  }
}

/** Renews a subscription without Stripe whose period is over, or ends it: one transaction. */
export async function renew(id: number, deps: PlanDeps): Promise<void> {
  const done = await deps.ledger.change(async (context) => {
    const { db, at } = context;
    const row = await plans.findSubscription(db, id);
    if (row?.state !== 'active' || row.period_end > at) return undefined;
    const end = async (reason: 'ended' | 'short') =>
      (await setState(context, row, 'ended', deps)) ? { row, reason } : undefined;
    const user = await users.find(db, row.user_id);
    // A banned user does not pay for what they cannot use. A gift costs them nothing.
    const isUsable = row.paid_by === 'gift' ? user !== undefined : user?.status === userStatus.enabled;
    const isOver = row.renews === 0 || (row.ended_time !== 0 && row.ended_time <= at);
    if (isOver || !isUsable) return end('ended');
    const next = nextEnd(row, at);
    const credited = await creditPeriod(context, row, {
      tradeNo: `${row.name}P${row.periods + 1}`,
      invoiceId: '',
      expiresAt: next,
      content: (quota) => creditText(quota, deps.settings),
    });
    if (credited === 'short') return end('short');
    // Another process was first.
    if (credited === 'already') return undefined;
    const renews = row.paid_by === 'gift' ? row.renews - 1 : row.renews;
    const change = { periods: row.periods + 1, period_end: next, due_time: next, renews };
    const expected = { states: ['active'], periods: row.periods };
    if (!(await plans.change(db, id, expected, change)))
      throw new Error(`subscription ${id} is not as it was read`);
    return undefined;
  });
  if (!done) return;
  deps.notify(done.row.user_id, { plan: planName(done.row), reason: done.reason });
  await forgetTerms(done.row, deps);
}

/** The name of a plan in both languages. */
export const planName = ({ name_zh: zh, name_en: en }: Pick<Row, 'name_zh' | 'name_en'>): Words => ({
  zh,
  en,
});
