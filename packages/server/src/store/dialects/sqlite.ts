import { dirname } from 'node:path';
import { sql } from 'kysely';
import type { Expression } from 'kysely';
import { errorField, onConflictNothing, onConflictUpdate, timeBucket } from './shared.ts';
import type { Db, DialectHelpers, MigrationWords, SchemaWords } from './types.ts';

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_CONSTRAINT = 19;
const SQLITE_MISMATCH = 20;
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555;
const SQLITE_CONSTRAINT_UNIQUE = 2067;

function errcode(error: unknown): number {
  const code = errorField(error, 'errcode');
  return typeof code === 'number' ? code : 0;
}

/** Another process has locked the file. The low byte is the primary code; the rest is the reason. */
export const isBusy = (error: unknown): boolean =>
  [SQLITE_BUSY, SQLITE_LOCKED].includes(errcode(error) & 0xff);

const schema: SchemaWords = {
  integer: 'integer',
  real: 'real',
  // STRICT tables have only TEXT; SQLite ignores lengths.
  text: () => 'text',
  longText: 'text',
  // AUTOINCREMENT never gives an id twice, even after the newest row is deleted: log and ledger rows name ids.
  id: sql`integer primary key autoincrement`,
  // STRICT makes SQLite refuse text in a column of numbers, like the other databases.
  tableEnd: sql`strict`,
  keyedTableEnd: sql`strict, without rowid`,
  thenById: (...columns) => columns,
  onlyWhere: (condition) => sql`where ${condition}`,
  dropIndex: (_table, index) => sql`drop index ${sql.ref(index)}`,
  appendOnly: (table) =>
    ['update', 'delete'].map(
      (verb) =>
        sql`create trigger ${sql.ref(`${table}_no_${verb}`)} before ${sql.raw(verb)} on ${sql.table(table)}
            begin select raise(abort, ${sql.lit(`${table} is append-only`)}); end`,
    ),
  appendOnlyFor: (table, seconds) =>
    (
      [
        ['update', sql``],
        ['delete', sql`when old.at > unixepoch() - ${sql.lit(seconds)}`],
      ] as const
    ).map(
      ([verb, when]) =>
        sql`create trigger ${sql.ref(`${table}_no_${verb}`)} before ${sql.raw(verb)} on ${sql.table(table)} ${when}
            begin select raise(abort, ${sql.lit(`${table} is append-only`)}); end`,
    ),
};

const migration: MigrationWords = {
  transactional: true,
  isAlreadyDone: () => false,
  isMissingTable: (error) => error instanceof Error && error.message.startsWith('no such table'),
  tableSchema: () => Promise.resolve(undefined),
  // BEGIN IMMEDIATE takes the file's write lock, which is the lock between processes.
  async exclusively(db: Db, work) {
    const sortInMemory = await sortInFiles(db);
    try {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await db.transaction().execute(work);
        } catch (error) {
          if (!isBusy(error) || attempt === 30) throw error;
        }
      }
    } finally {
      await sortInMemory();
    }
  },
};

/**
 * Lets SQLite sort in files beside the database until the returned function is called. Sorted in memory, an index over
 * a log of ten million rows takes 800 MB, which a small machine does not have.
 */
async function sortInFiles(db: Db): Promise<() => Promise<void>> {
  const { rows } = await sql<{ file: string }>`pragma database_list`.execute(db);
  const file = rows[0]?.file ?? '';
  const use = async (store: string, folder: string) => {
    await sql`pragma temp_store_directory = ${sql.lit(folder)}`.execute(db);
    await sql`pragma temp_store = ${sql.raw(store)}`.execute(db);
  };
  if (file !== '') await use('file', dirname(file));
  return () => use('memory', '');
}

export const sqliteHelpers: DialectHelpers = {
  kind: 'sqlite',
  schema,
  migration,
  upsert: onConflictUpdate,
  incoming: <T>(column: string) => sql<T>`excluded.${sql.ref(column)}`,
  async insertReturningId(query) {
    const { insertId } = await query.executeTakeFirstOrThrow();
    return Number(insertId);
  },
  async insertIfNew(query, keys) {
    const result = await query.modifyEnd(onConflictNothing(keys)).executeTakeFirstOrThrow();
    return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
  },
  lockRows: (query) => query,
  like: (column: Expression<string>, pattern) => sql<boolean>`${column} like ${pattern} escape '!'`,
  timeBucket,
  jsonMember: (column, member) =>
    sql`case when json_valid(${column}) then cast(json_extract(${column}, ${sql.lit(`$.${member}`)}) as text) end`,
  isUniqueViolation: (error) =>
    [SQLITE_CONSTRAINT_UNIQUE, SQLITE_CONSTRAINT_PRIMARYKEY].includes(errcode(error)),
  isDataFault: (error) => [SQLITE_CONSTRAINT, SQLITE_MISMATCH].includes(errcode(error) & 0xff),
  isConflict: isBusy,
  // A file has no connection to lose.
  isConnectionLost: () => false,
  isRetryable: isBusy,
};
