import type { Socket } from 'node:net';
import { CompiledQuery, MysqlAdapter, MysqlDialect, type Dialect, type DatabaseConnection } from 'kysely';
import type { RowDataPacket } from 'mysql2';
import { mysqlHelpers } from '../dialects/mysql.ts';
import { safeInteger, assertStorable } from '../dialects/values.ts';
import { SilenceLimit } from './silence.ts';
import type { PoolOptions } from './pool-options.ts';

class Adapter extends MysqlAdapter {
  readonly helpers = mysqlHelpers;
  readonly silence: SilenceLimit;

  constructor(silence: SilenceLimit) {
    super();
    this.silence = silence;
  }
}

/**
 * First statements of every connection. READ COMMITTED as on PostgreSQL: conditional updates see present rows and take
 * fewer gap locks. Strict mode: too long text is refused, not cut. MariaDB and MySQL name the limit of a statement's
 * time differently; each reads only its own kind of comment. MySQL has no limit for an idle transaction.
 */
const session = ({
  statementTimeoutMs,
  idleTransactionMs,
}: Pick<PoolOptions, 'statementTimeoutMs' | 'idleTransactionMs'>): readonly string[] => [
  'set session transaction isolation level read committed',
  `set session sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ONLY_FULL_GROUP_BY,ERROR_FOR_DIVISION_BY_ZERO',
     /*M! max_statement_time = ${statementTimeoutMs / 1000}, idle_transaction_timeout = ${Math.ceil(idleTransactionMs / 1000)}, */ /*!50708 max_execution_time = ${statementTimeoutMs}, */
     time_zone = '+00:00', innodb_lock_wait_timeout = 10`,
];

/** A thread that is not waiting for its client: its statement runs, or its commit waits for a replica. */
const busyThread = `select 1 from information_schema.processlist where id = ? and command <> 'Sleep'`;

/** The number that the server uses for a connection; a proxy would answer `select connection_id()` itself. */
const ownThread = 'select id as number from information_schema.processlist where id = connection_id()';

/** mysql2's types do not name it. */
const streamOf = (connection: object): Socket => (connection as { stream: Socket }).stream;

/**
 * MySQL or MariaDB over mysql2, loaded only here. Affected rows are the rows that an UPDATE found, not those that it
 * changed (mysql2's default flag FOUND_ROWS): a conditional debit that leaves a value unchanged has succeeded.
 */
export async function mysqlDialect(url: string, options: PoolOptions): Promise<Dialect> {
  const { createConnection, createPool } = await import('mysql2');
  const pool = createPool({
    uri: url,
    connectionLimit: options.maxConnections,
    // With more waiting callers, an unavailable server would only fill the memory.
    queueLimit: 10_000,
    connectTimeout: options.connectTimeoutMs,
    charset: 'utf8mb4_bin',
    timezone: 'Z',
    supportBigNumbers: true,
    stringifyObjects: true,
    multipleStatements: false,
    // Sums are DECIMAL here, which mysql2 returns as text by default. A bigint beyond 2^53 arrives as text and is
    // refused.
    typeCast: (field, next) => {
      if (field.type !== 'LONGLONG' && field.type !== 'NEWDECIMAL') return next();
      const text = field.string();
      return text === null ? null : safeInteger(text);
    },
  });
  /** True if the server still works for a connection. */
  const isWorking = async (threadId: number): Promise<boolean> => {
    const asking = createConnection({ uri: url, connectTimeout: options.connectTimeoutMs });
    asking.on('error', () => undefined);
    try {
      const question = { sql: busyThread, timeout: options.connectTimeoutMs };
      const [rows] = await asking.promise().query<RowDataPacket[]>(question, [threadId]);
      return rows.length > 0;
    } finally {
      asking.destroy();
    }
  };
  const silence = new SilenceLimit(options, isWorking);
  pool.on('connection', (connection) => {
    connection.on('error', options.onConnectionError);
    silence.watch(streamOf(connection), connection.threadId);
  });
  pool.on('acquire', (connection) => silence.begin(streamOf(connection)));
  pool.on('release', (connection) => silence.end(streamOf(connection)));
  const dialect = new MysqlDialect({
    pool,
    onCreateConnection: async (connection) => {
      for (const text of session(options)) {
        await connection.executeQuery(CompiledQuery.raw(text));
      }
      const { rows } = await connection.executeQuery<{ number: number }>(CompiledQuery.raw(ownThread));
      silence.confirm(rows[0]?.number);
      checkValues(connection);
    },
  });
  return {
    createAdapter: () => new Adapter(silence),
    createDriver: () => dialect.createDriver(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}

/** Makes a connection of Kysely's own drivers refuse invalid column values, as our SQLite driver does. */
function checkValues(connection: DatabaseConnection): void {
  const execute = connection.executeQuery.bind(connection);
  connection.executeQuery = async (query, options) => {
    assertStorable(query.parameters);
    return execute(query, options);
  };
}
