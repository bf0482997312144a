/** A batch of this many operations is followed by a gap of a millisecond. */
const opsPerMs = 8;

/** How long to wait after the start of a batch of `ops` before the next: under load longer, so that more share a commit. */
export const gapAfter = (ops: number, longestMs: number): number => Math.min(longestMs, ops / opsPerMs);

/** When the next batch starts: soon, but with a gap after the last one, so that under load many share one commit. */
export class BatchScheduler {
  private readonly run: () => void;
  private scheduled = false;
  /** By performance.now(). */
  private lastStart = 0;
  private timer: NodeJS.Timeout | undefined;
  private timerDue = 0;

  constructor(run: () => void) {
    this.run = run;
  }

  /**
   * Makes sure that a run starts, `gapMs` after the start of the last one at the earliest and `deferMs` from now,
   * unless another caller needs it sooner. It starts in the check phase of the event loop, after everything that came
   * in with the same turn of the loop.
   */
  schedule(gapMs: number, deferMs = 0): void {
    if (this.scheduled) return;
    const now = performance.now();
    const due = Math.max(gapMs === 0 ? 0 : this.lastStart + gapMs, deferMs === 0 ? 0 : now + deferMs);
    if (this.timer && this.timerDue <= due) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    const wait = due - now;
    // Timers count whole milliseconds; half of one is not worth waiting for.
    if (wait < 0.5) {
      this.scheduled = true;
      setImmediate(this.run);
      return;
    }
    this.timerDue = due;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.schedule(0);
    }, wait);
  }

  /** A run has taken what was queued (or failed to): what comes now needs another. */
  started(): void {
    this.scheduled = false;
    this.lastStart = performance.now();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
