import { Kysely } from 'kysely';
import type { ProcessLink } from '../lib/processes/process-link.ts';
import { parseDatabaseUrl, refuseSame } from './database-url.ts';
import type { DatabaseAddress } from './database-url.ts';
import { attachArchive, attachNotifier, dialectOf } from './db.ts';
import type { DatabaseKind, Db, DialectHelpers, LogArchive } from './dialects/types.ts';
import { ChangeNotifier, followThrough, offerChanges } from './drivers/change-notifier.ts';
import { mysqlDialect } from './drivers/mysql.ts';
import type { PoolOptions } from './drivers/pool-options.ts';
import { postgresDialect } from './drivers/postgres.ts';
import { type ChangeListener, listenForChanges } from './drivers/postgres-listener.ts';
import { endConnections } from './drivers/silence.ts';
import { sqliteDialect } from './drivers/sqlite-driver.ts';
import { SqliteCheckpoints } from './drivers/sqlite-checkpoints.ts';
import { SqliteReaders, sqliteReaderDialect } from './drivers/sqlite-reader.ts';
import { SqliteFile, openDatabase, whileBusy } from './drivers/sqlite-file.ts';
import type { SqliteAccess } from './drivers/sqlite-file.ts';
import type { Database } from './schema/index.ts';

export interface StoreOptions {
  /** See parseDatabaseUrl; '' for the embedded file in `dataDir`. */
  url: string;
  /** Database to which rows of the log move; '' or absent if they stay. See parseArchiveUrl. */
  logUrl?: string;
  /** Base of relative SQLite paths. Default `./data`. */
  dataDir?: string;
  /** Connections to a server at most (SQL_MAX_OPEN_CONNS). Default 20: a server's own limit is often 100. */
  maxConnections?: number;
  /** Maximum wait for a free or new connection. Default 2,000 ms; then the caller gets a retryable error. */
  connectTimeoutMs?: number;
  /** Maximum time of one statement. Default 10,000 ms. */
  statementTimeoutMs?: number;
  /**
   * Maximum pause between two statements of a transaction before the server ends it and frees its locks. Default
   * 10,000 ms, the silence after which a process counts as dead. Whole seconds on MariaDB; not supported by MySQL.
   */
  idleTransactionMs?: number;
  /** Maximum silence of a connection in use; then it is closed. Default 15 s. Not used on SQLite. */
  silenceMs?: number;
  /** Maximum time of a statement of `reports`. Default 30,000 ms. */
  reportTimeoutMs?: number;
  /** Maximum wait for another process that writes the same SQLite file. Default 2,000 ms. */
  busyWaitMs?: number;
  /**
   * Link to the first process, if this is a worker on a database server: this process announces its changes on it.
   */
  first?: ProcessLink;
  /** Called when a connection to a server broke while idle or in use. Work on it fails separately. */
  onConnectionError?: (error: Error) => void;
  /** Called when the WAL of a SQLite file could not be checkpointed in the background; the next commits try again. */
  onCheckpointError?: (error: Error) => void;
}

/** The open database. */
export interface Store {
  readonly kind: DatabaseKind;
  readonly db: Db;
  /**
   * Connection for long lists and sums, which does not block other work. On SQLite: threads with read-only connections
   * (`db` itself for a database in memory). On a server: a small separate pool, so that reports do not take
   * connections that money needs. Sees committed data; no transactions, no writes.
   */
  readonly reports: Db;
  /** Differences between the databases. */
  readonly dialect: DialectHelpers;
  /** The database with the older rows of the log, if there is one. Only the log's own functions read it. */
  readonly archive?: LogArchive;
  /** Raw work on the one connection, for the ledger's group commits. On SQLite only. */
  readonly sqlite?: SqliteAccess;
  /**
   * Announces changes of this process to the one at the other end of a link. A change waits until it is in force
   * there, or for half a second. Returns a function that ends this. On a database server only.
   */
  readonly announce?: (link: ProcessLink) => () => void;
  /**
   * Calls back when another process may have changed something: at each announced commit, and at each reconnection,
   * because earlier announcements are not repeated. On PostgreSQL, and in workers. The changing process continues when
   * the callbacks have resolved, or after half a second.
   */
  readonly listen?: (onChange: () => unknown) => ChangeListener;
  /** Ends all connections; running statements finish first. */
  close(): Promise<void>;
}

/** Connections for reports on a server. */
const REPORT_CONNECTIONS = 4;

/** Connections for rows of the log that move, on a server. */
const ARCHIVE_CONNECTIONS = 4;

/** Opens the database, and the one of the log, without touching their schema; `migrate` brings a schema up to date. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { logUrl = '', ...own } = options;
  if (logUrl === '') return openOne(own);
  refuseSame(options.url, logUrl, options.dataDir ?? './data');
  const main = await openOne(own);
  const { first: _first, ...others } = own;
  const archive = await openOne({
    ...others,
    url: logUrl,
    maxConnections: Math.min(ARCHIVE_CONNECTIONS, own.maxConnections ?? ARCHIVE_CONNECTIONS),
  });
  for (const db of [main.db, main.reports]) attachArchive(db, archive);
  const close = async (): Promise<void> => {
    await main.close();
    await archive.close();
  };
  return { ...main, archive, close };
}

async function openOne(options: Omit<StoreOptions, 'logUrl'>): Promise<Store> {
  const address = parseDatabaseUrl(options.url, options.dataDir ?? './data');
  const reportTimeoutMs = options.reportTimeoutMs ?? 30_000;
  if (address.kind === 'sqlite') {
    const { busyWaitMs = 2000, onCheckpointError = () => {} } = options;
    return openSqlite(address.path, { busyWaitMs, reportTimeoutMs, onCheckpointError });
  }
  const pool = {
    maxConnections: options.maxConnections ?? 20,
    connectTimeoutMs: options.connectTimeoutMs ?? 2000,
    statementTimeoutMs: options.statementTimeoutMs ?? 10_000,
    idleTransactionMs: options.idleTransactionMs ?? 10_000,
    silenceMs: options.silenceMs,
    onConnectionError: options.onConnectionError ?? (() => {}),
  };
  const reportPool = {
    ...pool,
    maxConnections: Math.min(REPORT_CONNECTIONS, pool.maxConnections),
    statementTimeoutMs: reportTimeoutMs,
  };
  return openServer(address, { pool, reportPool, first: options.first });
}

interface SqliteOptions {
  busyWaitMs: number;
  reportTimeoutMs: number;
  onCheckpointError: (error: Error) => void;
}

async function openSqlite(
  path: string,
  { busyWaitMs, reportTimeoutMs, onCheckpointError }: SqliteOptions,
): Promise<Store> {
  const file = new SqliteFile(path, await whileBusy(busyWaitMs, () => openDatabase(path)), busyWaitMs);
  const db = new Kysely<Database>({ dialect: sqliteDialect(file) });
  const readers = new SqliteReaders(path, reportTimeoutMs);
  const inMemory = path === ':memory:';
  const checkpoints = new SqliteCheckpoints(file, onCheckpointError);
  if (!inMemory) file.onCommit = () => checkpoints.committed();
  const reports = inMemory ? db : new Kysely<Database>({ dialect: sqliteReaderDialect(readers) });
  const close = async (): Promise<void> => {
    // The readers first: the last connection to close empties the WAL, and only the writer's may.
    await checkpoints.close();
    await readers.close();
    await db.destroy();
    await file.close();
  };
  return { kind: 'sqlite', db, reports, dialect: dialectOf(db), sqlite: file, close };
}

interface ServerOptions {
  pool: PoolOptions;
  reportPool: PoolOptions;
  first: ProcessLink | undefined;
}

async function openServer(
  address: Extract<DatabaseAddress, { url: string }>,
  { pool, reportPool, first }: ServerOptions,
): Promise<Store> {
  const open = address.kind === 'postgres' ? postgresDialect : mysqlDialect;
  const db = new Kysely<Database>({ dialect: await open(address.url, pool) });
  const reports = new Kysely<Database>({ dialect: await open(address.url, reportPool) });
  const close = async (): Promise<void> => {
    await Promise.all([endConnections(db), endConnections(reports)]);
  };
  const notifier = new ChangeNotifier();
  attachNotifier(db, notifier);
  const listen = listenersOf(address, pool, first);
  return {
    kind: address.kind,
    db,
    reports,
    dialect: dialectOf(db),
    announce: (link) => offerChanges(link, notifier),
    ...(listen && { listen }),
    close,
  };
}

/** Source of announcements: PostgreSQL for changes of all processes, the first process for its own. */
function listenersOf(
  { kind, url }: Extract<DatabaseAddress, { url: string }>,
  pool: PoolOptions,
  first: ProcessLink | undefined,
): Store['listen'] {
  const listens: NonNullable<Store['listen']>[] = [];
  if (kind === 'postgres') listens.push((onChange) => listenForChanges(url, { ...pool, onChange }));
  if (first) listens.push(followThrough(first));
  if (listens.length === 0) return undefined;
  return (onChange) => {
    const listeners = listens.map((listen) => listen(onChange));
    return { close: async () => void (await Promise.all(listeners.map((listener) => listener.close()))) };
  };
}
