/** Something with a moment after which it must not go on. */
export interface Timed {
  /** In ms of `performance.now()`; Infinity for never. Set by `Deadlines` alone. */
  deadline: number;
  /** Where it stands in the list; −1 when it does not. Kept by `Deadlines` alone. */
  place: number;
  /** The moment has come. */
  expire(): void;
}

/** The list is looked through at least this often while anything in it has a deadline. */
const sweepMs = 1_000;

/**
 * The deadlines of all connections under one timer. Deadlines move with every piece of an answer and are hardly ever
 * met: to move one is to write a number, and once a second the numbers are compared with the clock. A deadline that is
 * nearer than the next comparison brings it forward, so short ones are kept to the millisecond.
 * What has arrived is read before anything expires: a process that stood still (frozen, or without a core) is behind with
 * its reading, and would blame the other side for its own silence.
 * The timer does not keep the process alive; what waits for an answer is kept alive by its socket.
 */
export class Deadlines<T extends Timed> {
  private readonly items: T[] = [];
  private timer: NodeJS.Timeout | undefined;
  private nextSweep = Infinity;

  get size(): number {
    return this.items.length;
  }

  add(item: T): void {
    item.place = this.items.push(item) - 1;
  }

  remove(item: T): void {
    const { place } = item;
    if (place < 0) return;
    item.place = -1;
    item.deadline = Infinity;
    const last = this.items.pop()!;
    if (last === item) return;
    this.items[place] = last;
    last.place = place;
  }

  /** `item` has `ms` from now; 0 for ever. */
  set(item: T, ms: number): void {
    if (ms <= 0) {
      item.deadline = Infinity;
      return;
    }
    const now = performance.now();
    item.deadline = now + ms;
    if (item.deadline < this.nextSweep) this.wake(now, item.deadline);
  }

  /** Calls `visit` for every item; items may leave meanwhile. */
  forEach(visit: (item: T) => void): void {
    // From the end: one that leaves is replaced by one that was visited before it.
    for (let at = this.items.length - 1; at >= 0; at -= 1) {
      const item = this.items[at];
      if (item) visit(item);
    }
  }

  private wake(now: number, deadline: number): void {
    const ms = Math.min(Math.max(deadline - now, 1), sweepMs);
    if (now + ms >= this.nextSweep) return;
    this.nextSweep = now + ms;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.sweep(), Math.ceil(ms)).unref();
  }

  private sweep(): void {
    const now = performance.now();
    this.nextSweep = Infinity;
    let earliest = Infinity;
    let isAnyDue = false;
    this.forEach(({ deadline }) => {
      if (deadline <= now) isAnyDue = true;
      else if (deadline < earliest) earliest = deadline;
    });
    if (isAnyDue) afterReading(() => this.expireAll(now));
    if (earliest < Infinity) this.wake(now, earliest);
  }

  /** Everything whose deadline has not moved since `now`. */
  private expireAll(now: number): void {
    this.forEach((item) => {
      if (item.deadline > now) return;
      item.deadline = Infinity;
      item.expire();
    });
  }
}

/**
 * Later than the next reads of the loop, and than what waits for the end of their turn (TLS). Not unref'd: the loop would
 * wait for something to read.
 */
function afterReading(work: () => void): void {
  setImmediate(() => setImmediate(work));
}
