/** A crash forgets so much more of what was delivered, in ms. */
const everyMs = 100;

/**
 * Gathers the progress marks of open streams and writes them in rounds: those of one round share a message to the thread
 * that counts tokens and a transaction of the ledger, which cost more than the marks themselves.
 */
export class MarkRounds {
  private due: (() => void)[] = [];

  /** Calls `mark` with the next round, within 100 ms. */
  add(mark: () => void): void {
    // A mark that waits does not keep the process alive: what ends in good order is settled and needs none.
    if (this.due.push(mark) === 1) setTimeout(() => this.run(), everyMs).unref();
  }

  private run(): void {
    const { due } = this;
    this.due = [];
    for (const mark of due) mark();
  }
}
