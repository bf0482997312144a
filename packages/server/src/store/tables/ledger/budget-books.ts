import { sql } from 'kysely';
import type { Db } from '../../dialects/types.ts';
import type { Window } from './book-windows.ts';
import type { Mismatch } from './books.ts';
import { linesOf } from './budget-lines.ts';

/** Sums of the lines of budgets, by `<id>@<start of the window>`. */
export type LineSums = Map<string, number>;

interface Summed {
  budgets: string;
  total: number | string;
}

/** Adds up rows of holds or of the ledger by their lines. */
function addLines(sums: LineSums, rows: readonly Summed[]): LineSums {
  for (const { budgets, total } of rows)
    for (const { id, start } of linesOf(budgets)) {
      const key = `${id}@${start}`;
      sums.set(key, (sums.get(key) ?? 0) + Number(total));
    }
  return sums;
}

type Row = Summed & { id: number; start: number };

/**
 * Figures of budgets with the sums of rows that name them. One statement, so that both are of the same moment; a budget's row
 * names no budgets itself.
 */
async function together(db: Db, figure: 'used' | 'held', sums: ReturnType<typeof sql>) {
  const { rows } = await sql<Row>`
    select id, window_start as start, '' as budgets, ${sql.ref(figure)} as total from budgets
    union all select 0 as id, 0 as start, budgets, total from (${sums}) s`.execute(db);
  const named = addLines(
    new Map(),
    rows.filter(({ id }) => id === 0),
  );
  return rows
    .filter(({ id }) => id !== 0)
    .map(({ id, start, total }) => ({
      id,
      key: `${id}@${start}`,
      stored: Number(total),
      named: named.get(`${id}@${start}`) ?? 0,
    }));
}

/** Budgets with a held amount that differs from the holds of their window. */
export async function heldMismatches(db: Db): Promise<Mismatch[]> {
  const holds = sql`select budgets, sum(amount) as total from holds where budgets <> '' group by budgets`;
  const rows = await together(db, 'held', holds);
  return rows.flatMap(({ id, stored, named }) => (stored === named ? [] : [{ id, stored, computed: named }]));
}

/** Additions to the use of budgets by the entries of a window of the ledger. */
export async function usedWithin(db: Db, { after, upTo }: Window): Promise<LineSums> {
  const { rows } = await sql<Summed>`
    select budgets, 0 - sum(account_delta) as total from ledger
    where id > ${after} and id <= ${upTo} and budgets <> '' group by budgets`.execute(db);
  return addLines(new Map(), rows);
}

/** Use of budgets minus the additions of entries above `after`: the expected sum of the entries up to there. */
export async function usedBefore(
  db: Db,
  after: number,
): Promise<{ id: number; key: string; used: number }[]> {
  const entries = sql`select budgets, 0 - sum(account_delta) as total from ledger
    where id > ${after} and budgets <> '' group by budgets`;
  const rows = await together(db, 'used', entries);
  return rows.map(({ id, key, stored, named }) => ({ id, key, used: stored - named }));
}
