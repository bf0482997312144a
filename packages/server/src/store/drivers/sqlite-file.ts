import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryResult } from 'kysely';
import { isBusy } from '../dialects/sqlite.ts';
import { assertStorable } from '../dialects/values.ts';
import { Mutex } from './mutex.ts';

/** Prepared statements in the cache; Kysely writes the same few hundred texts again and again. */
const CACHED_STATEMENTS = 256;
/** Timeout of SQLite itself for another process, which blocks this event loop. Longer waits do not block. */
const BLOCKING_WAIT_MS = 20;

type StorableValue = string | number | bigint | null | Uint8Array;

/** Raw access for the ledger, so that its group commits never overlap an open transaction of this process. */
export interface SqliteAccess {
  /** The file's path, or ':memory:'. */
  readonly path: string;
  /**
   * Runs `work` with exclusive use of the connection. `work` is synchronous, and must end each transaction that it
   * starts (one that is left open is rolled back and reported).
   */
  exclusive<T>(work: (db: DatabaseSync) => T): Promise<T>;
  /**
   * `exclusive` inside BEGIN IMMEDIATE … COMMIT; waits up to the busy limit for another process without blocking the
   * event loop. `work` runs once, after the lock is taken; an exception rolls everything back.
   */
  transaction<T>(work: (db: DatabaseSync) => T): Promise<T>;
}

interface Prepared {
  statement: StatementSync;
  /** True if it returns rows. */
  reads: boolean;
}

/** Repeats `attempt` while another process has the file locked, up to `limitMs`, without blocking. */
export async function whileBusy<T>(limitMs: number, attempt: () => T): Promise<T> {
  const giveUpAt = performance.now() + limitMs;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= giveUpAt) throw error;
    }
    await sleep(5);
  }
}

/**
 * Opens the file for reading and writing: WAL, so that readers and the writer do not wait for each other, and
 * synchronous=FULL, so that a commit survives a power cut. Only the owner can access directory and file, because the
 * database has everyone's data.
 */
export function openDatabase(path: string): DatabaseSync {
  if (path !== ':memory:') {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'a', 0o600));
  }
  const db = new DatabaseSync(path, { timeout: BLOCKING_WAIT_MS, enableForeignKeyConstraints: true });
  try {
    db.exec('pragma journal_mode = wal');
    db.exec('pragma synchronous = full');
    // 16 MB of pages: the active ends of the log's indexes stay in memory.
    db.exec('pragma cache_size = -16000');
    db.exec('pragma temp_store = memory');
    // A checkpoint here would block the event loop while it syncs the file: a thread makes them
    // (sqlite-checkpoints.ts), and SQLite itself only if that fails, at 64 MB.
    db.exec('pragma wal_autocheckpoint = 16000');
    // After a burst the WAL file shrinks again.
    db.exec('pragma journal_size_limit = 67108864');
    db.exec('pragma trusted_schema = off');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** One SQLite connection with its lock and its prepared statements. */
export class SqliteFile implements SqliteAccess {
  readonly path: string;
  readonly mutex = new Mutex();
  /** Called after each commit, and after some reads: for checkpoints. */
  onCommit: (() => void) | undefined;
  private readonly db: DatabaseSync;
  private readonly busyWaitMs: number;
  private readonly prepared = new Map<string, Prepared>();

  constructor(path: string, db: DatabaseSync, busyWaitMs: number) {
    this.path = path;
    this.db = db;
    this.busyWaitMs = busyWaitMs;
  }

  /** Runs one statement; the caller holds the mutex. Waits for other processes only outside of a transaction. */
  execute<R>(sql: string, parameters: readonly unknown[]): Promise<QueryResult<R>> | QueryResult<R> {
    assertStorable(parameters);
    if (this.db.isTransaction) return this.run(sql, parameters as StorableValue[]);
    try {
      return this.run(sql, parameters as StorableValue[]);
    } catch (error) {
      if (!isBusy(error)) throw error;
      return whileBusy(this.busyWaitMs, () => this.run<R>(sql, parameters as StorableValue[]));
    }
  }

  private run<R>(sql: string, parameters: StorableValue[]): QueryResult<R> {
    const { statement, reads } = this.prepare(sql);
    if (reads) return { rows: statement.all(...parameters) as R[] };
    const { changes, lastInsertRowid } = statement.run(...parameters);
    if (!this.db.isTransaction) this.onCommit?.();
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  /** Takes the prepared statement, moves it to the end of the map, and drops the oldest above the limit. */
  private prepare(sql: string): Prepared {
    const known = this.prepared.get(sql);
    if (known) {
      this.prepared.delete(sql);
      this.prepared.set(sql, known);
      return known;
    }
    const statement = this.db.prepare(sql);
    const fresh = { statement, reads: statement.columns().length > 0 };
    this.prepared.set(sql, fresh);
    if (this.prepared.size > CACHED_STATEMENTS) {
      for (const oldest of this.prepared.keys()) {
        this.prepared.delete(oldest);
        break;
      }
    }
    return fresh;
  }

  async exclusive<T>(work: (db: DatabaseSync) => T): Promise<T> {
    if (!this.mutex.tryAcquire()) await this.mutex.acquire();
    try {
      const result = work(this.db);
      if (this.db.isTransaction) throw new Error('exclusive work left its transaction open');
      this.onCommit?.();
      return result;
    } finally {
      this.rollback();
      this.mutex.release();
    }
  }

  async transaction<T>(work: (db: DatabaseSync) => T): Promise<T> {
    if (!this.mutex.tryAcquire()) await this.mutex.acquire();
    try {
      await this.begin();
      const result = work(this.db);
      this.db.exec('commit');
      this.onCommit?.();
      return result;
    } finally {
      this.rollback();
      this.mutex.release();
    }
  }

  /** Runs `work` while this process does not use the connection; `work` must not use it either. */
  async still<T>(work: () => Promise<T>): Promise<T> {
    await this.mutex.acquire();
    try {
      return await work();
    } finally {
      this.mutex.release();
    }
  }

  /** Takes the file's write lock at the start, so that no transaction fails in the middle because of it. */
  async begin(): Promise<void> {
    await whileBusy(this.busyWaitMs, () => this.db.exec('begin immediate'));
  }

  /** Rolls the transaction back, unless SQLite has done so: it does when the disk is full or broken. */
  rollback(): void {
    if (this.db.isOpen && this.db.isTransaction) this.db.exec('rollback');
  }

  /** Waits until the connection is free, then closes it; later statements fail. */
  async close(): Promise<void> {
    await this.mutex.acquire();
    this.prepared.clear();
    if (this.db.isOpen) this.db.close();
    this.mutex.release();
  }
}
