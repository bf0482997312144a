import { AppError, maxBudgets, usualSharesOf } from '@tollgate/contract';
import { windowAt } from '../../../lib/calendar-windows.ts';
import { type BudgetRow, budgets, changeMarks, type Db } from '../../../store/index.ts';
import type { VerbContext } from '../ledger/index.ts';
import { budgetsMark } from './rules.ts';

/** A limit of a member's calls that an organisation pays. */
export interface MemberBudget {
  team_id: number;
  user_id: number;
  name: string;
  period: 'week' | 'term';
  /** Quota units. */
  amount: number;
  time_zone: string;
  /** Unix seconds of the end of a term. */
  until: number;
  set_by: 'site' | 'team';
}

const ofAllCalls = { token_id: 0, group: '', model: '' };

/** The budget that a limit of this period changes; undefined if it needs a new one. Throws `insufficient_role`. */
async function findSame(db: Db, wanted: MemberBudget): Promise<BudgetRow | undefined> {
  const { team_id, user_id, period, until, set_by: setBy } = wanted;
  const rows = await budgets.list(db, { ...ofAllCalls, team_id, user_id }, { limit: 100 });
  const same = rows.find(
    (row) =>
      row.mode === 'hard' &&
      row.unit === 'quota' &&
      row.parts === null &&
      row.period === period &&
      (period === 'week' || row.window_end === until),
  );
  if (same?.set_by === 'site' && setBy !== 'site') throw new AppError('insufficient_role');
  return same;
}

const isSet = (row: BudgetRow | undefined, { amount }: MemberBudget): boolean =>
  row !== undefined && row.amount === amount && row.enabled === 1;

/** True if a member has this limit already. Throws `insufficient_role`. */
export const hasBudget = async (db: Db, wanted: MemberBudget): Promise<boolean> =>
  isSet(await findSame(db, wanted), wanted);

/**
 * Sets a limit of a locked member, in the transaction of other changes: the amount of the budget with the same period,
 * or a new budget. Returns false if it was set already. Throws `insufficient_role`, `budget_limit_reached`.
 */
export async function setBudget(money: VerbContext, wanted: MemberBudget): Promise<boolean> {
  const { db, at } = money;
  const { until, ...columns } = wanted;
  const same = await findSame(db, wanted);
  if (isSet(same, wanted)) return false;
  if (same) {
    await budgets.lock(db, same.id);
    await budgets.update(db, same.id, { amount: wanted.amount, enabled: 1 });
    money.touched.budgets.add(same.id);
  } else {
    const alike = await budgets.list(db, { token_id: 0, user_id: wanted.user_id }, { limit: maxBudgets });
    if (alike.length >= maxBudgets) throw new AppError('budget_limit_reached', { max: maxBudgets });
    const window =
      wanted.period === 'term' ? { start: at, end: until } : windowAt('week', wanted.time_zone, at);
    await budgets.create(db, {
      ...ofAllCalls,
      ...columns,
      mode: 'hard',
      enabled: 1,
      window_start: window.start,
      window_end: window.end,
      created_time: at,
    });
  }
  await changeMarks.mark(db, [budgetsMark]);
  return true;
}

/** A hard limit of all calls of a user. */
interface UserBudget {
  user_id: number;
  name: string;
  period: 'hour' | 'day' | 'week' | 'month';
  /** Quota units. */
  amount: number;
  time_zone: string;
}

/**
 * Adds a budget of the site to a user, beside any other, in the transaction of other changes; returns its id. The rules
 * are read again after the commit.
 */
export async function addBudget(
  { db, at }: Pick<VerbContext, 'db' | 'at'>,
  wanted: UserBudget,
): Promise<number> {
  const window = windowAt(wanted.period, wanted.time_zone, at);
  const id = await budgets.create(db, {
    ...ofAllCalls,
    ...wanted,
    team_id: 0,
    set_by: 'site',
    mode: 'hard',
    shares: usualSharesOf(wanted.period).join(','),
    enabled: 1,
    window_start: window.start,
    window_end: window.end,
    created_time: at,
  });
  await changeMarks.mark(db, [budgetsMark]);
  return id;
}

/** Removes a budget, if it still exists, as `addBudget` adds one. */
export async function removeBudget(
  { db, touched }: Pick<VerbContext, 'db' | 'touched'>,
  id: number,
): Promise<void> {
  await budgets.remove(db, id);
  touched.budgets.add(id);
  await changeMarks.mark(db, [budgetsMark]);
}
