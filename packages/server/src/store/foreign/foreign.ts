import { existsSync } from 'node:fs';
import { Kysely, sql } from 'kysely';
import { type DatabaseAddress, parseDatabaseUrl } from '../database-url.ts';
import type { DatabaseKind } from '../dialects/types.ts';
import { mysqlDialect } from '../drivers/mysql.ts';
import { postgresDialect } from '../drivers/postgres.ts';
import { sqliteDialect } from '../drivers/sqlite-driver.ts';
import { SqliteFile } from '../drivers/sqlite-file.ts';
import { openForeignFile } from './foreign-file.ts';

/** A row of another program, with the values of the driver. */
export type ForeignRow = Readonly<Record<string, unknown>>;

/** Filter of a table's rows. */
interface ForeignSlice {
  /** Rows with a larger `id`. */
  after: number;
  limit: number;
  /** Rows with `created_at` (Unix seconds) at or after this; 0 for all. */
  since?: number;
}

/** The database of another program, read only. Only its tables and columns are known. */
export interface ForeignDatabase {
  readonly kind: DatabaseKind;
  /** The columns of each table. */
  readonly tables: ReadonlyMap<string, ReadonlySet<string>>;
  /** All rows of a small table, with its existing `columns`; empty if the table does not exist. */
  all(table: string, columns: readonly string[]): Promise<ForeignRow[]>;
  /** Some rows of a table with an `id`, in its order. */
  slice(table: string, columns: readonly string[], slice: ForeignSlice): Promise<ForeignRow[]>;
  /** Number of rows of a table; 0 if the table does not exist. */
  count(table: string): Promise<number>;
  /** True if another process uses it: connections to a server, or a file that is open or locked. */
  isInUse(): Promise<boolean>;
}

/** Rows of one page of `all`. */
const page = 2_000;
/** Timeout of the idle transaction while its data is written elsewhere; in ms. */
const patienceMs = 3_600_000;

/**
 * Opens another program's database for reading (see parseDatabaseUrl; a path is an SQLite file), shows one state of
 * it, and closes it after `work`. A file is locked meanwhile. Throws an error for the operator if the file is missing
 * or damaged.
 */
export async function readForeign<T>(
  from: string,
  work: (foreign: ForeignDatabase) => Promise<T>,
): Promise<T> {
  const address = addressOf(from);
  return address.kind === 'sqlite' ? readFile(address.path, work) : readServer(address, work);
}

function addressOf(from: string): DatabaseAddress {
  const isFile = existsSync(from) || /^[^:@()]+\.(db|sqlite3?)(\?.*)?$/i.test(from);
  return parseDatabaseUrl(isFile ? `sqlite:${from.replace(/\?.*$/, '')}` : from, '.');
}

async function readFile<T>(path: string, work: (foreign: ForeignDatabase) => Promise<T>): Promise<T> {
  if (!existsSync(path)) throw new Error(`there is no file ${path}`);
  const opened = openForeignFile(path);
  const file = new SqliteFile(path, opened.raw, 1_000);
  const db = new Kysely<never>({ dialect: sqliteDialect(file) });
  try {
    return await work(await describe('sqlite', db, async () => opened.isInUse));
  } finally {
    await file.close();
    opened.close();
  }
}

async function readServer<T>(
  { kind, url }: Exclude<DatabaseAddress, { kind: 'sqlite' }>,
  work: (foreign: ForeignDatabase) => Promise<T>,
): Promise<T> {
  const open = kind === 'postgres' ? postgresDialect : mysqlDialect;
  const pool = {
    maxConnections: 1,
    connectTimeoutMs: 10_000,
    statementTimeoutMs: 600_000,
    idleTransactionMs: patienceMs,
    onConnectionError: () => {},
  };
  const db = new Kysely<never>({ dialect: await open(url, pool) });
  try {
    const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
    return await snapshot.execute(async (trx) => work(await describe(kind, trx, () => hasOthers(kind, trx))));
  } finally {
    await db.destroy();
  }
}

/** Other connections to the same database that this user may see. */
async function hasOthers(kind: 'postgres' | 'mysql', db: Kysely<never>): Promise<boolean> {
  const { rows } =
    kind === 'postgres'
      ? await sql<{ n: number | string }>`select count(*) as n from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`.execute(
          db,
        )
      : await sql<{ n: number | string }>`select count(*) as n from information_schema.processlist
          where db = database() and id <> connection_id()`.execute(db);
  return Number(rows[0]?.n ?? 0) > 0;
}

async function describe(
  kind: DatabaseKind,
  db: Kysely<never>,
  isInUse: () => Promise<boolean>,
): Promise<ForeignDatabase> {
  const tables = await readTables(kind, db);
  const chosen = (table: string, columns: readonly string[]) =>
    columns.filter((column) => tables.get(table)?.has(column));
  const slice: ForeignDatabase['slice'] = async (table, columns, { after, limit, since = 0 }) => {
    const list = sql.join(chosen(table, columns).map((column) => sql.ref(column)));
    const recent = since > 0 ? sql`and created_at >= ${since}` : sql``;
    const { rows } = await sql<ForeignRow>`select ${list} from ${sql.table(table)}
      where id > ${after} ${recent} order by id limit ${sql.lit(limit)}`.execute(db);
    return rows;
  };
  return {
    kind,
    tables,
    slice,
    isInUse,
    async all(table, columns) {
      if (chosen(table, columns).length === 0) return [];
      if (!tables.get(table)?.has('id')) {
        const list = sql.join(chosen(table, columns).map((column) => sql.ref(column)));
        return (await sql<ForeignRow>`select ${list} from ${sql.table(table)}`.execute(db)).rows;
      }
      const rows: ForeignRow[] = [];
      for (let after = 0; ;) {
        const some = await slice(table, ['id', ...columns.filter((column) => column !== 'id')], {
          after,
          limit: page,
        });
        rows.push(...some);
        if (some.length < page) return rows;
        after = Number(some.at(-1)?.['id']);
      }
    },
    async count(table) {
      if (!tables.has(table)) return 0;
      const { rows } = await sql<{
        n: number | string;
      }>`select count(*) as n from ${sql.table(table)}`.execute(db);
      return Number(rows[0]?.n ?? 0);
    },
  };
}

async function readTables(kind: DatabaseKind, db: Kysely<never>): Promise<Map<string, Set<string>>> {
  const schema = kind === 'postgres' ? sql`current_schema()` : sql`database()`;
  const query =
    kind === 'sqlite'
      ? sql<{
          t: string;
          c: string;
        }>`select m.name as t, p.name as c from sqlite_master m, pragma_table_info(m.name) p
          where m.type = 'table'`
      : sql<{ t: string; c: string }>`select table_name as t, column_name as c from information_schema.columns
          where table_schema = ${schema}`;
  const tables = new Map<string, Set<string>>();
  for (const { t, c } of (await query.execute(db)).rows) tables.set(t, (tables.get(t) ?? new Set()).add(c));
  return tables;
}
