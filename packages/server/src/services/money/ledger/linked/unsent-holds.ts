interface Unsent {
  /** By performance.now(). */
  due: number;
  send: () => void;
}

/** Timers count whole milliseconds, so that a hold may leave this much before its time. */
const slackMs = 1;

/** Holds that their callers have and the books do not: they wait a moment for their next step, which takes them along. */
export class UnsentHolds {
  private readonly waitMs: number;
  /** By request, the oldest first. */
  private readonly unsent = new Map<string, Unsent>();
  private timer: NodeJS.Timeout | undefined;

  constructor(waitMs: number) {
    this.waitMs = waitMs;
  }

  add(requestId: string, send: () => void): void {
    this.unsent.set(requestId, { due: performance.now() + this.waitMs, send });
    if (!this.timer) this.timer = setTimeout(() => this.sendDue(), this.waitMs);
  }

  /** A step of the request follows. */
  sendNow(requestId: string): void {
    const unsent = this.unsent.get(requestId);
    this.unsent.delete(requestId);
    unsent?.send();
  }

  sendAll(): void {
    for (const requestId of this.unsent.keys()) this.sendNow(requestId);
  }

  /** True where the hold was given back before it was sent. */
  drop(requestId: string): boolean {
    return this.unsent.delete(requestId);
  }

  private sendDue(): void {
    this.timer = undefined;
    const now = performance.now();
    for (const [requestId, { due }] of this.unsent) {
      if (due > now + slackMs) {
        this.timer = setTimeout(() => this.sendDue(), due - now);
        return;
      }
      this.sendNow(requestId);
    }
  }
}
