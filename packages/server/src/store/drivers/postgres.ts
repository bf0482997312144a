import { CompiledQuery, PostgresAdapter, PostgresDialect } from 'kysely';
import type { Dialect } from 'kysely';
import { postgresHelpers } from '../dialects/postgres.ts';
import { safeInteger } from '../dialects/values.ts';
import { checkValues } from './check-values.ts';
import type { PoolOptions } from './pool-options.ts';

/** Type numbers of bigint and numeric (what sum() of bigint is): node-postgres would answer text for both. */
const INT8 = 20;
const NUMERIC = 1700;

class Adapter extends PostgresAdapter {
  readonly helpers = postgresHelpers;
}

/**
 * A commit is answered once it is on disk, also where the server is set up otherwise: what a caller was told is charged
 * must survive a crash. Stricter settings (`remote_apply`) stay.
 */
const waitForDisk = `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`;

/**
 * PostgreSQL over node-postgres, which is loaded only here so that a start on SQLite does not pay for it.
 * Both the pool and every client get an `error` listener: a socket that dies under a checked-out client is an event
 * that would otherwise end the process; the query on it fails by itself.
 */
export async function postgresDialect(url: string, options: PoolOptions): Promise<Dialect> {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'tollgate',
    max: options.maxConnections,
    idleTimeoutMillis: 30_000,
    maxLifetimeSeconds: 1800,
    // A full pool or a dead server is told to the caller soon, who then answers 503 instead of hanging.
    connectionTimeoutMillis: options.connectTimeoutMs,
    statement_timeout: options.statementTimeoutMs,
    idle_in_transaction_session_timeout: options.idleTransactionMs,
    keepAlive: true,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8 || oid === NUMERIC ? safeInteger : pg.types.getTypeParser(oid, format),
    },
  });
  pool.on('error', options.onConnectionError);
  pool.on('connect', (client) => client.on('error', options.onConnectionError));
  const dialect = new PostgresDialect({
    pool,
    onCreateConnection: async (connection) => {
      await connection.executeQuery(CompiledQuery.raw(waitForDisk));
      checkValues(connection);
    },
  });
  return {
    createAdapter: () => new Adapter(),
    createDriver: () => dialect.createDriver(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}
