import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import type { ProcessLink } from '../../lib/processes/process-link.ts';
import { assertStorable } from '../dialects/values.ts';
import type { SqliteFile } from '../drivers/sqlite-file.ts';
import { type Outcome, resultOf, type Written, writes } from './writes.ts';

/**
 * Reads the file itself, on a read-only connection, and sends everything else to the process at the other end: every
 * statement that is not a plain query, and every statement of a transaction, which must see its own writes.
 */
class LinkedConnection implements DatabaseConnection {
  private readonly file: SqliteFile;
  private readonly link: ProcessLink;
  /** The transaction of this connection at the other end; undefined outside of one. */
  private transaction: number | undefined;

  constructor(file: SqliteFile, link: ProcessLink) {
    this.file = file;
    this.link = link;
  }

  async executeQuery<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
    if (this.transaction === undefined && query.kind === 'SelectQueryNode')
      return this.file.execute<R>(sql, parameters);
    assertStorable(parameters);
    const written =
      this.transaction === undefined
        ? await this.ask(writes.run, sql, parameters)
        : await this.ask(writes.within, this.transaction, sql, parameters);
    return written as QueryResult<R>;
  }

  async begin(id: number): Promise<void> {
    await this.ask(writes.begin, id);
    this.transaction = id;
  }

  async end(isCommitted: boolean): Promise<void> {
    const id = this.transaction;
    this.transaction = undefined;
    await this.ask(writes.end, id, isCommitted);
  }

  private async ask(name: string, ...given: unknown[]): Promise<Written | undefined> {
    return resultOf((await this.link.ask(name, ...given)) as Outcome);
  }

  streamQuery(): never {
    throw new Error('streaming is not supported on SQLite');
  }
}

/** Kysely over a file that another process writes. */
export class LinkedDriver implements Driver {
  private readonly file: SqliteFile;
  private readonly link: ProcessLink;
  private begun = 0;

  constructor(file: SqliteFile, link: ProcessLink) {
    this.file = file;
    this.link = link;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<LinkedConnection> {
    return new LinkedConnection(this.file, this.link);
  }

  async beginTransaction(connection: LinkedConnection): Promise<void> {
    await connection.begin((this.begun += 1));
  }

  async commitTransaction(connection: LinkedConnection): Promise<void> {
    await connection.end(true);
  }

  async rollbackTransaction(connection: LinkedConnection): Promise<void> {
    await connection.end(false);
  }

  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}
