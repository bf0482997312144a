import { sql } from 'kysely';
import { type CalendarPeriod, calendarPeriods } from '../../lib/calendar-windows.ts';
import { useAt, windowSeconds } from '../../lib/sliding-windows.ts';
import type { Db } from '../dialects/types.ts';

/** A share of a budget that calls have reached in a window. */
export interface BudgetWarning {
  id: number;
  name: string;
  set_by: string;
  token_id: number;
  user_id: number;
  team_id: number;
  /** Unix seconds of the start of the window. */
  start: number;
  /** Percent. */
  share: number;
  /** 0 if nobody was warned of it yet. */
  told: number;
}

/**
 * Warnings that nobody has got yet, and those of administrators' budgets that have reached the share in their present window (`now`
 * in Unix seconds), or still do in a sliding one. New ones come first.
 */
export async function standing(db: Db, now: number, limit: number): Promise<BudgetWarning[]> {
  const rows = await db
    .selectFrom('budget_warnings as w')
    .innerJoin('budgets as b', 'b.id', 'w.budget_id')
    .select(['b.id', 'b.name', 'b.set_by', 'b.token_id', 'b.user_id', 'b.team_id'])
    .select(['w.window_start as start', 'w.share', 'w.told', 'b.parts', 'b.period', 'b.amount'])
    .where((e) =>
      e.or([
        e('w.told', '=', 0),
        e.and([
          e('b.set_by', '=', 'site'),
          e('b.enabled', '=', 1),
          sql<boolean>`b.used * 100 >= b.amount * w.share`,
          e.or([
            e('b.parts', 'is not', null),
            e.and([e('b.window_end', '>', now), e('b.window_start', '=', e.ref('w.window_start'))]),
          ]),
        ]),
      ]),
    )
    .orderBy('w.told')
    .orderBy('w.window_start', 'desc')
    .orderBy('b.id')
    .orderBy('w.share')
    .limit(limit)
    .execute();
  return rows.filter(
    ({ told, parts, period, amount, share }) =>
      told === 0 || parts === null || useAt(parts, period as CalendarPeriod, now) * 100 >= amount * share,
  );
}

/** Stores that warnings were given. */
export async function noteTold(db: Db, warnings: readonly BudgetWarning[]): Promise<void> {
  for (const { id, start, share } of warnings)
    await db
      .updateTable('budget_warnings')
      .set({ told: 1 })
      .where('budget_id', '=', id)
      .where('window_start', '=', start)
      .where('share', '=', share)
      .execute();
}

const lengthOfWindow = sql.join(
  calendarPeriods.map((period) => sql`when ${sql.lit(period)} then ${sql.lit(windowSeconds(period))}`),
  sql` `,
);

/**
 * Removes warnings of former windows that were given, and those of deleted budgets. Those of a sliding window stay while
 * its use does, so that the alarm goes on.
 */
export async function removeFormer(db: Db): Promise<void> {
  await sql`delete from budget_warnings where not exists (select 1 from budgets
    where budgets.id = budget_warnings.budget_id and (budget_warnings.told = 0
      or budgets.window_start = budget_warnings.window_start
      or (budgets.parts is not null and (budgets.used * 100 >= budgets.amount * budget_warnings.share or
        budget_warnings.window_start > budgets.window_start - case budgets.period ${lengthOfWindow} else 0 end))))`.execute(
    db,
  );
}
