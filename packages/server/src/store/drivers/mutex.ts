/** Maximum wait for the connection; then the caller gets an error. */
const DEFAULT_WAIT_MS = 10_000;

/**
 * One holder at a time, in order of arrival. A wait that takes too long fails with a hint: the usual cause is code that
 * uses the outer database inside a transaction and so waits for itself.
 */
export class Mutex {
  private readonly waiting: (() => void)[] = [];
  private readonly waitMs: number;
  private held = false;

  constructor(waitMs = DEFAULT_WAIT_MS) {
    this.waitMs = waitMs;
  }

  /** Takes the lock if it is free; returns whether it did. */
  tryAcquire(): boolean {
    if (this.held) return false;
    this.held = true;
    return true;
  }

  async acquire(): Promise<void> {
    if (this.tryAcquire()) return;
    await new Promise<void>((resolve, reject) => {
      const granted = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(granted), 1);
        reject(
          new Error(
            `waited ${this.waitMs} ms for the SQLite connection: is the outer database used inside a transaction?`,
          ),
        );
      }, this.waitMs);
      this.waiting.push(granted);
    });
  }

  /** Hands the lock to the next in line, or frees it. */
  release(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.held = false;
  }
}
