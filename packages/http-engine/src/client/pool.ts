import { asError, type Call } from './call.ts';
import { Connection, type ConnectionOptions, type Owner } from './connection.ts';
import type { Deadlines } from '../deadlines.ts';
import { type ConnectionBound, type Waiter, WaitingLine } from './waiting-line.ts';

/** The parts of a new pool. */
export interface PoolOptions extends ConnectionOptions {
  bound: ConnectionBound;
  /** Deadlines of the calls that wait for a connection. */
  waiting: Deadlines<Waiter<Call>>;
}

/**
 * The connections to one endpoint: one for each running call, and idle ones; calls without one wait in line. The
 * connection that was used last is reused first, so that the others reach their idle timeout.
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
    else call.transport = this.line.add(call);
  }

  private hasRoom(): boolean {
    return this.newest !== undefined || this.open < this.options.bound.connections;
  }

  private begin(call: Call): void {
    for (let idle = this.newest; idle; idle = this.newest) {
      // This process was suspended, and its timers have not run yet: the server has closed the connection by now.
      if (idle.deadline <= performance.now()) {
        idle.drop();
        continue;
      }
      this.unlink(idle);
      if (idle.carry(call)) return;
    }
    try {
      // It registers itself with the deadlines and, when its call is over, with this pool.
      new Connection(this.options, this, call);
      this.open += 1;
    } catch (error) {
      call.abort(asError(error));
    }
  }

  /** Serves waiting calls in the next turn, because the code that freed a connection still uses it. */
  private scheduleServe(): void {
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
      call.transport = undefined;
      this.begin(call);
    }
  }

  /**
   * A connection is reused only after a whole turn of the event loop. Bytes that an upstream sent after its answer are
   * read in that turn and close the connection, so that they are never used as the answer to the next call.
   */
  released(connection: Connection): void {
    if (this.justReleased.length === 0 && this.resting.length === 0)
      setImmediate(() => this.advanceReleased());
    this.justReleased.push(connection);
  }

  private advanceReleased(): void {
    const rested = this.resting;
    this.resting = this.justReleased;
    this.justReleased = [];
    if (this.resting.length > 0) setImmediate(() => this.advanceReleased());
    for (const connection of rested) {
      if (this.isRetired) connection.drop();
      else if (connection.isOpen) this.link(connection);
    }
    this.serve();
  }

  private link(connection: Connection): void {
    connection.older = this.newest;
    if (this.newest) this.newest.newer = connection;
    this.newest = connection;
  }

  private unlink(connection: Connection): void {
    const { newer, older } = connection;
    if (this.newest === connection) this.newest = older;
    if (newer) newer.older = older;
    if (older) older.newer = newer;
    connection.newer = undefined;
    connection.older = undefined;
  }

  closed(connection: Connection): void {
    this.unlink(connection);
    this.open -= 1;
    this.scheduleServe();
  }

  /** No new calls: idle connections are closed now, the others when their call is over. */
  retire(): void {
    this.isRetired = true;
    for (let idle = this.newest; idle; idle = this.newest) idle.drop();
  }
}
