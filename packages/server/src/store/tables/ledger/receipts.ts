import { type Selectable, sql } from 'kysely';
import { dialectOf, inTransaction } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import type { LedgerTable, ReceiptTable } from '../../schema/money.ts';
import { batches, countOf } from '../shared.ts';
import type { Window } from './book-windows.ts';

export type ReceiptRow = ReceiptTable;

/** A ledger entry of a wallet, as a receipt shows it. */
export type UnsealedEntry = Selectable<
  Pick<
    LedgerTable,
    'id' | 'txn' | 'kind' | 'at' | 'account_id' | 'user_id' | 'token_id' | 'account_delta' | 'writeoff_delta'
  >
>;

// The mark is a row of the change marks with a negative version, which queries for changes never return.
const mark = 'receipts';

/** The ledger entry up to which all have receipts; undefined before the first. */
export async function sealedUpTo(db: Db): Promise<number | undefined> {
  const row = await db
    .selectFrom('change_marks')
    .select('version')
    .where('name', '=', mark)
    .executeTakeFirst();
  return row && 0 - row.version;
}

/** Begins behind an entry, unless another process has begun. */
export const begin = (db: Db, upTo: number): Promise<boolean> =>
  dialectOf(db).insertIfNew(db.insertInto('change_marks').values({ name: mark, version: 0 - upTo }), [
    'name',
  ]);

/** Adds the receipts of a window and moves the mark; writes nothing and returns false if another process was faster. */
export const append = (db: Db, window: Window, rows: readonly ReceiptRow[]): Promise<boolean> =>
  inTransaction(db, async (trx) => {
    const moved = await trx
      .updateTable('change_marks')
      .set({ version: 0 - window.upTo })
      .where('name', '=', mark)
      .where('version', '=', 0 - window.after)
      .executeTakeFirstOrThrow();
    if (countOf(moved) === 0) return false;
    for (const part of batches(rows)) await trx.insertInto('receipts').values(part).execute();
    return true;
  });

/** The next entries of wallets in a window of ids. */
export const entries = (db: Db, { after, upTo }: Window, limit: number): Promise<UnsealedEntry[]> =>
  db
    .selectFrom('ledger')
    .select(['id', 'txn', 'kind', 'at', 'account_id', 'user_id', 'token_id'])
    .select(['account_delta', 'writeoff_delta'])
    .where('id', '>', after)
    .where('id', '<=', upTo)
    .where('account_id', '<>', 0)
    .orderBy('id')
    .limit(limit)
    .execute();

/** The newest receipt of each of these wallets that has one. */
export const heads = (db: Db, accountIds: readonly number[]): Promise<ReceiptRow[]> =>
  db
    .selectFrom('receipts')
    .innerJoin(
      db
        .selectFrom('receipts')
        .select(({ fn }) => ['account_id as head_of', fn.max('seq').as('head')])
        .where('account_id', 'in', accountIds)
        .groupBy('account_id')
        .as('heads'),
      (join) =>
        join.onRef('heads.head_of', '=', 'receipts.account_id').onRef('heads.head', '=', 'receipts.seq'),
    )
    .selectAll('receipts')
    .execute();

/**
 * Balances of wallets before their first entry behind `after`, in one statement: it sees the balance and the entries of
 * one moment. A deleted wallet ends with 0.
 */
export async function openings(
  db: Db,
  accountIds: readonly number[],
  after: number,
): Promise<Map<number, number>> {
  const { rows } = await sql<Record<'id' | 'opening', number | string>>`
    select l.account_id as id, coalesce(max(a.balance), 0) - sum(l.account_delta) as opening
    from ledger l left join accounts a on a.id = l.account_id
    where l.id > ${after} and l.account_id in (${sql.join(accountIds)})
    group by l.account_id`.execute(db);
  return new Map(rows.map(({ id, opening }) => [Number(id), Number(opening)]));
}

/** The receipts of a wallet's entries with these names. */
export const ofTxns = (db: Db, accountId: number, txns: readonly string[]): Promise<ReceiptRow[]> =>
  db
    .selectFrom('ledger')
    .innerJoin('receipts', 'receipts.ledger_id', 'ledger.id')
    .selectAll('receipts')
    .where('ledger.txn', 'in', txns)
    .where('receipts.account_id', '=', accountId)
    .orderBy('receipts.ledger_id')
    .execute();

/** The part of a chain that has all receipts of a time range, with the sums of those in it. */
export interface ChainPart {
  first: number;
  last: number;
  /** Charges of calls, and all other movements. */
  charged: number;
  moved: number;
}

/** The part of a wallet's chain for a time range, `to` not included; undefined if it has no receipts. */
export async function partOf(
  db: Db,
  accountId: number,
  { from, to }: { from: number; to: number },
): Promise<ChainPart | undefined> {
  const { rows } = await sql<Record<keyof ChainPart, number | string | null>>`
    select min(r.seq) as first, max(r.seq) as last,
      sum(case when l.kind = 'usage' then -l.account_delta else 0 end) as charged,
      sum(case when l.kind = 'usage' then 0 else l.account_delta end) as moved
    from receipts r join ledger l on l.id = r.ledger_id
    where r.account_id = ${accountId} and r.at >= ${from} and r.at < ${to}`.execute(db);
  const [row] = rows;
  if (!row || row.first === null) return undefined;
  return {
    first: Number(row.first),
    last: Number(row.last),
    charged: Number(row.charged),
    moved: Number(row.moved),
  };
}

/** The newest receipt of a wallet before a moment. */
export const lastBefore = (db: Db, accountId: number, before: number): Promise<ReceiptRow | undefined> =>
  db
    .selectFrom('receipts')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('at', '<', before)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();

/** Receipts of a wallet by their numbers, both included. */
export const page = (db: Db, accountId: number, first: number, last: number): Promise<ReceiptRow[]> =>
  db
    .selectFrom('receipts')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('seq', '>=', first)
    .where('seq', '<=', last)
    .orderBy('seq')
    .execute();

/** The newest receipt of all. */
export const newest = (db: Db): Promise<ReceiptRow | undefined> =>
  db.selectFrom('receipts').selectAll().orderBy('ledger_id', 'desc').limit(1).executeTakeFirst();

/** Ids of the ledger behind the mark that are searched for entries without a receipt. */
const waitingIds = 100_000;

/** Entries of a wallet in a time range that have no receipt yet; of a long backlog only the first. */
export async function countWaiting(
  db: Db,
  accountId: number,
  { from, to, after }: { from: number; to: number; after: number },
): Promise<number> {
  const row = await db
    .selectFrom('ledger')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('id', '>', after)
    .where('id', '<=', after + waitingIds)
    .where('account_id', '=', accountId)
    .where('at', '>=', from)
    .where('at', '<', to)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
