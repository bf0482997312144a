import { asError, type Call } from './call.ts';
import { Connection, type ConnectionOptions, type Owner } from './connection.ts';

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
  send(call: Call): void {
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
  }

  /** No new calls: what is idle goes now, what is under way when it is done. */
  retire(): void {
    this.isRetired = true;
    for (let idle = this.newest; idle; idle = this.newest) idle.drop();
  }
}
