import type { Socket } from 'node:net';
import type { Db } from '../dialects/types.ts';
import type { PoolOptions } from './pool-options.ts';

const silent = (ms: number): Error =>
  Object.assign(new Error(`a connection to the database was silent for ${ms} ms`), { code: 'ETIMEDOUT' });

/** Maximum time for work on a pool that ends, in ms: its calls have ended before. */
const endMs = 5_000;

interface Connection {
  /** The number that the server, or a proxy before it, uses for the connection. */
  number: number;
  /** True once the server is known to use that number, so that it can be asked about the connection. */
  isKnown: boolean;
  /** Time of its return to the pool, by performance.now(); it was not silent until then. */
  heardAt: number;
}

/**
 * Breaks connections of a pool that receive no byte for this long while they are in use. A firewall or an address
 * translation that has forgotten a connection drops its packets silently, and the kernel would wait for hours. Work on
 * the connection fails as on any broken one.
 *
 * First `isWorking` checks on another connection whether the server still works for this one: a long statement, or a
 * commit that waits for a standby, is left alone. A proxy with its own numbers (PgBouncer) makes that impossible. Such
 * a connection may be silent for the maximum time of a statement, and without limit during a migration.
 */
export class SilenceLimit {
  private readonly isWorking: (number: number) => Promise<boolean>;
  private readonly knownMs: number;
  private readonly unknownMs: number;
  private readonly connections = new Map<Socket, Connection>();
  private migrations = 0;

  constructor(
    { silenceMs, idleTransactionMs, statementTimeoutMs }: PoolOptions,
    isWorking: (number: number) => Promise<boolean>,
  ) {
    this.isWorking = isWorking;
    this.knownMs = silenceMs ?? idleTransactionMs + 5_000;
    this.unknownMs = this.knownMs + Math.max(0, statementTimeoutMs - idleTransactionMs);
  }

  watch(socket: Socket, number: number): void {
    const connection: Connection = { number, isKnown: false, heardAt: 0 };
    this.connections.set(socket, connection);
    socket.on('timeout', () => void this.examine(socket, connection));
    socket.once('close', () => this.connections.delete(socket));
  }

  /** The server uses this number for a connection of the pool, or for one of a proxy. */
  confirm(number: unknown): void {
    for (const [socket, connection] of this.connections) {
      if (connection.number !== number) continue;
      connection.isKnown = true;
      if (socket.timeout) socket.setTimeout(this.knownMs);
    }
  }

  /** A connection is taken from the pool. */
  begin(socket: Socket): void {
    socket.setTimeout(this.connections.get(socket)?.isKnown ? this.knownMs : this.unknownMs);
  }

  /** A connection is returned. */
  end(socket: Socket): void {
    socket.setTimeout(0);
    const connection = this.connections.get(socket);
    if (connection) connection.heardAt = performance.now();
  }

  async whileMigrating<T>(work: () => Promise<T>): Promise<T> {
    this.migrations += 1;
    try {
      return await work();
    } finally {
      this.migrations -= 1;
    }
  }

  /** Waits until a pool has ended. Connections that are still running or closing after a while are broken. */
  async whileEnding(ended: Promise<void>): Promise<void> {
    const breakAll = (): void => {
      for (const socket of this.connections.keys()) socket.destroy(silent(endMs));
    };
    const timer = setTimeout(breakAll, endMs);
    // mysql2 reports a connection that broke while closing; the pool has ended anyway.
    await ended.catch(breakAll);
    clearTimeout(timer);
  }

  private async examine(socket: Socket, { number, isKnown }: Connection): Promise<void> {
    const { bytesRead, timeout: ms = 0 } = socket;
    const isBusy = isKnown ? await this.isWorking(number).catch(() => false) : this.migrations > 0;
    // It was returned, or received data, meanwhile.
    if (socket.destroyed || !socket.timeout || socket.bytesRead > bytesRead) return;
    if (isBusy) socket.setTimeout(ms);
    else this.giveUp(socket, ms);
  }

  /** Those that wait in the pool since before that time are silent as well, and each would cost as much time again. */
  private giveUp(given: Socket, ms: number): void {
    given.destroy(silent(ms));
    const since = performance.now() - ms;
    for (const [socket, { heardAt }] of this.connections)
      if (!socket.timeout && heardAt < since) socket.destroy(silent(ms));
  }
}

const silenceOf = (db: Db): SilenceLimit | undefined =>
  (db.getExecutor().adapter as { silence?: SilenceLimit }).silence;

/** Runs a migration: if the server cannot be asked, its steps may be silent for any time. */
export function whileMigrating<T>(db: Db, work: () => Promise<T>): Promise<T> {
  const silence = silenceOf(db);
  return silence ? silence.whileMigrating(work) : work();
}

/** Closes the connections to a database server in bounded time, in any state. */
export async function endConnections(db: Db): Promise<void> {
  const silence = silenceOf(db);
  await (silence ? silence.whileEnding(db.destroy()) : db.destroy());
}
