import type { Socket } from 'node:net';
import { product } from '@tollgate/contract';
import { CompiledQuery, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { Dialect } from 'kysely';
import { postgresHelpers } from '../dialects/postgres.ts';
import { safeInteger } from '../dialects/values.ts';
import { SilenceLimit } from './silence.ts';
import type { PoolOptions } from './pool-options.ts';
import { type PostgresConnection, PostgresDriver } from './postgres-driver.ts';

/** Type numbers of bigint and numeric (sum() of bigint): node-postgres would return text for both. */
const INT8 = 20;
const NUMERIC = 1700;
/** A time without a zone, which other programs store in UTC; node-postgres would take that of this process. */
const TIMESTAMP = 1114;

class Adapter extends PostgresAdapter {
  readonly helpers = postgresHelpers;
  readonly silence: SilenceLimit;

  constructor(silence: SilenceLimit) {
    super();
    this.silence = silence;
  }
}

/**
 * A commit is confirmed only when it is on disk, whatever the server's default: a reported charge must survive a
 * crash. Stricter settings (`remote_apply`) stay. Returns the server's number of the connection.
 */
const waitForDisk = `select pg_backend_pid() as number,
  case current_setting('synchronous_commit') when 'off' then set_config('synchronous_commit', 'on', false) end`;

/** A backend that is not waiting for its client: its statement runs, or its commit waits for a standby. */
const busyBackend = `select 1 from pg_stat_activity
  where pid = $1 and state = 'active' and wait_event_type is distinct from 'Client'`;

/** Members of a node-postgres connection without types. */
const inner = (client: object) => client as { processID: number; connection: { stream: Socket } };

/**
 * PostgreSQL over node-postgres, which is loaded only here so that a start on SQLite does not pay for it.
 * Both the pool and every client get an `error` listener: a socket that dies under a checked-out client is an event
 * that would otherwise end the process; the query on it fails by itself.
 */
export async function postgresDialect(url: string, options: PoolOptions): Promise<Dialect> {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    connectionString: url,
    application_name: product.id,
    max: options.maxConnections,
    idleTimeoutMillis: 30_000,
    maxLifetimeSeconds: 1800,
    // With a full pool or an unavailable server the caller fails soon and answers 503 instead of hanging.
    connectionTimeoutMillis: options.connectTimeoutMs,
    statement_timeout: options.statementTimeoutMs,
    idle_in_transaction_session_timeout: options.idleTransactionMs,
    keepAlive: true,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') => {
        if (oid === TIMESTAMP) return (text: string) => new Date(`${text.replace(' ', 'T')}Z`);
        return oid === INT8 || oid === NUMERIC ? safeInteger : pg.types.getTypeParser(oid, format);
      },
    },
  });
  pool.on('error', options.onConnectionError);
  /** True if the server still works for a connection. */
  const isWorking = async (processId: number): Promise<boolean> => {
    const limit = {
      connectionTimeoutMillis: options.connectTimeoutMs,
      query_timeout: options.connectTimeoutMs,
    };
    const client = new pg.Client({ connectionString: url, application_name: product.id, ...limit });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query(busyBackend, [processId]);
      return rows.length > 0;
    } finally {
      client.end().catch(() => undefined);
    }
  };
  const silence = new SilenceLimit(options, isWorking);
  pool.on('connect', (client) => {
    client.on('error', options.onConnectionError);
    silence.watch(inner(client).connection.stream, inner(client).processID);
  });
  pool.on('acquire', (client) => silence.begin(inner(client).connection.stream));
  pool.on('release', (_error, client) => silence.end(inner(client).connection.stream));
  const prepare = async (connection: PostgresConnection): Promise<void> => {
    const { rows } = await connection.executeQuery<{ number: number }>(CompiledQuery.raw(waitForDisk));
    silence.confirm(rows[0]?.number);
  };
  return {
    createAdapter: () => new Adapter(silence),
    createDriver: () => new PostgresDriver(pool, prepare),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}
