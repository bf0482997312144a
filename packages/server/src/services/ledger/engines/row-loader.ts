import { type Gate, newGate } from './batch.ts';
import { nothingWanted, type Wanted } from './sqlite-mirror.ts';

/** The rows that somebody waits for: all that are asked for before a turn are read in it. */
export class RowLoader {
  #wanted = nothingWanted();
  #looked: Gate = newGate();

  get wanted(): Wanted {
    return this.#wanted;
  }

  get areWanted(): boolean {
    const { accounts, tokens, requests } = this.#wanted;
    return accounts.size + tokens.size + requests.size > 0;
  }

  /** Kept when the rows were read; 0 for no account or no token. */
  ask(accountId: number, tokenId: number, requestId?: string): Promise<void> {
    if (accountId !== 0) this.#wanted.accounts.add(accountId);
    if (tokenId !== 0) this.#wanted.tokens.add(tokenId);
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
