import { asError, type Call } from './call.ts';
import { Connection, type ConnectionOptions, type Owner } from './connection.ts';

/** A connection that was idle for longer may have been closed by a peer that we have not heard yet. */
const staleMs = 1_000;

/**
 * The connections to one place: as many as there are calls under way, and those that wait for the next call. The one
 * that was used last is used first, so that the others get old and go.
 */
export class Pool implements Owner {
  private readonly options: ConnectionOptions;
  private newest: Connection | undefined;
  private justReleased: Connection[] = [];
  private resting: Connection[] = [];
  private isRetired = false;

  constructor(options: ConnectionOptions) {
    this.options = options;
  }

  /** Sends a call on an idle connection or a new one. */
  dispatch(call: Call): void {
    if (this.newest && performance.now() - this.newest.idleSince > staleMs) {
      // A turn of the loop, in which goodbyes that have arrived are heard: a call is not sent twice, so one that meets
      // a goodbye is lost.
      setImmediate(() => this.send(call));
    } else this.send(call);
  }

  private send(call: Call): void {
    if (call.isOver) return;
    for (let idle = this.newest; idle; idle = this.newest) {
      this.take(idle);
      if (idle.carry(call)) return;
    }
    try {
      // It makes itself known to the deadlines and, when it has carried the call, to this pool.
      new Connection(this.options, this, call);
    } catch (error) {
      call.abort(asError(error));
    }
  }

  /**
   * A connection rests for a whole turn of the loop before it is used again: what an upstream sent behind its answer is
   * met in that turn, ends the connection, and is never taken for the answer to the next call (faults.md U7).
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
    const now = rested.length > 0 ? performance.now() : 0;
    for (const connection of rested) {
      if (this.isRetired) connection.drop();
      else if (connection.isOpen) this.put(connection, now);
    }
  }

  private put(connection: Connection, now: number): void {
    connection.idleSince = now;
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
  }

  /** No new calls: what is idle goes now, what is under way when it is done. */
  retire(): void {
    this.isRetired = true;
    for (let idle = this.newest; idle; idle = this.newest) idle.drop();
  }
}
