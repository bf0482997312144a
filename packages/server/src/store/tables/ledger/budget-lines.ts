import { type Selectable, sql } from 'kysely';
import { addToPart, isCounted, stretchOf } from '../../../lib/sliding-windows.ts';
import type { CalendarPeriod } from '../../../lib/calendar-windows.ts';
import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import type { BudgetTable } from '../../schema/money.ts';
import { batches } from '../shared.ts';
import { byId, inOrder, type Write, whole, write } from './balances.ts';

/**
 * A budget that a hold or a charge counts on: its id, and the start of the window that counts it, or of the part of a
 * sliding window.
 */
export interface BudgetLine {
  readonly id: number;
  /** Unix seconds. */
  readonly start: number;
  /** Of a budget in tokens: the tokens that the hold or the charge has on it. All others have its quota. */
  readonly tokens?: number;
}

const none: readonly BudgetLine[] = [];

/** The lines in a row of `holds` or `ledger`: `,12@1700000000,15@1700000000=350,`, with the tokens last; '' for none. */
export const linesOf = (text: string): readonly BudgetLine[] =>
  text === '' ? none : text.slice(1, -1).split(',').map(lineOf);

function lineOf(text: string): BudgetLine {
  const at = text.indexOf('@');
  const end = text.indexOf('=', at);
  const id = Number(text.slice(0, at));
  if (end < 0) return { id, start: Number(text.slice(at + 1)) };
  return { id, start: Number(text.slice(at + 1, end)), tokens: Number(text.slice(end + 1)) };
}

/** The text of lines, as `linesOf` reads it. */
export const textOfLines = (lines: readonly BudgetLine[]): string =>
  lines.length === 0
    ? ''
    : `,${lines.map(({ id, start, tokens }) => `${id}@${start}${tokens === undefined ? '' : `=${tokens}`}`).join(',')},`;

/** The lines that count quota: refunds and corrections of a charge change no tokens. */
export const quotaLinesOf = (text: string): readonly BudgetLine[] =>
  linesOf(text).filter(({ tokens }) => tokens === undefined);

/** The columns of a budget that the ledger reads. */
const columns = [
  'id',
  'name',
  'period',
  'time_zone',
  'mode',
  'shares',
  'instead',
  'unit',
  'amount',
  'used',
  'held',
  'window_start',
  'window_end',
  'run',
  'max_calls',
  'calls',
  'parts',
] as const;

/** The columns of a budget for the ledger. */
export type BudgetFigures = Pick<Selectable<BudgetTable>, (typeof columns)[number]>;

/** Locks budgets until the transaction ends, in id order. Take the locks of accounts, tokens and members first. */
export const budgetLocks = (db: Db, ids: Iterable<number>) =>
  inOrder(ids).map((some) => {
    const query = db.selectFrom('budgets').select(columns).where('id', 'in', some).orderBy('id');
    return dialectOf(db).lockRows(query).compile();
  });

/** A budget's figures before and after. */
export interface BudgetChange {
  readonly id: number;
  readonly amount: number;
  readonly mode: string;
  readonly used: number;
  readonly held: number;
  readonly windowStart: number;
  readonly windowEnd: number;
  readonly maxCalls: number;
  readonly calls: number;
  readonly storedUsed: number;
  readonly storedHeld: number;
  readonly storedCalls: number;
  readonly storedStart: number;
  readonly parts: string | null;
  readonly storedParts: string | null;
}

/** True if there is a change to write. */
export const isBudgetChanged = (change: BudgetChange): boolean =>
  change.used !== change.storedUsed ||
  change.held !== change.storedHeld ||
  change.calls !== change.storedCalls ||
  change.windowStart !== change.storedStart ||
  change.parts !== change.storedParts;

/** Writes use, holds, calls and windows of budgets that this transaction has locked. */
export function budgetWrites(db: Db, changes: Iterable<BudgetChange>): Write[] {
  const changed = [...changes].filter(isBudgetChanged).toSorted((a, b) => a.id - b.id);
  return batches(changed).map((some) => {
    const ids = some.map(({ id }) => id);
    const set = (['used', 'held', 'calls', 'windowStart', 'windowEnd'] as const).map((name) => {
      const column = name.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`);
      const figures = some.map((change) => [change.id, change[name]] as const);
      return sql`${sql.ref(column)} = ${byId(figures, sql.ref(column))}`;
    });
    const sliding = some.filter(({ parts }) => parts !== null);
    if (sliding.length > 0) {
      const cases = sliding.map(({ id, parts }) => sql`when ${whole(id)} then ${parts}`);
      set.push(sql`parts = case id ${sql.join(cases, sql` `)} else parts end`);
    }
    const query = sql`update budgets set ${sql.join(set)} where id in (${sql.join(ids.map(whole))})`;
    return { query: query.compile(db), finds: { table: 'budgets', ids } };
  });
}

/** A share of a budget that its use has reached in a window. */
export interface ReachedShare {
  readonly budgetId: number;
  /** Unix seconds. */
  readonly windowStart: number;
  /** Percent. */
  readonly share: number;
}

/**
 * The start of the window in which a share is warned of once. Of a sliding window, whose parts are short, it is a
 * stretch of the same length.
 */
export const warningWindow = (
  parts: string | null,
  period: string | undefined,
  windowStart: number,
): number =>
  parts === null ? windowStart : stretchOf({ period: period as CalendarPeriod, newest: windowStart });

/** True if the present window of a budget counts a line. */
export const isLineCounted = (
  { parts, period, window_start: newest }: Pick<BudgetFigures, 'parts' | 'period' | 'window_start'>,
  start: number,
): boolean =>
  parts === null ? newest === start : isCounted({ period: period as CalendarPeriod, newest }, start);

/** Parses the `shares` of a row, ascending. */
export const sharesOf = (text: string): readonly number[] => (text === '' ? [] : text.split(',').map(Number));

/** Shares of an amount that a use reaches and another one does not. */
export const sharesBetween = (
  shares: readonly number[],
  amount: number,
  [below, upTo]: readonly [number, number],
): readonly number[] =>
  shares.filter((share) => below * 100 < amount * share && upTo * 100 >= amount * share);

/** Stores the shares reached by budgets that this transaction has locked, once for each window. */
export const warningWrites = (db: Db, reached: Iterable<ReachedShare>): Write[] =>
  Array.from(reached, ({ budgetId, windowStart, share }) => ({
    query: sql`insert into budget_warnings (budget_id, window_start, share, told)
      select id, ${whole(windowStart)}, ${whole(share)}, 0 from budgets where id = ${whole(budgetId)} and not exists (
        select 1 from budget_warnings as known where known.budget_id = ${whole(budgetId)}
          and known.window_start = ${whole(windowStart)} and known.share = ${whole(share)})`.compile(db),
  }));

/** Stores the shares that a locked budget reaches with a use, above `below`. */
export const noteReached = (
  db: Db,
  {
    id,
    shares,
    amount,
    period,
    parts,
    window_start: start,
  }: Pick<BudgetFigures, 'id' | 'shares' | 'amount' | 'period' | 'parts' | 'window_start'>,
  used: number,
  below = 0,
): Promise<void> => {
  const reached = sharesBetween(sharesOf(shares), amount, [below, used]);
  const windowStart = warningWindow(parts, period, start);
  return write(
    db,
    warningWrites(
      db,
      reached.map((share) => ({ budgetId: id, windowStart, share })),
    ),
  );
};

/** A budget that this transaction has locked, and the start of the line that counts a change. */
export interface CountedLine {
  readonly row: BudgetFigures;
  readonly start: number;
}

/** Adds to the use of a budget that this transaction has locked, by the start of the line that counts it; negative for refunds. */
export async function addUsed(
  db: Db,
  row: BudgetFigures,
  changes: Iterable<readonly [start: number, delta: number]>,
): Promise<void> {
  let { used, parts } = row;
  for (const [start, delta] of changes) {
    used += delta;
    if (parts !== null) parts = addToPart(parts, start, delta);
  }
  if (used === row.used && parts === row.parts) return;
  await db.updateTable('budgets').set({ used, parts }).where('id', '=', row.id).execute();
  await noteReached(db, row, used, row.used);
}
