import { faultPoint } from '../../../../lib/fault-point.ts';
import {
  type Db,
  holds,
  idempotentCalls,
  inTransaction,
  type Store,
  writeBatch,
} from '../../../../store/index.ts';
import type { Books } from '../plan/books.ts';
import { type EngineDeps, isFault } from './engine.ts';
import { loadBooks } from './load-books.ts';
import { type Op, type Payer, payerOf } from '../plan/ops.ts';
import { plan } from '../plan/plan.ts';
import { SeenFigures } from './seen-figures.ts';

/** Turns operations into transactions of a database server: lock, plan, write. */
export class SqlWriter {
  protected readonly store: Store;
  protected readonly deps: EngineDeps;
  /** Figures read by the last transactions. */
  readonly seen: SeenFigures;

  constructor(store: Store, deps: EngineDeps) {
    this.store = store;
    this.deps = deps;
    this.seen = new SeenFigures(deps.settings);
  }

  /**
   * Performs the operations in order, in one transaction, and stores the result in each. An operation that cannot be
   * written gets an error of its own. Throws if the database did not accept or confirm the transaction; the same
   * operations may then be passed again.
   */
  async write(ops: readonly Op[]): Promise<void> {
    try {
      await this.commit(ops);
    } catch (error) {
      if (!isFault(this.store.dialect, error)) throw error;
      this.deps.log.warn({ err: error, ops: ops.length }, 'a ledger batch is written step by step');
      for (const op of ops) await this.writeAlone(op);
    }
  }

  private async writeAlone(op: Op): Promise<void> {
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
    if (op.kind !== 'settle' || op.withoutLog) return;
    // A charge is written even if its log row cannot be stored.
    op.withoutLog = true;
    await this.writeAlone(op);
  }

  /** One transaction. */
  protected async commit(ops: readonly Op[]): Promise<void> {
    const payers = await this.findPayers(ops);
    try {
      const books = await inTransaction(this.store.db, async (trx) => {
        const loaded = await this.load(trx, ops, payers);
        await writeBatch(trx, plan(loaded, ops));
        faultPoint('before-sync');
        return loaded;
      });
      this.seen.record(books);
    } catch (error) {
      if (!(error instanceof idempotentCalls.KeyTaken)) throw error;
      await this.commit(ops);
    }
  }

  /** Locks and reads the rows of the operations. */
  protected load(trx: Db, ops: readonly Op[], payers: readonly Payer[]): Promise<Books> {
    return loadBooks(trx, ops, payers, this.deps.clock());
  }

  /** The payers to lock. A request of another process is read first; its payer never changes. */
  private async findPayers(ops: readonly Op[]): Promise<Payer[]> {
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
