import {
  balances,
  budgetRows,
  type Db,
  holds,
  idempotentCalls,
  lateTxn,
  ledger,
  linesOf,
  readTogether,
  type SettledRow,
} from '../../../../store/index.ts';
import {
  accountEntry,
  budgetEntry,
  type Books,
  holdEntry,
  isRecovered,
  meterEntry,
  newBooks,
  settledBefore,
  tokenEntry,
} from '../plan/books.ts';
import type { Op, Payer } from '../plan/ops.ts';

/** Settled requests by their rows. A query finds settlements that were added after recovery. */
async function addSettled(trx: Db, books: Books, found: readonly SettledRow[]): Promise<void> {
  const recovered = found.filter(isRecovered).map(({ txn }) => lateTxn(txn));
  const late = recovered.length === 0 ? [] : await ledger.findSettled(trx, recovered);
  const byTxn = new Map(late.map((row) => [row.txn, row]));
  for (const row of found) books.settled.set(row.txn, settledBefore(row, byTxn.get(lateTxn(row.txn))));
}

/** The request id of the hold that an operation changes. */
const holdOf = (op: Op): string => (op.kind === 'settle' ? op.partOf : undefined) ?? op.requestId;

/** Ids of one kind of row; 0 is none. */
const idsOf = (payers: readonly Payer[], column: 'token_id' | 'member_id'): Set<number> =>
  new Set(payers.map((payer) => payer[column]).filter((id) => id !== 0));

/**
 * Locks and reads the rows of operations in a transaction. Rows are read after the locks, so the figures stay valid.
 * Each statement sees all commits before its start, even if all statements are sent together.
 *
 * @param now - Unix ms
 */
export async function loadBooks(
  trx: Db,
  ops: readonly Op[],
  payers: readonly Payer[],
  now: number,
): Promise<Books> {
  const books = newBooks();
  const keys = new Set(ops.flatMap((op) => (op.kind === 'settle' && op.settlement.keyed?.name) || []));
  for (const row of await idempotentCalls.lock(trx, keys)) books.claims.set(row.name, row.request_id);
  const settles = ops.filter((op) => op.kind === 'settle').map((op) => op.requestId);
  const budgetIds = new Set<number>();
  for (const { budgets: lines } of payers)
    if (lines !== '') for (const { id } of linesOf(lines)) budgetIds.add(id);
  const [accounts, tokens, members, budgets, held, settled] = await readTogether(
    trx,
    balances.accountLocks(trx, new Set(payers.map((payer) => payer.account_id))),
    balances.tokenLocks(trx, idsOf(payers, 'token_id')),
    balances.memberLocks(trx, idsOf(payers, 'member_id')),
    budgetIds.size === 0 ? [] : budgetRows.budgetLocks(trx, budgetIds),
    holds.holdReads(trx, [...new Set(ops.map(holdOf))]),
    ledger.settledReads(trx, settles),
  );
  for (const row of accounts) books.accounts.set(row.id, accountEntry(row, now));
  for (const row of tokens) books.tokens.set(row.id, tokenEntry(row, now));
  for (const row of members) books.members.set(row.id, meterEntry(row, now));
  for (const row of budgets) books.budgets.set(row.id, budgetEntry(row, now));
  for (const row of held) books.holds.set(row.request_id, holdEntry(row));
  await addSettled(trx, books, settled);
  // Only shown in the answer to a second settlement; nothing is written over them, so they need no lock.
  const shown = [...books.settled.values()].map((entry) => entry.accountId);
  const unread = new Set(shown.filter((id) => !books.accounts.has(id)));
  for (const row of await balances.readAccounts(trx, unread))
    books.accounts.set(row.id, accountEntry(row, now));
  return books;
}
