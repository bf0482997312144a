import { sql } from 'kysely';
import type { Db } from '../../dialects/types.ts';
import type { Window } from './book-windows.ts';
import type { Mismatch } from './books.ts';
import { linesOf } from './budget-lines.ts';
import { lateTxn } from '../late-entries.ts';

/** Amount and number of calls of a budget in a window. */
interface LineSum {
  total: number;
  calls: number;
}

/** Sums of the lines of budgets, by `<id>@<start of the window>`. */
export type LineSums = Map<string, LineSum>;

interface Summed {
  budgets: string;
  total: number | string;
  calls: number | string;
}

/** Adds up rows of holds or of the ledger by their lines. */
function addLines(sums: LineSums, rows: readonly Summed[]): LineSums {
  for (const { budgets, total, calls } of rows)
    for (const { id, start } of linesOf(budgets)) {
      const key = `${id}@${start}`;
      const before = sums.get(key);
      sums.set(key, {
        total: (before?.total ?? 0) + Number(total),
        calls: (before?.calls ?? 0) + Number(calls),
      });
    }
  return sums;
}

type Row = Summed & { id: number; start: number; max_calls: number };

/**
 * Figures of budgets with the sums of rows that name them. One statement, so that both are of the same moment; a budget's row
 * names no budgets itself.
 */
async function together(db: Db, figure: 'used' | 'held', sums: ReturnType<typeof sql>) {
  const { rows } = await sql<Row>`
    select id, window_start as start, '' as budgets, ${sql.ref(figure)} as total, calls, max_calls from budgets
    union all select 0 as id, 0 as start, budgets, total, calls, 0 as max_calls from (${sums}) s`.execute(db);
  const named = addLines(
    new Map(),
    rows.filter(({ id }) => id === 0),
  );
  return rows
    .filter(({ id }) => id !== 0)
    .map(({ id, start, total, calls, max_calls: maxCalls }) => {
      const key = `${id}@${start}`;
      const sum = named.get(key) ?? { total: 0, calls: 0 };
      return { id, key, maxCalls, stored: Number(total), calls: Number(calls), sum };
    });
}

/** Budgets with a held amount that differs from the holds of their window. */
export async function heldMismatches(db: Db): Promise<Mismatch[]> {
  const holds = sql`select budgets, sum(amount) as total, 0 as calls from holds where budgets <> '' group by budgets`;
  const rows = await together(db, 'held', holds);
  return rows.flatMap(({ id, stored, sum }) =>
    stored === sum.total ? [] : [{ id, stored, computed: sum.total }],
  );
}

/** A charge counts as a call; its correction, refund and late rest do not. */
const isCall = sql`case when kind = 'usage' and txn not like ${lateTxn('%')} then 1 else 0 end`;

/** Additions to the use of budgets by the entries of a window of the ledger. */
export async function usedWithin(db: Db, { after, upTo }: Window): Promise<LineSums> {
  const { rows } = await sql<Summed>`
    select budgets, 0 - sum(account_delta) as total, sum(${isCall}) as calls from ledger
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
 * calls: the expected sum of the entries up to there.
 */
export async function usedBefore(db: Db, after: number): Promise<BudgetUse[]> {
  const entries = sql`select budgets, 0 - sum(account_delta) as total, sum(${isCall}) as calls from ledger
    where id > ${after} and budgets <> '' group by budgets
    union all select budgets, 0 as total, count(*) as calls from holds where budgets <> '' group by budgets`;
  const rows = await together(db, 'used', entries);
  return rows.map(({ id, key, maxCalls, stored, calls, sum }) => ({
    id,
    key,
    used: stored - sum.total,
    calls: maxCalls > 0 ? calls - sum.calls : undefined,
  }));
}
