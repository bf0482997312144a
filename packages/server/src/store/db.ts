import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery, QueryResult } from 'kysely';
import type { Db, DialectHelpers, LogArchive } from './dialects/types.ts';

/** Dialect of the database behind `db`, stored on its adapter, so that transactions have it too. */
export function dialectOf(db: Db): DialectHelpers {
  const adapter = db.getExecutor().adapter as { helpers?: DialectHelpers };
  if (!adapter.helpers) throw new Error('this database was not opened by openStore');
  return adapter.helpers;
}

/** Stores the archive of the log on the adapter of `db`. */
export function attachArchive(db: Db, archive: LogArchive): void {
  Object.assign(db.getExecutor().adapter, { archive });
}

/** The database to which rows of the log move; undefined if all stay in the main one. */
export const archiveOf = (db: Db): LogArchive | undefined =>
  (db.getExecutor().adapter as { archive?: LogArchive }).archive;

/** Notifies other processes of a change; resolves when it is in force there. */
interface Notifier {
  notifyAll(): Promise<void>;
}

/**
 * Attaches the notifier that a transaction on this database calls after it has marked a change; its adapter has it
 * too.
 */
export function attachNotifier(db: Db, notifier: Notifier): void {
  Object.assign(db.getExecutor().adapter, { notifier });
}

const notifierOf = (db: Db): Notifier | undefined =>
  (db.getExecutor().adapter as { notifier?: Notifier }).notifier;

/** Transactions that have marked a change. */
const announcing = new WeakSet<Db>();

/** This transaction has marked a change; the notifier is called after its commit. */
export const announceAtCommit = (db: Db): void => void announcing.add(db);

/** The archive of the log cannot be read now. */
export class ArchiveUnavailable extends Error {
  constructor(cause: unknown) {
    super('the database of LOG_SQL_DSN, which has the older rows of the log, cannot be read', { cause });
    this.name = 'ArchiveUnavailable';
  }
}

/** A connection that takes several statements in one round trip. */
interface Grouping {
  executeTogether<R>(queries: readonly CompiledQuery[]): Promise<QueryResult<R>[]>;
}

const isGrouping = (connection: object): connection is Grouping => 'executeTogether' in connection;

/**
 * Executes statements in their order and returns their results: on PostgreSQL in one round trip. Rejects with the error of the
 * first that fails; the rest is not executed.
 */
export async function sendTogether<R>(
  db: Db,
  queries: readonly CompiledQuery<R>[],
): Promise<QueryResult<R>[]> {
  if (queries.length === 0) return [];
  return db.getExecutor().provideConnection(async (connection) => {
    if (isGrouping(connection)) return connection.executeTogether<R>(queries);
    const results: QueryResult<R>[] = [];
    for (const query of queries) results.push(await connection.executeQuery<R>(query));
    return results;
  });
}

/** `sendTogether` for queries of several kinds: the rows of each kind. */
export async function readTogether<Rows extends readonly unknown[]>(
  db: Db,
  ...kinds: { [Kind in keyof Rows]: readonly CompiledQuery<Rows[Kind]>[] }
): Promise<{ [Kind in keyof Rows]: Rows[Kind][] }> {
  const results = await sendTogether(db, kinds.flat() as CompiledQuery<unknown>[]);
  let next = 0;
  return kinds.map((queries) =>
    results.slice(next, (next += queries.length)).flatMap(({ rows }) => rows),
  ) as { [Kind in keyof Rows]: Rows[Kind][] };
}

const ATTEMPTS = 8;

/**
 * Runs `work` in one transaction. Repeats it, up to seven times with growing pauses, if the database rolled it back
 * for a temporary reason (deadlock, serialisation, a busy file) or the connection broke before COMMIT was sent. A
 * connection lost during COMMIT is thrown, because the result is unknown: the caller may repeat only work that is safe
 * to repeat (by a unique key). `work` must have no other effects. Inside another transaction it is part of that one.
 * If it marked a change, the change is in force at attached processes when this resolves (`attachNotifier`).
 */
export async function inTransaction<T>(db: Db, work: (trx: Db) => Promise<T>): Promise<T> {
  if (db.isTransaction) return work(db);
  const dialect = dialectOf(db);
  for (let attempt = 1; ; attempt += 1) {
    let finished = false;
    let isAnnounced = false;
    try {
      const result = await db.transaction().execute(async (trx) => {
        const done = await work(trx);
        finished = true;
        isAnnounced = announcing.has(trx);
        return done;
      });
      if (isAnnounced) await notifierOf(db)?.notifyAll();
      return result;
    } catch (error) {
      const undone = dialect.isConflict(error) || (!finished && dialect.isConnectionLost(error));
      if (!undone || attempt === ATTEMPTS) throw error;
    }
    // Random, so that two transactions that collided do not meet again.
    await sleep(5 * 2 ** attempt * (0.5 + Math.random()));
  }
}
