import { sql } from 'kysely';
import { dialectOf, inTransaction } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import type { LedgerMonthTable } from '../../schema/money.ts';
import { isNotLate } from '../late-entries.ts';
import { batches, countOf } from '../shared.ts';
import type { Window } from './book-windows.ts';

export type LedgerMonth = LedgerMonthTable;

/** Sums of entries within a quarter of an hour: the months of every time zone begin with one. */
export type LedgerPart = Omit<LedgerMonthTable, 'month'> & { at: number };

/** Entries up to `upTo` are in the sums, by the months of a time zone. */
export interface SummedLedger {
  timeZone: string;
  upTo: number;
}

const quarter = 900;

// The mark is a row of the change marks with a negative version, which queries for changes never return.
const prefix = 'ledger-months:';

/** The place up to which the ledger is summed; undefined before the first sum. */
export async function summed(db: Db): Promise<SummedLedger | undefined> {
  const row = await db
    .selectFrom('change_marks')
    .selectAll()
    .where('name', '>', prefix)
    .where('name', '<', `${prefix}~`)
    .executeTakeFirst();
  return row && { timeZone: row.name.slice(prefix.length), upTo: 0 - row.version };
}

/** Discards all sums and begins again in another time zone; false if another process has done so. */
export function startOver(db: Db, before: SummedLedger | undefined, timeZone: string): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    if (before) {
      const gone = await trx
        .deleteFrom('change_marks')
        .where('name', '=', prefix + before.timeZone)
        .executeTakeFirstOrThrow();
      if (countOf(gone) === 0) return false;
    }
    const mark = { name: prefix + timeZone, version: 0 };
    if (!(await dialectOf(trx).insertIfNew(trx.insertInto('change_marks').values(mark), ['name'])))
      return false;
    await trx.deleteFrom('ledger_months').execute();
    return true;
  });
}

/** Sums of the entries of a window, of all wallets or one. */
export async function partsWithin(
  db: Db,
  { after, upTo }: Window,
  accountId?: number,
): Promise<LedgerPart[]> {
  const own = accountId === undefined ? sql`account_id <> 0` : sql`account_id = ${accountId}`;
  const { rows } = await sql<Record<keyof LedgerPart, number | string>>`
    select account_id, kind, token_id, at - at % ${sql.lit(quarter)} as at, sum(account_delta) as amount,
      sum(case when ${sql.raw(isNotLate)} then 1 else 0 end) as count
    from ledger where id > ${after} and id <= ${upTo} and ${own}
    group by account_id, kind, token_id, at - at % ${sql.lit(quarter)}`.execute(db);
  return rows.map((row) => ({
    account_id: Number(row.account_id),
    kind: String(row.kind),
    token_id: Number(row.token_id),
    at: Number(row.at),
    amount: Number(row.amount),
    count: Number(row.count),
  }));
}

class Overtaken extends Error {}

/** Adds sums of the next entries and moves the mark; writes nothing and returns false if another process was faster. */
export async function add(
  db: Db,
  before: SummedLedger,
  upTo: number,
  sums: readonly LedgerMonth[],
): Promise<boolean> {
  const { upsert, incoming } = dialectOf(db);
  const plus = (column: 'amount' | 'count') =>
    sql<number>`${sql.ref(`ledger_months.${column}`)} + ${incoming(column)}`;
  try {
    await inTransaction(db, async (trx) => {
      const moved = await trx
        .updateTable('change_marks')
        .set({ version: 0 - upTo })
        .where('name', '=', prefix + before.timeZone)
        .where('version', '=', 0 - before.upTo)
        .executeTakeFirstOrThrow();
      if (countOf(moved) === 0) throw new Overtaken();
      for (const part of batches(sums))
        await trx
          .insertInto('ledger_months')
          .values(part)
          .modifyEnd(
            upsert(['account_id', 'month', 'kind', 'token_id'], {
              amount: plus('amount'),
              count: plus('count'),
            }),
          )
          .execute();
    });
    return true;
  } catch (error) {
    if (error instanceof Overtaken) return false;
    throw error;
  }
}

/** Sums of a wallet by month and kind; for `detailed`, a month's start, also by key. */
export async function ofAccount(db: Db, accountId: number, detailed: number): Promise<LedgerMonth[]> {
  const token = sql<number>`case when month = ${sql.lit(detailed)} then token_id else 0 end`;
  const rows = await db
    .selectFrom('ledger_months')
    .select(['month', 'kind', token.as('token_id')])
    .select(({ fn }) => [fn.sum<number>('amount').as('amount'), fn.sum<number>('count').as('count')])
    .where('account_id', '=', accountId)
    .groupBy(['month', 'kind', token])
    .execute();
  return rows.map((row) => ({
    account_id: accountId,
    month: row.month,
    kind: row.kind,
    token_id: Number(row.token_id),
    amount: Number(row.amount),
    count: Number(row.count),
  }));
}

/** A single movement of a wallet. */
export interface Movement {
  id: number;
  txn: string;
  kind: string;
  at: number;
  account_delta: number;
  note: string;
}

/** The next movements of a wallet in a time range without charges of calls, in the order of their ids. */
export async function movements(
  db: Db,
  accountId: number,
  { from, to, after, limit }: { from: number; to: number; after: number; limit: number },
): Promise<Movement[]> {
  return db
    .selectFrom('ledger')
    .select(['id', 'txn', 'kind', 'at', 'account_delta', 'note'])
    .where('account_id', '=', accountId)
    .where('kind', '<>', sql.lit('usage'))
    .where('at', '>=', from)
    .where('at', '<', to)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** The id of the first entry at or after a moment (Unix seconds), as far as the times of entries grow with their ids. */
export async function firstIdAt(db: Db, at: number, newest: number): Promise<number> {
  let [low, high] = [0, newest + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = await db
      .selectFrom('ledger')
      .select(['id', 'at'])
      .where('id', '>=', middle)
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (!row || row.at >= at) high = middle;
    else low = row.id + 1;
  }
  return low;
}

/** The entries of a window of ids that a budget counts. */
export const ofBudget = (db: Db, budgetId: number, { after, upTo }: Window): Promise<Movement[]> =>
  db
    .selectFrom('ledger')
    .select(['id', 'txn', 'kind', 'at', 'account_delta', 'note'])
    .where('id', '>', after)
    .where('id', '<=', upTo)
    .where('budgets', 'like', `%,${budgetId}@%`)
    .orderBy('id')
    .execute();
