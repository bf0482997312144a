import type {
  ColumnDataType,
  Expression,
  InsertQueryBuilder,
  InsertResult,
  Kysely,
  RawBuilder,
} from 'kysely';
import type { Database } from '../schema/index.ts';

/** A connection to the database, or a transaction in it: table functions take either. */
export type Db = Kysely<Database>;

export type DatabaseKind = 'sqlite' | 'postgres' | 'mysql';

/** Another database, which has the older rows of the log. */
export interface LogArchive {
  readonly db: Db;
  /** For lists and sums that may read many rows. */
  readonly reports: Db;
  readonly dialect: DialectHelpers;
}

/** Column types and statements of the schema, named by their content. */
export interface SchemaWords {
  /** A whole number up to 2^53: quota, times, counts, flags. */
  integer: ColumnDataType | RawBuilder<unknown>;
  /** A number with a fraction. */
  real: ColumnDataType;
  /** Text of at most `length` characters that may be indexed: MySQL can only index text with a limit. */
  text: (length: number) => ColumnDataType | RawBuilder<unknown>;
  /** Text without a practical limit: JSON, lists, log contents. Never indexed. */
  longText: ColumnDataType | RawBuilder<unknown>;
  /** The numbering primary key `id`, type and modifiers together. */
  id: RawBuilder<unknown>;
  /** Text after the closing bracket of CREATE TABLE: strict typing on SQLite, character set on MySQL. */
  tableEnd: RawBuilder<unknown>;
  /**
   * The same for a table with look-ups by its primary key only. SQLite then stores the rows in the key's tree without
   * a tree of row ids, which halves the work of an insert or delete.
   */
  keyedTableEnd: RawBuilder<unknown>;
  /**
   * Columns of an index with entries ordered by `id` last. PostgreSQL must name the id. SQLite and InnoDB have the
   * primary key in every index and would store it twice.
   */
  thenById: (...columns: string[]) => string[];
  /** The condition of an index over the rare rows only; MySQL has no such index and keeps all rows. */
  onlyWhere: (condition: RawBuilder<unknown>) => RawBuilder<unknown>;
  /** Removes an index; only MySQL needs the table. */
  dropIndex: (table: string, index: string) => RawBuilder<unknown>;
  /** Statements after which the database itself refuses to change or delete rows of `table`. */
  appendOnly: (table: string) => readonly RawBuilder<unknown>[];
  /** The same, but rows with a column `at` (Unix seconds) older than `seconds` may be deleted. */
  appendOnlyFor: (table: string, seconds: number) => readonly RawBuilder<unknown>[];
}

/** Atomicity of a sequence of DDL statements. */
export interface MigrationWords {
  /** False on MySQL, where each DDL statement commits by itself: progress is then stored after each step. */
  transactional: boolean;
  /** True for the error of a step that an interrupted start has already executed. `takesAway`: the step renames or drops something. */
  isAlreadyDone: (error: unknown, takesAway: boolean) => boolean;
  /** True when a statement failed because its table does not exist. */
  isMissingTable: (error: unknown) => boolean;
  /** The schema in which tables are created; undefined if the database has no schemas. */
  tableSchema: (db: Db) => Promise<string | undefined>;
  /**
   * Runs `work` while no other process on the same database runs its own, and, where DDL allows it, in one transaction.
   * Waits for the other; fails after about a minute.
   */
  exclusively: <T>(db: Db, work: (db: Db) => Promise<T>) => Promise<T>;
}

type Table = keyof Database;

/** All differences between the three databases, each once, with its reason. */
export interface DialectHelpers {
  readonly kind: DatabaseKind;
  readonly schema: SchemaWords;
  readonly migration: MigrationWords;

  /**
   * The end of an INSERT that changes the existing row instead when `keys` (a primary or unique key) exist already:
   * ON CONFLICT on SQLite and PostgreSQL, ON DUPLICATE KEY UPDATE (any unique key) on MySQL. Use with `modifyEnd`.
   */
  upsert: (
    keys: readonly string[],
    set: Readonly<Record<string, Expression<unknown>>>,
  ) => RawBuilder<unknown>;
  /** Inside `upsert`: the value of the INSERT. */
  incoming: <T = number>(column: string) => RawBuilder<T>;
  /** Inserts one row and returns its new id: MySQL has no RETURNING, PostgreSQL has no last insert id. */
  insertReturningId: <T extends Table>(
    query: InsertQueryBuilder<Database, T, InsertResult>,
  ) => Promise<number>;
  /**
   * Inserts one row unless a row with the same `keys` exists; returns whether it was inserted. MySQL's counting of
   * found rows cannot distinguish an existing row from an inserted one, hence the helper.
   */
  insertIfNew: <T extends Table>(
    query: InsertQueryBuilder<Database, T, InsertResult>,
    keys: readonly string[],
  ) => Promise<boolean>;

  /** Locks the rows a query reads until the transaction ends. Nothing on SQLite: its one writer is the lock. */
  lockRows: <Q extends { forUpdate(): Q }>(query: Q) => Q;
  /**
   * `column LIKE pattern`, ignoring case, with `!` as the escape character (a backslash differs between databases).
   * Use the patterns of `containing`, `startingWith` or `withWildcards`, which escape.
   */
  like: (column: Expression<string>, pattern: string) => RawBuilder<boolean>;
  /**
   * Unix seconds of the start of the hour, day or week (Monday) of `column`, `offsetSeconds` east of UTC. In plain
   * integer arithmetic, so that all agree: division differs (MySQL makes fractions, SQLite sees bound numbers as real).
   */
  timeBucket: (
    column: Expression<number>,
    unit: 'hour' | 'day' | 'week',
    offsetSeconds?: number,
  ) => RawBuilder<number>;

  /**
   * A member of a JSON object in a text column, as text; null if it is absent or the text is not JSON. PostgreSQL
   * cannot test for valid JSON: a text that starts like an object must be one.
   */
  jsonMember: (column: Expression<string>, member: string) => RawBuilder<string | null>;

  /**
   * Announces a change to listening connections with the commit of the transaction; absent if the database does not
   * support it.
   */
  announceChange?: (db: Db) => Promise<void>;

  /** A unique or primary key exists already. */
  isUniqueViolation: (error: unknown) => boolean;
  /** A value breaks a constraint or does not fit its column: trying the same again would fail again. */
  isDataFault: (error: unknown) => boolean;
  /** The statement or transaction was rolled back for a temporary reason: deadlock, serialisation, lock wait, busy file. */
  isConflict: (error: unknown) => boolean;
  /** The connection broke. Work before COMMIT is undone; the result of a COMMIT is unknown. */
  isConnectionLost: (error: unknown) => boolean;
  /** Conflict or lost connection: can be retried if the work is safe to repeat. */
  isRetryable: (error: unknown) => boolean;
}
