import { type Gate, newGate } from './batch.ts';
import { nothingWanted, type PayerRows, type Wanted } from './sqlite-mirror.ts';

/** The rows that somebody waits for: all that are asked for before a turn are read in it. */
export class RowLoader {
  #wanted = nothingWanted();
  #looked: Gate = newGate();

  get wanted(): Wanted {
    return this.#wanted;
  }

  get areWanted(): boolean {
    const { accounts, tokens, members, requests } = this.#wanted;
    return accounts.size + tokens.size + members.size + requests.size > 0;
  }

  /** Kept when the rows were read; 0 for no account, token or member. */
  ask(payer: PayerRows, requestId?: string): Promise<void> {
    if (payer.account_id !== 0) this.#wanted.accounts.add(payer.account_id);
    if (payer.token_id !== 0) this.#wanted.tokens.add(payer.token_id);
    if (payer.member_id !== 0) this.#wanted.members.add(payer.member_id);
    if (requestId !== undefined) this.#wanted.requests.add(requestId);
    return this.#looked.promise;
  }

  /** What was wanted has been read: tells everyone. */
  answered(): void {
    this.#wanted = nothingWanted();
    this.#looked.resolve();
    this.#looked = newGate();
  }

  breakOff(error: Error): void {
    this.#looked.reject(error);
  }
}
