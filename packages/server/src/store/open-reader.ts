import { DatabaseSync } from 'node:sqlite';
import { type CompiledQuery, Kysely } from 'kysely';
import { parseDatabaseUrl } from './database-url.ts';
import { attachArchive, dialectOf } from './db.ts';
import type { Db } from './dialects/types.ts';
import { mysqlDialect } from './drivers/mysql.ts';
import { postgresDialect } from './drivers/postgres.ts';
import { sqliteDialect } from './drivers/sqlite-driver.ts';
import { SqliteFile } from './drivers/sqlite-file.ts';
import type { Database } from './schema/index.ts';

/** A connection that only reads. */
export interface Reader {
  readonly db: Db;
  /**
   * Runs a query with many rows. `shape` creates a row from its values, in the order of the columns: on SQLite that
   * takes half the time of the driver's own objects.
   */
  rows: Rows;
  /** The same on the archive of the log. */
  ofArchive: Rows;
  close(): Promise<void>;
}

type Rows = <Row>(query: Query<Row>, shape: (values: unknown[]) => Row) => Promise<Row[]>;

/** The databases to read. */
export interface ReaderAddress {
  url: string;
  /** The archive of the log; '' or absent for none. */
  logUrl?: string;
  dataDir: string;
}

/** A query that has not run yet. */
interface Query<Row> {
  compile(): CompiledQuery;
  execute(): Promise<Row[]>;
}

/** Timeouts for a lock, a connection and a statement. */
const waitMs = 1_000;
const connectTimeoutMs = 5_000;
const statementTimeoutMs = 60_000;

/**
 * Opens one connection for long reads, in a thread that may block: on SQLite it reads in the calling thread, without
 * passing rows between threads. Reads committed data; has no transactions.
 */
export async function openReader({ url, logUrl = '', dataDir }: ReaderAddress): Promise<Reader> {
  const main = await openOne(url, dataDir);
  if (logUrl === '') return { ...main, ofArchive: main.rows };
  const archive = await openOne(logUrl, dataDir);
  attachArchive(main.db, { db: archive.db, reports: archive.db, dialect: dialectOf(archive.db) });
  const close = async (): Promise<void> => {
    await archive.close();
    await main.close();
  };
  return { ...main, ofArchive: archive.rows, close };
}

async function openOne(url: string, dataDir: string): Promise<Omit<Reader, 'ofArchive'>> {
  const address = parseDatabaseUrl(url, dataDir);
  if (address.kind === 'sqlite') {
    const raw = new DatabaseSync(address.path, { readOnly: true, timeout: waitMs });
    raw.exec('pragma cache_size = -16000');
    const file = new SqliteFile(address.path, raw, waitMs);
    const db = new Kysely<Database>({ dialect: sqliteDialect(file) });
    return {
      db,
      rows: async (query, shape) => readArrays(raw, query.compile()).map(shape),
      close: () => file.close(),
    };
  }
  const open = address.kind === 'postgres' ? postgresDialect : mysqlDialect;
  const pool = {
    maxConnections: 1,
    connectTimeoutMs,
    statementTimeoutMs,
    idleTransactionMs: statementTimeoutMs,
    onConnectionError: () => {},
  };
  const db = new Kysely<Database>({ dialect: await open(address.url, pool) });
  return { db, rows: (query) => query.execute(), close: () => db.destroy() };
}

/** The values of each row in the order of its columns. */
function readArrays(raw: DatabaseSync, { sql, parameters }: CompiledQuery): unknown[][] {
  const statement = raw.prepare(sql);
  statement.setReturnArrays(true);
  return statement.all(...(parameters as string[])) as unknown as unknown[][];
}
