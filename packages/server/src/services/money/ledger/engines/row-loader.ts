import { handledResolvers } from './batch.ts';
import { noRows, type PayerRows, type RowIds } from './sqlite-mirror.ts';

/** The rows to be read next: all that are asked for before a turn of the event loop are read in it. */
export class RowLoader {
  private rows = noRows();
  private reading = handledResolvers();

  get wanted(): RowIds {
    return this.rows;
  }

  get hasRows(): boolean {
    const { accounts, tokens, members, requests } = this.rows;
    return accounts.size + tokens.size + members.size + requests.size > 0;
  }

  /** Resolves when the rows were read; an id of 0 is none. */
  ask(payer: PayerRows, requestId?: string): Promise<void> {
    if (payer.account_id !== 0) this.rows.accounts.add(payer.account_id);
    if (payer.token_id !== 0) this.rows.tokens.add(payer.token_id);
    if (payer.member_id !== 0) this.rows.members.add(payer.member_id);
    if (requestId !== undefined) this.rows.requests.add(requestId);
    return this.reading.promise;
  }

  /** All that was wanted has been read. */
  loaded(): void {
    this.rows = noRows();
    this.reading.resolve();
    this.reading = handledResolvers();
  }

  /** Rejects what waits for rows. */
  reject(error: Error): void {
    this.reading.reject(error);
  }
}
