import { product } from '@tollgate/contract';
import { sql } from 'kysely';
import type { Expression } from 'kysely';
import { assignments, errorField, isSocketError, timeBucket } from './shared.ts';
import type { Db, DialectHelpers, MigrationWords, SchemaWords } from './types.ts';

/** Lock wait timeout, deadlock, and InnoDB's "record has changed since last read" (MariaDB snapshot isolation). */
const conflicts = new Set([1205, 1213, 1020]);
/** Server shutdown, too many connections, connection killed, connection idle for too long. */
const lost = new Set([1053, 1040, 1927, 4031]);
/** mysql2 has no code for a statement, such as the ROLLBACK after a failure, on a closed connection. */
const lostMessage = /connection is in closed state/;
/** Table, column, index and trigger exist. */
const alreadyMade = new Set([1050, 1060, 1061, 1359]);
/** The column to rename or drop, or the index to drop, does not exist. For other statements 1054 is a mistake. */
const alreadyGone = new Set([1054, 1091]);
const DUPLICATE_ENTRY = 1062;
/** Duplicate, null, foreign key, CHECK (MySQL, MariaDB), out of range, too long, not a value of the type or character set. */
const dataFaults = new Set([DUPLICATE_ENTRY, 1048, 1451, 1452, 3819, 4025, 1264, 1406, 1366, 1690]);
const NO_SUCH_TABLE = 1146;

function errno(error: unknown): number {
  const value = errorField(error, 'errno');
  return typeof value === 'number' ? value : 0;
}

const isConflict = (error: unknown): boolean => conflicts.has(errno(error));
const isUniqueViolation = (error: unknown): boolean => errno(error) === DUPLICATE_ENTRY;
const isConnectionLost = (error: unknown): boolean =>
  errorField(error, 'code') === 'PROTOCOL_CONNECTION_LOST' ||
  lost.has(errno(error)) ||
  isSocketError(error) ||
  (error instanceof Error && lostMessage.test(error.message));

// The server's default may be latin1; _bin compares as the other databases do.
const tableEnd = sql`engine=InnoDB default charset=utf8mb4 collate=utf8mb4_bin`;

const schema: SchemaWords = {
  integer: 'bigint',
  real: 'double precision',
  text: (length) => sql`varchar(${sql.lit(length)})`,
  // TEXT ends at 64 KB, which a channel's JSON settings may exceed.
  longText: sql`mediumtext`,
  id: sql`bigint auto_increment primary key`,
  tableEnd,
  keyedTableEnd: tableEnd,
  thenById: (...columns) => columns,
  onlyWhere: () => sql``,
  dropIndex: (table, index) => sql`drop index ${sql.ref(index)} on ${sql.table(table)}`,
  appendOnly: (table) =>
    ['update', 'delete'].map(
      (verb) =>
        sql`create trigger ${sql.ref(`${table}_no_${verb}`)} before ${sql.raw(verb)} on ${sql.table(table)} for each row
            signal sqlstate '45000' set message_text = ${sql.lit(`${table} is append-only`)}`,
    ),
  appendOnlyFor: (table, seconds) =>
    (
      [
        ['update', sql`true`],
        ['delete', sql`old.at > unix_timestamp() - ${sql.lit(seconds)}`],
      ] as const
    ).map(
      ([verb, refused]) =>
        sql`create trigger ${sql.ref(`${table}_no_${verb}`)} before ${sql.raw(verb)} on ${sql.table(table)} for each row
            if ${refused} then
              signal sqlstate '45000' set message_text = ${sql.lit(`${table} is append-only`)};
            end if`,
    ),
};

/**
 * Waiting for another process and building indexes may take longer than the statement timeout for requests.
 * MariaDB and MySQL each read their own kind of comment.
 */
const liftLimit = `set /*M! @statement_limit = @@session.max_statement_time, max_statement_time = 0, */
  /*!50708 @statement_limit = @@session.max_execution_time, max_execution_time = 0, */ @migrating = 1`;
const restoreLimit = `set /*M! max_statement_time = @statement_limit, */
  /*!50708 max_execution_time = @statement_limit, */ @migrating = 0`;

const migration: MigrationWords = {
  transactional: false,
  isAlreadyDone: (error, takesAway) => (takesAway ? alreadyGone : alreadyMade).has(errno(error)),
  isMissingTable: (error) => errno(error) === NO_SUCH_TABLE,
  tableSchema: () => Promise.resolve(undefined),
  exclusively: (db: Db, work) =>
    db.connection().execute(async (connection) => {
      await sql.raw(liftLimit).execute(connection);
      try {
        // Locks belong to the server, not to the database, so the name contains the database. 64 characters at most.
        const name = sql<string>`concat(${sql.lit(`${product.id}:`)}, sha1(database()))`;
        const { rows } = await sql<{ got: number | null }>`select get_lock(${name}, 60) as got`.execute(
          connection,
        );
        if (rows[0]?.got !== 1)
          throw new Error('another process has been migrating this database for a minute');
        try {
          return await work(connection);
        } finally {
          await sql`select release_lock(${name})`.execute(connection);
        }
      } finally {
        await sql.raw(restoreLimit).execute(connection);
      }
    }),
};

export const mysqlHelpers: DialectHelpers = {
  kind: 'mysql',
  schema,
  migration,
  upsert: (_keys, set) => sql`on duplicate key update ${assignments(set)}`,
  // VALUES() is deprecated on MySQL 8, but MariaDB does not support its successor (a row alias).
  incoming: <T>(column: string) => sql<T>`values(${sql.ref(column)})`,
  async insertReturningId(query) {
    const { insertId } = await query.executeTakeFirstOrThrow();
    return Number(insertId);
  },
  async insertIfNew(query) {
    // A failed statement does not abort the transaction here, so trying is safe; INSERT IGNORE would also swallow
    // text that is too long.
    try {
      await query.execute();
      return true;
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  },
  lockRows: (query) => query.forUpdate(),
  // The columns have a case-sensitive _bin collation. This one ignores case, and both MySQL and MariaDB have it.
  like: (column: Expression<string>, pattern) =>
    sql<boolean>`${column} collate utf8mb4_unicode_ci like ${pattern} escape '!'`,
  timeBucket,
  jsonMember: (column, member) =>
    sql`case when json_valid(${column}) then json_unquote(json_extract(${column}, ${sql.lit(`$.${member}`)})) end`,
  isUniqueViolation,
  isDataFault: (error) => dataFaults.has(errno(error)),
  isConflict,
  isConnectionLost,
  isRetryable: (error) => isConflict(error) || isConnectionLost(error),
};
