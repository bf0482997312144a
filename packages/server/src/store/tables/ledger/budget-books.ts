import { sql } from 'kysely';
import type { CalendarPeriod } from '../../../lib/calendar-windows.ts';
import { countedParts, partsOf, sumOfParts } from '../../../lib/sliding-windows.ts';
import type { Db } from '../../dialects/types.ts';
import type { Window } from './book-windows.ts';
import type { Mismatch } from './books.ts';
import { type BudgetLine, linesOf } from './budget-lines.ts';
import { lateTxn } from '../late-entries.ts';

/** Amount, in the unit of the budget, and number of calls of a budget in a window. */
interface LineSum {
  total: number;
  calls: number;
}

/** Sums of the lines of budgets, by `<id>@<start>` of the window or part. */
export type LineSums = Map<string, LineSum>;

interface Summed {
  budgets: string;
  /** Quota units. */
  total: number | string;
  calls: number | string;
  /** Rows with these lines. */
  entries: number | string;
}

/** What rows add to a line of theirs. */
const addedTo = ({ tokens }: BudgetLine, { total, entries }: Summed): number =>
  tokens === undefined ? Number(total) : tokens * Number(entries);

/** Adds up rows of holds or of the ledger by their lines. */
function addLines(sums: LineSums, rows: readonly Summed[]): LineSums {
  for (const row of rows)
    for (const line of linesOf(row.budgets)) {
      const key = `${line.id}@${line.start}`;
      const before = sums.get(key);
      sums.set(key, {
        total: (before?.total ?? 0) + addedTo(line, row),
        calls: (before?.calls ?? 0) + Number(row.calls),
      });
    }
  return sums;
}

interface Row extends Summed {
  id: number;
  start: number;
  max_calls: number;
  parts: string | null;
  period: string;
}

/** A budget with a stored figure. */
interface Figure extends Row {
  stored: number;
  /** The line of its window, or those of the parts that count in a sliding one. */
  lines: readonly { key: string; start: number }[];
}

/**
 * Figures of budgets and the rows that name them. One statement, so that both are of the same moment; a budget's row
 * names no budgets itself.
 */
async function together(db: Db, figure: 'used' | 'held', sums: ReturnType<typeof sql>) {
  const { rows } = await sql<Row>`
    select id, window_start as start, '' as budgets, ${sql.ref(figure)} as total, calls, 1 as entries, max_calls, parts, period from budgets
    union all select 0 as id, 0 as start, budgets, total, calls, entries, 0 as max_calls, null as parts, '' as period
      from (${sums}) s`.execute(db);
  const named = rows.filter(({ id }) => id === 0);
  const figures = rows
    .filter(({ id }) => id !== 0)
    .map((row): Figure => {
      const { id, start: newest, parts, total } = row;
      const period = row.period as CalendarPeriod;
      const starts = parts === null ? [newest] : countedParts({ period, newest });
      return {
        ...row,
        stored: Number(total),
        lines: starts.map((start) => ({ key: `${id}@${start}`, start })),
      };
    });
  return { figures, named };
}

/** Budgets with a held amount that differs from the holds of their window. A sliding one counts all holds. */
export async function heldMismatches(db: Db): Promise<Mismatch[]> {
  const holds = sql`select budgets, sum(amount) as total, 0 as calls, count(*) as entries from holds where budgets <> '' group by budgets`;
  const { figures, named } = await together(db, 'held', holds);
  const sums = addLines(new Map(), named);
  const ofAll = new Map<number, number>();
  for (const row of named)
    for (const line of linesOf(row.budgets))
      ofAll.set(line.id, (ofAll.get(line.id) ?? 0) + addedTo(line, row));
  return figures.flatMap(({ id, start, parts, stored }) => {
    const computed = (parts === null ? sums.get(`${id}@${start}`)?.total : ofAll.get(id)) ?? 0;
    return stored === computed ? [] : [{ id, stored, computed }];
  });
}

/** A charge counts as a call; its correction, refund and late rest do not. */
const isCall = sql`case when kind = 'usage' and txn not like ${lateTxn('%')} then 1 else 0 end`;

/** Additions to the use of budgets by the entries of a window of the ledger. */
export async function usedWithin(db: Db, { after, upTo }: Window): Promise<LineSums> {
  const { rows } = await sql<Summed>`
    select budgets, 0 - sum(account_delta) as total, sum(${isCall}) as calls, count(*) as entries from ledger
    where id > ${after} and id <= ${upTo} and budgets <> '' group by budgets`.execute(db);
  return addLines(new Map(), rows);
}

/** Expected sums of the entries up to some place in the ledger. */
interface BudgetUse {
  id: number;
  key: string;
  used: number;
  /** Undefined for a budget that does not count calls. */
  calls: number | undefined;
}

/**
 * Use of budgets minus the additions of entries above `after`, and their calls minus those entries and the running
 * calls: the expected sum of the entries up to there. A sliding budget has one for each part that counts, and one of which
 * no entry is a part: the use that is in none of them.
 */
export async function usedBefore(db: Db, after: number): Promise<BudgetUse[]> {
  const entries = sql`select budgets, 0 - sum(account_delta) as total, sum(${isCall}) as calls, count(*) as entries from ledger
    where id > ${after} and budgets <> '' group by budgets
    union all select budgets, 0 as total, count(*) as calls, 0 as entries from holds where budgets <> '' group by budgets`;
  const { figures, named } = await together(db, 'used', entries);
  const sums = addLines(new Map(), named);
  return figures.flatMap(({ id, parts, max_calls: maxCalls, stored, calls, lines }) => {
    const use = parts === null ? undefined : partsOf(parts);
    const all: BudgetUse[] = lines.map(({ key, start }) => {
      const sum = sums.get(key) ?? { total: 0, calls: 0 };
      const used = (use ? (use.get(start) ?? 0) : stored) - sum.total;
      return { id, key, used, calls: maxCalls > 0 && !use ? Number(calls) - sum.calls : undefined };
    });
    if (parts !== null) all.push({ id, key: `${id}@`, used: stored - sumOfParts(parts), calls: undefined });
    return all;
  });
}
