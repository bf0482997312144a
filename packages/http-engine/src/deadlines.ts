/** An object with a deadline. */
export interface Timed {
  /** In ms of `performance.now()`; Infinity for never. Only `Deadlines` sets it. */
  deadline: number;
  /** Its index in the list; −1 if it is not in it. Only `Deadlines` sets it. */
  index: number;
  /** Called when the deadline has passed. */
  expire(): void;
}

/** The list is checked at least this often while anything in it has a deadline. */
const sweepMs = 1_000;

/**
 * The deadlines of all connections under one timer. Deadlines move with every piece of an answer and seldom pass:
 * moving one writes a number, and once a second the numbers are compared with the clock. A deadline before the next
 * comparison moves the comparison forward, so that short deadlines are exact to the millisecond. Everything that has
 * arrived is read before a deadline expires: a process that was suspended has unread data, and would otherwise count
 * its own pause against the other side. The timer does not keep the process alive; a running call is kept alive by its
 * socket.
 */
export class Deadlines<T extends Timed> {
  private readonly items: T[] = [];
  private timer: NodeJS.Timeout | undefined;
  private nextSweep = Infinity;

  get size(): number {
    return this.items.length;
  }

  add(item: T): void {
    item.index = this.items.push(item) - 1;
  }

  remove(item: T): void {
    const { index } = item;
    if (index < 0) return;
    item.index = -1;
    item.deadline = Infinity;
    const last = this.items.pop()!;
    if (last === item) return;
    this.items[index] = last;
    last.index = index;
  }

  /** Sets the deadline of `item` to `ms` from now; 0 for none. */
  set(item: T, ms: number): void {
    if (ms <= 0) {
      item.deadline = Infinity;
      return;
    }
    const now = performance.now();
    item.deadline = now + ms;
    if (item.deadline < this.nextSweep) this.wake(now, item.deadline);
  }

  /** Calls `visit` for every item; items may be removed meanwhile. */
  forEach(visit: (item: T) => void): void {
    // From the end: a removed item is replaced by one that was visited before it.
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

  /** Expires every item with a deadline up to `now`. */
  private expireAll(now: number): void {
    this.forEach((item) => {
      if (item.deadline > now) return;
      item.deadline = Infinity;
      item.expire();
    });
  }
}

/**
 * Runs `work` after the next reads of the loop, and after the work at the end of their turn (TLS). Not unref'd: the
 * loop would wait for something to read.
 */
function afterReading(work: () => void): void {
  setImmediate(() => setImmediate(work));
}
