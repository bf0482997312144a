import {
  AbortedTransactionError,
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import type { Connection, FieldDef, Pool, PoolClient, Submittable } from 'pg';
import { assertStorable } from '../dialects/values.ts';

/** Reads a value of a column from its text. */
type Read = (text: string) => unknown;

interface Answer {
  command: string;
  rowCount: number | null;
  rows: unknown[];
}

/** Members of node-postgres without types: messages of the protocol, each with one argument. */
interface Wire {
  stream: { cork(): void; uncork(): void };
  parse(message: { text: string }): void;
  bind(message: { values: readonly (string | Buffer | null)[] }): void;
  describe(message: { type: 'P'; name: string }): void;
  execute(message: object): void;
  sync(): void;
}

/** A value that `assertStorable` accepts. */
type Storable = string | number | bigint | boolean | Uint8Array | null;

const asSent = (value: Storable): string | Buffer | null => {
  if (value === null) return null;
  return value instanceof Uint8Array ? Buffer.from(value) : String(value);
};

/**
 * Statements that are sent together with one synchronisation: one round trip. Each sees everything committed before it
 * began. The first error ends them. node-postgres treats them as one query, so its handling of broken connections
 * applies. Its own pipeline mode cannot be used: `end()` waits there for answers that a broken connection never sends.
 */
class StatementGroup implements Submittable {
  readonly answers: Promise<readonly Answer[]>;
  private readonly queries: readonly CompiledQuery[];
  private readonly values: readonly (string | Buffer | null)[][];
  private readonly readerOf: (type: number) => Read;
  private readonly resolve: (answers: readonly Answer[]) => void;
  private readonly reject: (error: unknown) => void;
  private readonly complete: Answer[] = [];
  private rows: unknown[] = [];
  private columns: readonly { name: string; read: Read }[] = [];
  private unreadable: unknown;

  constructor(queries: readonly CompiledQuery[], readerOf: (type: number) => Read) {
    this.queries = queries;
    this.values = queries.map(({ parameters }) => (parameters as readonly Storable[]).map(asSent));
    this.readerOf = readerOf;
    const { promise, resolve, reject } = Promise.withResolvers<readonly Answer[]>();
    this.answers = promise;
    this.resolve = resolve;
    this.reject = reject;
  }

  submit(connection: Connection): void {
    const wire = connection as unknown as Wire;
    wire.stream.cork();
    for (const [index, { sql }] of this.queries.entries()) {
      wire.parse({ text: sql });
      wire.bind({ values: this.values[index]! });
      wire.describe({ type: 'P', name: '' });
      wire.execute({});
    }
    wire.sync();
    wire.stream.uncork();
  }

  handleRowDescription({ fields }: { fields: readonly FieldDef[] }): void {
    this.columns = fields.map(({ name, dataTypeID }) => ({ name, read: this.readerOf(dataTypeID) }));
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const row: Record<string, unknown> = {};
    try {
      for (const [index, { name, read }] of this.columns.entries()) {
        const text = fields[index] ?? null;
        row[name] = text === null ? null : read(text);
      }
    } catch (error) {
      this.unreadable ??= error;
    }
    this.rows.push(row);
  }

  /** `SELECT 3`, `INSERT 0 3`, `BEGIN`. */
  handleCommandComplete({ text }: { text: string }): void {
    const words = text.split(' ');
    const count = words.length > 1 ? Number(words.at(-1)) : null;
    this.complete.push({ command: words[0]!, rowCount: count, rows: this.rows });
    this.rows = [];
    this.columns = [];
  }

  handleError(error: Error): void {
    // The stack of a socket's event does not show the caller.
    Error.captureStackTrace(error);
    this.reject(error);
  }

  handleReadyForQuery(): void {
    if (this.unreadable === undefined) this.resolve(this.complete);
    else this.reject(this.unreadable);
  }
}

const counted = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

const resultOf = <R>({ command, rowCount, rows }: Answer): QueryResult<R> => ({
  ...(counted.has(command) && { numAffectedRows: BigInt(rowCount ?? 0) }),
  rows: (rows ?? []) as R[],
});

/** A connection of the pool. `begin` is sent with the first statement of its transaction. */
export class PostgresConnection implements DatabaseConnection {
  private readonly client: PoolClient;
  /** The unsent start of the transaction. */
  private begin: CompiledQuery | undefined;
  private isDoubtful = false;

  constructor(client: PoolClient) {
    this.client = client;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.begin) return (await this.executeTogether<R>([query]))[0]!;
    assertStorable(query.parameters);
    // node-postgres does not change the list.
    const answer = await this.client.query<never>(query.sql, query.parameters as unknown[]);
    return resultOf(answer);
  }

  /** Executes statements in their order, in one round trip. Rejects with the error of the first that fails; the rest is not executed. */
  async executeTogether<R>(queries: readonly CompiledQuery[]): Promise<QueryResult<R>[]> {
    for (const { parameters } of queries) assertStorable(parameters);
    const { begin } = this;
    this.begin = undefined;
    const all = begin ? [begin, ...queries] : queries;
    const group = new StatementGroup(all, (type) => this.client.getTypeParser(type, 'text') as Read);
    this.client.query(group);
    const answers = await group.answers;
    return answers.slice(all.length - queries.length).map((answer) => resultOf<R>(answer));
  }

  // No statement is streamed: a list is a page.
  streamQuery(): never {
    throw new Error('streaming is not supported on PostgreSQL');
  }

  beginLater({ isolationLevel, accessMode }: TransactionSettings): void {
    const isolation = isolationLevel ? ` isolation level ${isolationLevel}` : '';
    this.begin = CompiledQuery.raw(`begin${isolation}${accessMode ? ` ${accessMode}` : ''}`);
  }

  async commit(): Promise<void> {
    if (this.hasNotBegun()) return;
    const { command } = await this.client.query('commit');
    // A transaction in which a statement has failed is rolled back by COMMIT.
    if (command === 'ROLLBACK') throw new AbortedTransactionError();
  }

  async rollback(): Promise<void> {
    if (this.hasNotBegun()) return;
    this.isDoubtful = true;
    await this.client.query('rollback');
    this.isDoubtful = false;
  }

  /** Returns the connection; one with a possibly open transaction leaves the pool. */
  release(): void {
    this.client.release(this.isDoubtful);
  }

  private hasNotBegun(): boolean {
    const { begin } = this;
    this.begin = undefined;
    return begin !== undefined;
  }
}

/** Kysely over a pool of node-postgres. */
export class PostgresDriver implements Driver {
  private readonly pool: Pool;
  private readonly prepare: (connection: PostgresConnection) => Promise<void>;
  private readonly connections = new WeakMap<PoolClient, PostgresConnection>();

  /** `prepare` is awaited for each new connection before its first use. */
  constructor(pool: Pool, prepare: (connection: PostgresConnection) => Promise<void>) {
    this.pool = pool;
    this.prepare = prepare;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PostgresConnection> {
    const client = await this.pool.connect();
    const known = this.connections.get(client);
    if (known) return known;
    const connection = new PostgresConnection(client);
    try {
      await this.prepare(connection);
    } catch (error) {
      // It would keep its place in the pool for ever, and the pool could not end.
      client.release(true);
      throw error;
    }
    this.connections.set(client, connection);
    return connection;
  }

  async beginTransaction(connection: PostgresConnection, settings: TransactionSettings): Promise<void> {
    connection.beginLater(settings);
  }

  async commitTransaction(connection: PostgresConnection): Promise<void> {
    await connection.commit();
  }

  async rollbackTransaction(connection: PostgresConnection): Promise<void> {
    await connection.rollback();
  }

  async releaseConnection(connection: PostgresConnection): Promise<void> {
    connection.release();
  }

  async destroy(): Promise<void> {
    await this.pool.end();
  }
}
