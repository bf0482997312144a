import type { Clock } from '../../../../lib/clock.ts';

/** Ids that were seen, and which of them were seen at least `afterMs` ago. */
export class Settled {
  private readonly afterMs: number;
  private readonly clock: Clock;
  private seen: { id: number; at: number }[] = [];

  constructor(afterMs: number, clock: Clock) {
    this.afterMs = afterMs;
    this.clock = clock;
  }

  /** Adds the present highest id. */
  note(id: number): void {
    if (this.seen.at(-1)?.id === id) return;
    this.seen.push({ id, at: this.clock() });
  }

  /** The highest id that was seen long enough ago; 0 for none. */
  upTo(): number {
    const bound = this.clock() - this.afterMs;
    const old = this.seen.findLastIndex(({ at }) => at <= bound);
    if (old > 0) this.seen = this.seen.slice(old);
    return old < 0 ? 0 : this.seen[0]!.id;
  }
}
