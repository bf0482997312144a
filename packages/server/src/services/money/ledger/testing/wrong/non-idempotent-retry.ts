import type { Db } from '../../../../../store/index.ts';
import { inTransaction, writeBatch } from '../../../../../store/index.ts';
import type { Books } from '../../plan/books.ts';
import { type Op, type Payer, payerOf } from '../../plan/ops.ts';
import { plan } from '../../plan/plan.ts';
import { SqlWriter } from '../../engines/sql-writer.ts';

/**
 * WRONG on purpose, for tests: treats a transaction with an unknown result as failed, and repeats the settlement under
 * another name.
 */
export class NonIdempotentRetry extends SqlWriter {
  private attempts = 0;

  protected override async commit(ops: readonly Op[]): Promise<void> {
    this.attempts += 1;
    const attempt = this.attempts;
    await inTransaction(this.store.db, async (trx) => {
      const payers = ops.flatMap((op): Payer[] => (op.kind !== 'reserve' && op.payer ? [op.payer] : []));
      const reserved = ops.flatMap((op) => (op.kind === 'reserve' ? [op.request] : []));
      for (const request of reserved) payers.push(payerOf(request));
      const books = await this.load(trx, ops, payers);
      const changes = plan(books, ops);
      for (const entry of changes.entries) entry.txn += `#${attempt}`;
      await writeBatch(trx, changes);
    });
  }

  protected override async load(trx: Db, ops: readonly Op[], payers: readonly Payer[]): Promise<Books> {
    const books = await super.load(trx, ops, payers);
    books.settled.clear();
    return books;
  }
}
