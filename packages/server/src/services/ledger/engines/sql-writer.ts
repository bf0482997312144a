import { faultPoint } from '../../../lib/fault-point.ts';
import {
  balances,
  type Db,
  holds,
  inTransaction,
  lateTxn,
  ledger,
  type Store,
  writeBatch,
} from '../../../store/index.ts';
import {
  accountEntry,
  type Books,
  isRecovered,
  meterEntry,
  newBooks,
  settledBefore,
  tokenEntry,
} from '../plan/books.ts';
import type { EngineDeps } from './engine.ts';
import { isFault } from './fault.ts';
import { type Op, type Payer, payerOf } from '../plan/ops.ts';
import { plan } from '../plan/plan.ts';

/** Which of these requests are settled, and how; a second look finds what was settled late after recovery. */
async function addSettled(trx: Db, books: Books, requestIds: readonly string[]): Promise<void> {
  const found = await ledger.findSettled(trx, requestIds);
  const recovered = found.filter(isRecovered).map(({ txn }) => lateTxn(txn));
  const late = recovered.length === 0 ? [] : await ledger.findSettled(trx, recovered);
  const byTxn = new Map(late.map((row) => [row.txn, row]));
  for (const row of found) books.settled.set(row.txn, settledBefore(row, byTxn.get(lateTxn(row.txn))));
}

/** Turns operations into transactions of a database server: lock, plan, write. */
export class SqlWriter {
  protected readonly store: Store;
  protected readonly deps: EngineDeps;

  constructor(store: Store, deps: EngineDeps) {
    this.store = store;
    this.deps = deps;
  }

  /**
   * Performs the operations in their order, in one transaction, and leaves the outcome with each. An operation that
   * cannot be written gets an error of its own. Throws when the database did not take them, or did not say so; the
   * same operations may then be given again.
   */
  async write(ops: readonly Op[]): Promise<void> {
    try {
      await this.commit(ops);
    } catch (error) {
      if (!isFault(this.store.dialect, error)) throw error;
      this.deps.log.warn({ err: error, ops: ops.length }, 'a ledger batch is written step by step');
      for (const op of ops) await this.#alone(op);
    }
  }

  async #alone(op: Op): Promise<void> {
    try {
      await this.commit([op]);
      return;
    } catch (error) {
      if (!isFault(this.store.dialect, error)) throw error;
      this.deps.log.error(
        { err: error, request: op.requestId, kind: op.kind },
        'the ledger refuses a faulty step',
      );
      op.error = error instanceof Error ? error : new Error(String(error));
    }
    if (op.kind !== 'settle' || op.bare) return;
    // What is owed is owed, even where its log row cannot be stored.
    op.bare = true;
    await this.#alone(op);
  }

  /** One transaction. */
  protected async commit(ops: readonly Op[]): Promise<void> {
    const payers = await this.#payersOf(ops);
    await inTransaction(this.store.db, async (trx) => {
      const books = await this.load(trx, ops, payers);
      await writeBatch(trx, plan(books, ops));
      faultPoint('before-sync');
    });
  }

  /** Locks and reads what the operations touch. Rows are read after the locks, so what is read stays true. */
  protected async load(trx: Db, ops: readonly Op[], payers: readonly Payer[]): Promise<Books> {
    const books = newBooks();
    const now = this.deps.clock();
    for (const row of await balances.lockAccounts(trx, new Set(payers.map((payer) => payer.account_id)))) {
      books.accounts.set(row.id, accountEntry(row, now));
    }
    for (const row of await balances.lockTokens(trx, new Set(payers.map((payer) => payer.token_id)))) {
      books.tokens.set(row.id, tokenEntry(row, now));
    }
    const members = new Set(payers.map((payer) => payer.member_id).filter((id) => id !== 0));
    for (const row of await balances.lockMembers(trx, members))
      books.members.set(row.id, meterEntry(row, now));
    for (const row of await holds.findHolds(trx, [...new Set(ops.map((op) => op.requestId))])) {
      books.holds.set(row.request_id, { row, stored: true, open: true, by: undefined, deferredUntil: 0 });
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

  /** Whose rows must be locked. A request of another process is looked up first; its payer never changes. */
  async #payersOf(ops: readonly Op[]): Promise<Payer[]> {
    const payers: Payer[] = [];
    const unknown = new Set<string>();
    for (const op of ops) {
      if (op.kind === 'reserve') {
        payers.push(payerOf(op.request));
      } else if (op.payer) payers.push(op.payer);
      else unknown.add(op.requestId);
    }
    if (unknown.size > 0) payers.push(...(await holds.findHolds(this.store.db, [...unknown])));
    return payers;
  }
}
