/** Longest wait for others to apply a change, in ms, so that a frozen process does not block the console. */
const maxWaitMs = 500;

/** Applies a change in one process; the process that made the change waits for it. */
export type ApplyChange = () => Promise<unknown>;

/**
 * Notifies listeners of changes after the commit that marked them (`changeMarks.mark`). On SQLite the open transaction, of
 * which there is only one at a time, also announces them here.
 */
export class ChangeNotifier {
  private readonly listeners = new Set<ApplyChange>();
  private isAnnounced = false;

  /** Called in the open transaction. */
  announce(): void {
    this.isAnnounced = true;
  }

  /** Called after the transaction: returns whether it announced a change. */
  take(): boolean {
    const isAnnounced = this.isAnnounced;
    this.isAnnounced = false;
    return isAnnounced;
  }

  listen(apply: ApplyChange): () => void {
    this.listeners.add(apply);
    return () => void this.listeners.delete(apply);
  }

  /** Resolves when all listeners except `from`, which made the change, have applied it, or after half a second. */
  async notifyAll(from?: ApplyChange): Promise<void> {
    const applied: Promise<unknown>[] = [];
    for (const apply of this.listeners) {
      const done = apply().catch(() => undefined);
      if (apply !== from) applied.push(done);
    }
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, maxWaitMs);
    });
    await Promise.race([Promise.all(applied), late]);
    clearTimeout(timer);
  }
}
