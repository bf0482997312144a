import { Worker } from 'node:worker_threads';
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely';
import { sqliteHelpers } from '../dialects/sqlite.ts';
import { assertStorable } from '../dialects/values.ts';

type StorableValue = string | number | bigint | null | Uint8Array;

export interface ReadRequest {
  sql: string;
  parameters: readonly StorableValue[];
}

export type ReadAnswer =
  | { rows: Record<string, unknown>[] }
  | { message: string; errcode: number | undefined };

interface Job extends ReadRequest {
  resolve: (rows: Record<string, unknown>[]) => void;
  reject: (error: Error) => void;
}

interface Reader {
  worker: Worker;
  /** Its current job; undefined while idle. */
  job: Job | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** One sum over millions of rows must not block all other lists; more threads would only share two cores. */
const MAX_READERS = 2;

/**
 * Reads the SQLite file in separate threads, each with a read-only connection beside the writer's (WAL lets them run
 * in parallel). Threads start on first use. A statement that runs longer than `timeoutMs` is ended with its thread,
 * which is harmless because it only reads.
 */
export class SqliteReaders {
  private readonly path: string;
  private readonly timeoutMs: number;
  private readonly readers = new Set<Reader>();
  private readonly queue: Job[] = [];
  private closed = false;

  constructor(path: string, timeoutMs: number) {
    this.path = path;
    this.timeoutMs = timeoutMs;
  }

  read(sql: string, parameters: readonly unknown[]): Promise<Record<string, unknown>[]> {
    assertStorable(parameters);
    if (this.closed) return Promise.reject(new Error('the store is closed'));
    return new Promise((resolve, reject) => {
      this.queue.push({ sql, parameters: parameters as StorableValue[], resolve, reject });
      this.next();
    });
  }

  /** Gives the oldest job to an idle thread, or to a new one. */
  private next(): void {
    const idle = [...this.readers].find((reader) => !reader.job);
    const reader = idle ?? (this.readers.size < MAX_READERS ? this.start() : undefined);
    if (!reader) return;
    const job = this.queue.shift();
    if (!job) return;
    reader.job = job;
    reader.timer = setTimeout(() => {
      this.drop(reader, new Error(`the query took more than ${this.timeoutMs} ms`));
    }, this.timeoutMs);
    reader.worker.postMessage({ sql: job.sql, parameters: job.parameters } satisfies ReadRequest);
  }

  private start(): Reader {
    const worker = new Worker(new URL('./sqlite-reader-worker.ts', import.meta.url), {
      workerData: { path: this.path },
    });
    // An idle reader must not keep the process alive.
    worker.unref();
    const reader: Reader = { worker, job: undefined, timer: undefined };
    worker.on('message', (answer: ReadAnswer) => {
      this.finish(reader, answer);
    });
    worker.on('error', (error: Error) => {
      this.drop(reader, error);
    });
    this.readers.add(reader);
    return reader;
  }

  private finish(reader: Reader, answer: ReadAnswer): void {
    const { job } = reader;
    clearTimeout(reader.timer);
    reader.job = undefined;
    if ('rows' in answer) job?.resolve(answer.rows);
    else job?.reject(Object.assign(new Error(answer.message), { errcode: answer.errcode }));
    this.next();
  }

  /** Ends a thread; its job fails, the others continue in a new one. */
  private drop(reader: Reader, error: Error): void {
    if (!this.readers.delete(reader)) return;
    clearTimeout(reader.timer);
    reader.job?.reject(error);
    void reader.worker.terminate();
    if (this.queue.length > 0) this.next();
  }

  async close(): Promise<void> {
    this.closed = true;
    const error = new Error('the store is closed');
    for (const job of this.queue.splice(0)) job.reject(error);
    for (const reader of this.readers) {
      clearTimeout(reader.timer);
      reader.job?.reject(error);
      await reader.worker.terminate();
    }
    this.readers.clear();
  }
}

class ReaderConnection implements DatabaseConnection {
  private readonly readers: SqliteReaders;

  constructor(readers: SqliteReaders) {
    this.readers = readers;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    return { rows: (await this.readers.read(sql, parameters)) as R[] };
  }

  streamQuery(): never {
    throw new Error('streaming is not supported on SQLite');
  }
}

/** Kysely over the readers. Each statement sees the data committed at its start; there are no transactions. */
class ReaderDriver implements Driver {
  private readonly connection: ReaderConnection;

  constructor(readers: SqliteReaders) {
    this.connection = new ReaderConnection(readers);
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.connection;
  }
  async beginTransaction(): Promise<never> {
    throw new Error('reports are read without transactions');
  }
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}

class Adapter extends SqliteAdapter {
  readonly helpers = sqliteHelpers;

  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

export const sqliteReaderDialect = (readers: SqliteReaders): Dialect => ({
  createAdapter: () => new Adapter(),
  createDriver: () => new ReaderDriver(readers),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
});
