import type { Deadlines, Timed } from '../deadlines.ts';
import { NoFreeConnection } from './faults.ts';

/** The number of connections to one endpoint, and the time that a call waits for one. */
export interface ConnectionBound {
  /** Open at once, idle ones included. */
  connections: number;
  /** Milliseconds after which a waiting call fails with NoFreeConnection. */
  waitMs: number;
}

/** The most waiting calls for each allowed connection. */
const waitingPerConnection = 2;

/** A call in a line. */
export interface Waiting {
  /** Ends the call. */
  abort(error: Error): void;
}

/** A call's place in the line. */
export class Waiter<Item extends Waiting> implements Timed {
  deadline = Infinity;
  index = -1;
  /** Its neighbours; kept by the line. */
  ahead: Waiter<Item> | undefined;
  behind: Waiter<Item> | undefined;
  readonly item: Item;
  private readonly line: WaitingLine<Item>;

  constructor(item: Item, line: WaitingLine<Item>) {
    this.item = item;
    this.line = line;
  }

  /** Nothing arrives while a call waits, so there is nothing to pause. */
  pause(): void {}
  resume(): void {}

  /** Leaves the line. */
  drop(): void {
    this.line.remove(this);
  }

  expire(): void {
    this.drop();
    this.item.abort(new NoFreeConnection());
  }
}

/** Calls that wait for a connection to one endpoint: in order of arrival, each for a bounded time. */
export class WaitingLine<Item extends Waiting> {
  length = 0;
  private first: Waiter<Item> | undefined;
  private last: Waiter<Item> | undefined;
  private readonly bound: ConnectionBound;
  private readonly deadlines: Deadlines<Waiter<Item>>;

  constructor(bound: ConnectionBound, deadlines: Deadlines<Waiter<Item>>) {
    this.bound = bound;
    this.deadlines = deadlines;
  }

  /** Adds a call at the end of the line. Undefined if the line is full: the call has been aborted. */
  add(item: Item): Waiter<Item> | undefined {
    const { connections, waitMs } = this.bound;
    if (this.length >= waitingPerConnection * connections) {
      item.abort(new NoFreeConnection());
      return undefined;
    }
    const waiter = new Waiter(item, this);
    waiter.ahead = this.last;
    if (this.last) this.last.behind = waiter;
    else this.first = waiter;
    this.last = waiter;
    this.length += 1;
    this.deadlines.add(waiter);
    this.deadlines.set(waiter, waitMs);
    return waiter;
  }

  /** Removes and returns the first call. */
  take(): Item | undefined {
    const { first } = this;
    if (first) this.remove(first);
    return first?.item;
  }

  /** Does nothing for a waiter that has already left. */
  remove(waiter: Waiter<Item>): void {
    if (waiter.index < 0) return;
    const { ahead, behind } = waiter;
    if (ahead) ahead.behind = behind;
    else this.first = behind;
    if (behind) behind.ahead = ahead;
    else this.last = ahead;
    waiter.ahead = undefined;
    waiter.behind = undefined;
    this.length -= 1;
    this.deadlines.remove(waiter);
  }
}
