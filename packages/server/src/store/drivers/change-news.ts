/** Who made a change waits so long for others to have it in force, in ms: a frozen process must not hold up the console. */
const patienceMs = 500;

/** Brings what a process does about a change into force; who made the change waits for it. */
export type HearChange = () => Promise<unknown>;

/**
 * Those who hear of changes after the commit that marked them (`changeMarks.mark`). On SQLite the transaction announces them
 * here as well, of which one at a time is open.
 */
export class ChangeNews {
  readonly #listeners = new Set<HearChange>();
  #isAnnounced = false;

  /** In the transaction that is open. */
  announce(): void {
    this.#isAnnounced = true;
  }

  /** The transaction is over: answers whether it announced a change. */
  take(): boolean {
    const isAnnounced = this.#isAnnounced;
    this.#isAnnounced = false;
    return isAnnounced;
  }

  listen(hear: HearChange): () => void {
    this.#listeners.add(hear);
    return () => void this.#listeners.delete(hear);
  }

  /** Resolves when all have heard, but for the one who made the change, or after half a second. */
  async spread(from?: HearChange): Promise<void> {
    const heard: Promise<unknown>[] = [];
    for (const hear of this.#listeners) {
      const done = hear().catch(() => undefined);
      if (hear !== from) heard.push(done);
    }
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patienceMs);
    });
    await Promise.race([Promise.all(heard), late]);
    clearTimeout(timer);
  }
}
