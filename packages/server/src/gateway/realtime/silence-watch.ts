import { refuse } from '../../relay/types/index.ts';
import { brokenOff, type Closing, idled } from './end.ts';

/** What decides whether silence means anything. */
interface SilenceParts {
  limits: { idleMs: number; silenceMs: number };
  /** True while we keep a side waiting: it is not silent then. */
  isHeldUp(): boolean;
  isAnswering(): boolean;
  end(closing: Closing): void;
}

/** Ends a session in which nobody says anything, or whose upstream falls silent within a response. */
export class SilenceWatch {
  private readonly parts: SilenceParts;
  private readonly timer: NodeJS.Timeout;
  private heardAt = performance.now();
  private upstreamHeardAt = this.heardAt;

  constructor(parts: SilenceParts) {
    this.parts = parts;
    const { idleMs, silenceMs } = parts.limits;
    this.timer = setInterval(() => this.look(), Math.min(idleMs, silenceMs || idleMs) / 4);
  }

  /** Either side said something. */
  heard(): void {
    this.heardAt = performance.now();
  }

  heardUpstream(): void {
    this.heard();
    this.upstreamHeardAt = this.heardAt;
  }

  /** The upstream may speak again: its silence begins now. */
  freed(): void {
    this.upstreamHeardAt = performance.now();
  }

  private look(): void {
    const { parts } = this;
    if (parts.isHeldUp()) return;
    const now = performance.now();
    const { silenceMs, idleMs } = parts.limits;
    if (parts.isAnswering() && silenceMs > 0 && now - this.upstreamHeardAt > silenceMs) {
      parts.end(brokenOff(refuse('upstream_silent')));
    } else if (now - this.heardAt > idleMs) parts.end(idled());
  }

  close(): void {
    clearInterval(this.timer);
  }
}
