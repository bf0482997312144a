import { CompiledQuery, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely';
import { sqliteHelpers } from '../dialects/sqlite.ts';
import type { SqliteFile } from './sqlite-file.ts';

class SqliteConnection implements DatabaseConnection {
  private readonly file: SqliteFile;

  constructor(file: SqliteFile) {
    this.file = file;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    return this.file.execute<R>(sql, parameters);
  }

  // No statement is streamed: a list is a page, and an open cursor would block the one connection.
  streamQuery(): never {
    throw new Error('streaming is not supported on SQLite');
  }
}

/**
 * Kysely over our one connection. It uses the file's lock, so that the ledger's statements wait in the same queue.
 */
class FileDriver implements Driver {
  private readonly file: SqliteFile;
  private readonly connection: SqliteConnection;

  constructor(file: SqliteFile) {
    this.file = file;
    this.connection = new SqliteConnection(file);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    await this.file.mutex.acquire();
    return this.connection;
  }

  async beginTransaction(): Promise<void> {
    await this.file.begin();
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(): Promise<void> {
    this.file.rollback();
  }

  async releaseConnection(): Promise<void> {
    this.file.mutex.release();
  }

  /** The store closes the file, which the ledger also uses. */
  async destroy(): Promise<void> {}
}

class Adapter extends SqliteAdapter {
  readonly helpers = sqliteHelpers;

  /** Kysely must not add a second lock. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

export const sqliteDialect = (file: SqliteFile): Dialect => ({
  createAdapter: () => new Adapter(),
  createDriver: () => new FileDriver(file),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
});
