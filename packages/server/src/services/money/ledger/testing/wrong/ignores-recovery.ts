import type { Db, HoldTable } from '../../../../../store/index.ts';
import { type Books, holdEntry } from '../../plan/books.ts';
import type { Op, Payer } from '../../plan/ops.ts';
import { SqlWriter } from '../../engines/sql-writer.ts';

/**
 * WRONG on purpose, for tests: settles from the remembered hold although recovery has ended it, like a settlement that
 * ignores its epoch. Random tests seldom find this error.
 */
export class IgnoresRecovery extends SqlWriter {
  private readonly remembered = new Map<string, HoldTable>();

  protected override async load(trx: Db, ops: readonly Op[], payers: readonly Payer[]): Promise<Books> {
    const books = await super.load(trx, ops, payers);
    books.settled.clear();
    for (const { row } of books.holds.values()) this.remembered.set(row.request_id, { ...row });
    for (const { requestId } of ops) {
      const row = this.remembered.get(requestId);
      if (row && !books.holds.has(requestId)) books.holds.set(requestId, holdEntry(row));
    }
    return books;
  }
}
