import { afterReads } from '../../lib/processes/timeout-after-reads.ts';
import { refuse } from '../../relay/types/index.ts';
import { brokenOff, type Closing, idleTimeout } from './end.ts';

/** Facts about a session for the timer. */
interface IdleParts {
  limits: { idleMs: number; upstreamTimeoutMs: number };
  /** True while Tollgate itself makes a side wait; that side is not idle then. */
  isHeldUp(): boolean;
  isAnswering(): boolean;
  end(closing: Closing): void;
}

/** Ends a session that is idle, or whose upstream stops sending within a response. */
export class IdleTimer {
  private readonly parts: IdleParts;
  private readonly timer: NodeJS.Timeout;
  private lastEventAt = performance.now();
  private lastUpstreamEventAt = this.lastEventAt;

  constructor(parts: IdleParts) {
    this.parts = parts;
    const { idleMs, upstreamTimeoutMs } = parts.limits;
    const everyMs = Math.min(idleMs, upstreamTimeoutMs || idleMs) / 4;
    this.timer = setInterval(() => afterReads(() => this.check()), everyMs);
  }

  /** Either side sent an event. */
  reset(): void {
    this.lastEventAt = performance.now();
  }

  /** The upstream sent an event. */
  resetUpstream(): void {
    this.reset();
    this.lastUpstreamEventAt = this.lastEventAt;
  }

  /** The upstream may send again: its timeout starts now. */
  restartUpstream(): void {
    this.lastUpstreamEventAt = performance.now();
  }

  private check(): void {
    const { parts } = this;
    if (parts.isHeldUp()) return;
    const now = performance.now();
    const { upstreamTimeoutMs, idleMs } = parts.limits;
    const isUpstreamLate =
      parts.isAnswering() && upstreamTimeoutMs > 0 && now - this.lastUpstreamEventAt > upstreamTimeoutMs;
    if (isUpstreamLate) parts.end(brokenOff(refuse('upstream_silent')));
    else if (now - this.lastEventAt > idleMs) parts.end(idleTimeout());
  }

  close(): void {
    clearInterval(this.timer);
  }
}
