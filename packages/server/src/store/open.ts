import { Kysely } from 'kysely';
import { parseDatabaseUrl } from './database-url.ts';
import type { DatabaseAddress } from './database-url.ts';
import { dialectOf } from './db.ts';
import type { DatabaseKind, Db, DialectHelpers } from './dialects/types.ts';
import { mysqlDialect } from './drivers/mysql.ts';
import type { PoolOptions } from './drivers/pool-options.ts';
import { postgresDialect } from './drivers/postgres.ts';
import { sqliteDialect } from './drivers/sqlite-driver.ts';
import { SqliteFile, openDatabase, whileBusy } from './drivers/sqlite-file.ts';
import type { SqliteAccess } from './drivers/sqlite-file.ts';
import type { Database } from './schema/index.ts';

export interface StoreOptions {
  /** See parseDatabaseUrl; '' for the embedded file in `dataDir`. */
  url: string;
  /** Where relative SQLite paths start. Default `./data`. */
  dataDir?: string;
  /** Connections to a server at most (SQL_MAX_OPEN_CONNS). Default 20: a server's own limit is often 100. */
  maxConnections?: number;
  /** How long to wait for a free or new connection. Default 2,000 ms, after which the caller is told to come back. */
  connectTimeoutMs?: number;
  /** How long one statement may run. Default 10,000 ms. */
  statementTimeoutMs?: number;
  /** How long to wait for another process that writes the same SQLite file. Default 2,000 ms. */
  busyWaitMs?: number;
  /** Told when a connection to a server broke while idle or in use; the work on it fails by itself. */
  onConnectionError?: (error: Error) => void;
}

/** The open database. */
export interface Store {
  readonly kind: DatabaseKind;
  readonly db: Db;
  /** What differs between the databases. */
  readonly dialect: DialectHelpers;
  /** Raw work on the one connection, for the ledger's group commits. On SQLite only. */
  readonly sqlite?: SqliteAccess;
  /** Ends all connections; running statements finish first. */
  close(): Promise<void>;
}

/** Opens the database without touching its schema; `migrate` brings that up to date. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const address = parseDatabaseUrl(options.url, options.dataDir ?? './data');
  if (address.kind === 'sqlite') return openSqlite(address.path, options.busyWaitMs ?? 2000);
  return openServer(address, {
    maxConnections: options.maxConnections ?? 20,
    connectTimeoutMs: options.connectTimeoutMs ?? 2000,
    statementTimeoutMs: options.statementTimeoutMs ?? 10_000,
    onConnectionError: options.onConnectionError ?? (() => {}),
  });
}

async function openSqlite(path: string, busyWaitMs: number): Promise<Store> {
  const file = new SqliteFile(path, await whileBusy(busyWaitMs, () => openDatabase(path)), busyWaitMs);
  const db = new Kysely<Database>({ dialect: sqliteDialect(file) });
  const close = async (): Promise<void> => {
    await db.destroy();
    await file.close();
  };
  return { kind: 'sqlite', db, dialect: dialectOf(db), sqlite: file, close };
}

async function openServer(
  address: Extract<DatabaseAddress, { url: string }>,
  pool: PoolOptions,
): Promise<Store> {
  const open = address.kind === 'postgres' ? postgresDialect : mysqlDialect;
  const db = new Kysely<Database>({ dialect: await open(address.url, pool) });
  return { kind: address.kind, db, dialect: dialectOf(db), close: () => db.destroy() };
}
