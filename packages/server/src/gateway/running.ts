/** A request in flight, as far as a stop has to know it. */
export interface InFlight {
  /** True while it reads on after its caller hung up. */
  readonly isDraining: boolean;
  /** Ends it: its caller gets an error, its hold its settlement. */
  end(reason: 'shutdown'): void;
}

/** Calls that read on after their caller hung up, at most: each keeps an upstream busy for nobody (money.md 6). */
const maxDrains = 100;

/** The requests in flight of this process: what a stop has to wait for. */
export class Running {
  private readonly journeys = new Set<InFlight>();
  private drains = 0;
  private isEnding = false;
  private onEmpty: (() => void) | undefined;

  get size(): number {
    return this.journeys.size;
  }

  add(journey: InFlight): void {
    this.journeys.add(journey);
    // It was let in before the stop and got its hold after it.
    if (this.isEnding) journey.end('shutdown');
  }

  delete(journey: InFlight): void {
    if (!this.journeys.delete(journey)) return;
    if (journey.isDraining) this.drains -= 1;
    if (this.journeys.size === 0) this.onEmpty?.();
  }

  /** True when one more call may read on without its caller; it then counts until it is over. */
  takeDrain(): boolean {
    if (this.drains >= maxDrains) return false;
    this.drains += 1;
    return true;
  }

  /** Resolves when nothing is in flight, or after `ms`; true in the first case. */
  settled(ms: number): Promise<boolean> {
    if (this.journeys.size === 0) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.onEmpty = undefined;
        resolve(false);
      }, ms);
      this.onEmpty = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }

  /** Ends what is still in flight: each caller gets an error, each hold its settlement. */
  endAll(): void {
    this.isEnding = true;
    for (const journey of this.journeys) journey.end('shutdown');
  }
}
