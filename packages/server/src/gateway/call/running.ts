/** A request in flight, as far as a stop has to know it. */
export interface InFlight {
  /** True while it reads on after its caller hung up. */
  readonly isDraining: boolean;
  /** Where it stands among the requests in flight; −1 when it does not. Kept by `Running` alone. */
  place: number;
  /** Ends it: its caller gets an error, its hold its settlement. */
  end(reason: 'shutdown'): void;
}

/** Calls that read on after their caller hung up, at most: each keeps an upstream busy for nobody. */
const maxDrains = 100;

/**
 * The requests in flight of this process: what a stop has to wait for. A list in which the last one takes the place of
 * one that leaves, and not a set: a set that requests pass through is written anew again and again, and its old tables,
 * which the garbage collector finds late, hold on to each other and to every request they ever held.
 */
export class Running {
  private readonly journeys: InFlight[] = [];
  private drains = 0;
  private isEnding = false;
  private onEmpty: (() => void) | undefined;

  get size(): number {
    return this.journeys.length;
  }

  add(journey: InFlight): void {
    journey.place = this.journeys.push(journey) - 1;
    // It was let in before the stop and got its hold after it.
    if (this.isEnding) journey.end('shutdown');
  }

  delete(journey: InFlight): void {
    const { place } = journey;
    if (place < 0) return;
    journey.place = -1;
    const last = this.journeys.pop()!;
    if (last !== journey) {
      this.journeys[place] = last;
      last.place = place;
    }
    if (journey.isDraining) this.drains -= 1;
    if (this.journeys.length === 0) this.onEmpty?.();
  }

  /** True when one more call may read on without its caller; it then counts until it is over. */
  takeDrain(): boolean {
    if (this.drains >= maxDrains) return false;
    this.drains += 1;
    return true;
  }

  /** Resolves when nothing is in flight, or after `ms`; true in the first case. */
  settled(ms: number): Promise<boolean> {
    if (this.journeys.length === 0) return Promise.resolve(true);
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
    // From the end: one that leaves while it is ended is replaced by one that was ended before it.
    for (let at = this.journeys.length - 1; at >= 0; at -= 1) this.journeys[at]?.end('shutdown');
  }
}
