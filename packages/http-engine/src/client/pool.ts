import { asError, type Call } from './call.ts';
import { Connection, type ConnectionOptions, type Owner } from './connection.ts';
import type { Deadlines } from '../deadlines.ts';
import { type ConnectionBound, type Waiter, WaitingLine } from './waiting-line.ts';

/** What a pool is made with. */
export interface PoolOptions extends ConnectionOptions {
  bound: ConnectionBound;
  /** Of the calls that wait for a connection. */
  waiting: Deadlines<Waiter<Call>>;
}

/**
 * The connections to one place: one for each call under way, and idle ones; the calls for which there is none wait in
 * line. The connection that was used last is used first, so that the others get old and go.
 */
export class Pool implements Owner {
  private readonly options: PoolOptions;
  /** Calls for which there is no connection yet. */
  private readonly line: WaitingLine<Call>;
  /** Connections that are open or being opened. */
  private open = 0;
  private isServing = false;
  private newest: Connection | undefined;
  private justReleased: Connection[] = [];
  private resting: Connection[] = [];
  private isRetired = false;

  constructor(options: PoolOptions) {
    this.options = options;
    this.line = new WaitingLine(options.bound, options.waiting);
  }

  /** Sends a call on an idle connection or a new one, or lets it wait for its turn. */
  send(call: Call): void {
    if (this.line.length === 0 && this.hasRoom()) this.begin(call);
    else call.carrier = this.line.add(call);
  }

  private hasRoom(): boolean {
    return this.newest !== undefined || this.open < this.options.bound.connections;
  }

  private begin(call: Call): void {
    for (let idle = this.newest; idle; idle = this.newest) {
      // This process stood still, and its timers have not run yet: the other side has said goodbye by now.
      if (idle.deadline <= performance.now()) {
        idle.drop();
        continue;
      }
      this.take(idle);
      if (idle.carry(call)) return;
    }
    try {
      // It makes itself known to the deadlines and, when it has carried the call, to this pool.
      new Connection(this.options, this, call);
      this.open += 1;
    } catch (error) {
      call.abort(asError(error));
    }
  }

  /** Later, because whatever freed a connection is still at work with it. */
  private serveSoon(): void {
    if (this.line.length === 0 || this.isServing) return;
    this.isServing = true;
    setImmediate(() => {
      this.isServing = false;
      this.serve();
    });
  }

  private serve(): void {
    while (this.line.length > 0 && this.hasRoom()) {
      const call = this.line.take()!;
      call.carrier = undefined;
      this.begin(call);
    }
  }

  /**
   * A connection rests for a whole turn of the loop before it is used again: what an upstream sent behind its answer is
   * met in that turn, ends the connection, and is never taken for the answer to the next call.
   */
  released(connection: Connection): void {
    if (this.justReleased.length === 0 && this.resting.length === 0) setImmediate(() => this.turn());
    this.justReleased.push(connection);
  }

  private turn(): void {
    const rested = this.resting;
    this.resting = this.justReleased;
    this.justReleased = [];
    if (this.resting.length > 0) setImmediate(() => this.turn());
    for (const connection of rested) {
      if (this.isRetired) connection.drop();
      else if (connection.isOpen) this.put(connection);
    }
    this.serve();
  }

  private put(connection: Connection): void {
    connection.older = this.newest;
    if (this.newest) this.newest.newer = connection;
    this.newest = connection;
  }

  private take(connection: Connection): void {
    const { newer, older } = connection;
    if (this.newest === connection) this.newest = older;
    if (newer) newer.older = older;
    if (older) older.newer = newer;
    connection.newer = undefined;
    connection.older = undefined;
  }

  closed(connection: Connection): void {
    this.take(connection);
    this.open -= 1;
    this.serveSoon();
  }

  /** No new calls: what is idle goes now, what is under way when it is done. */
  retire(): void {
    this.isRetired = true;
    for (let idle = this.newest; idle; idle = this.newest) idle.drop();
  }
}
