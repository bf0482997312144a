import { balances, type Db, holds, idempotentCalls, lateTxn, ledger } from '../../../../store/index.ts';
import {
  accountEntry,
  type Books,
  holdEntry,
  isRecovered,
  meterEntry,
  newBooks,
  settledBefore,
  tokenEntry,
} from '../plan/books.ts';
import type { Op, Payer } from '../plan/ops.ts';

/** Which of these requests are settled, and how; a second query finds what was settled late after recovery. */
async function addSettled(trx: Db, books: Books, requestIds: readonly string[]): Promise<void> {
  const found = await ledger.findSettled(trx, requestIds);
  const recovered = found.filter(isRecovered).map(({ txn }) => lateTxn(txn));
  const late = recovered.length === 0 ? [] : await ledger.findSettled(trx, recovered);
  const byTxn = new Map(late.map((row) => [row.txn, row]));
  for (const row of found) books.settled.set(row.txn, settledBefore(row, byTxn.get(lateTxn(row.txn))));
}

/**
 * Locks and reads what operations touch, in a transaction. Rows are read after the locks, so what is read stays true.
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
  for (const row of await balances.lockAccounts(trx, new Set(payers.map((payer) => payer.account_id)))) {
    books.accounts.set(row.id, accountEntry(row, now));
  }
  for (const row of await balances.lockTokens(trx, new Set(payers.map((payer) => payer.token_id)))) {
    books.tokens.set(row.id, tokenEntry(row, now));
  }
  const members = new Set(payers.map((payer) => payer.member_id).filter((id) => id !== 0));
  for (const row of await balances.lockMembers(trx, members)) books.members.set(row.id, meterEntry(row, now));
  for (const row of await holds.findHolds(trx, [...new Set(ops.map((op) => op.requestId))])) {
    books.holds.set(row.request_id, holdEntry(row));
  }
  const settles = ops.filter((op) => op.kind === 'settle').map((op) => op.requestId);
  await addSettled(trx, books, settles);
  // Only shown in the answer to a second settlement; nothing is written over them, so they need no lock.
  const shown = [...books.settled.values()].map((entry) => entry.accountId);
  const unread = new Set(shown.filter((id) => !books.accounts.has(id)));
  for (const row of await balances.readAccounts(trx, unread))
    books.accounts.set(row.id, accountEntry(row, now));
  return books;
}
