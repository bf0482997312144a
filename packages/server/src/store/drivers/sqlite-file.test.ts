import { spawn } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dialectOf, inTransaction } from '../db.ts';
import type { Db } from '../dialects/types.ts';
import { openStore } from '../open.ts';
import type { Store } from '../open.ts';
import type { SqliteAccess } from './sqlite-file.ts';

let directory: string;
let store: Store;
let sqlite: SqliteAccess;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tollgate-sqlite-file-'));
  store = await openStore({ url: 'sqlite:data/test.db', dataDir: directory, busyWaitMs: 2_000 });
  if (!store.sqlite) throw new Error('this store is on SQLite');
  ({ sqlite } = store);
  await sql`create table t (x integer not null, y text) strict`.execute(store.db);
});

afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true, force: true });
});

const rows = async (): Promise<number[]> =>
  (await sql<{ x: number }>`select x from t order by x`.execute(store.db)).rows.map(({ x }) => x);
const add = (db: Store['db'], x: number): Promise<unknown> =>
  sql`insert into t (x) values (${x})`.execute(db);

describe('the SQLite file', () => {
  it('is readable by its owner alone, including the WAL', async () => {
    for (const name of ['', '-wal', '-shm']) {
      const { mode } = await stat(`${sqlite.path}${name}`);
      expect(mode & 0o077).toBe(0);
    }
    expect((await stat(join(directory, 'data'))).mode & 0o077).toBe(0);
  });

  it('syncs each commit, and keeps a WAL beside the file', async () => {
    const pragmas = await sqlite.exclusive((db) => [
      db.prepare('pragma journal_mode').get(),
      db.prepare('pragma synchronous').get(),
      db.prepare('pragma foreign_keys').get(),
    ]);
    expect(pragmas).toMatchObject([{ journal_mode: 'wal' }, { synchronous: 2 }, { foreign_keys: 1 }]);
  });

  it('runs far more different statements than it keeps prepared', async () => {
    for (let i = 0; i < 600; i += 1) await sql.raw(`insert into t (x) values (${i})`).execute(store.db);
    await sql.raw('insert into t (x) values (0)').execute(store.db);
    expect(await rows()).toHaveLength(601);
  });

  it('goes on with its statements after the schema changed', async () => {
    await add(store.db, 1);
    await sql`alter table t add column z integer`.execute(store.db);
    await add(store.db, 2);
    const { rows: all } = await sql`select * from t order by x`.execute(store.db);
    expect(all).toMatchObject([
      { x: 1, z: null },
      { x: 2, z: null },
    ]);
  });
});

describe('a migration', () => {
  it('sorts in files beside the database, and what comes after it in memory again', async () => {
    const sorting = async (db: Db) => {
      const { rows } = await sql<{ temp_store: number }>`pragma temp_store`.execute(db);
      const { rows: folders } = await sql<{
        temp_store_directory: string;
      }>`pragma temp_store_directory`.execute(db);
      return { store: rows[0]?.temp_store, folder: folders[0]?.temp_store_directory };
    };
    const inFiles = { store: 1, folder: join(directory, 'data') };
    const inMemory = { store: 2, folder: undefined };
    const { exclusively } = dialectOf(store.db).migration;
    expect(await sorting(store.db)).toEqual(inMemory);
    expect(await exclusively(store.db, sorting)).toEqual(inFiles);
    expect(await sorting(store.db)).toEqual(inMemory);
    await expect(exclusively(store.db, () => Promise.reject(new Error('power cut')))).rejects.toThrow(
      'power cut',
    );
    expect(await sorting(store.db)).toEqual(inMemory);
  });
});

describe('a transaction that SQLite has undone by itself', () => {
  it('fails for its own reason, and the next one works', async () => {
    const work = inTransaction(store.db, async (trx) => {
      await add(trx, 1);
      await sql`rollback`.execute(trx);
      throw new Error('disk full');
    });
    await expect(work).rejects.toThrow('disk full');
    await inTransaction(store.db, (trx) => add(trx, 2));
    expect(await rows()).toEqual([2]);
  });
});

describe('exclusive work on the file', () => {
  it('waits for an open transaction, and never sees half of it', async () => {
    let seen: unknown;
    await inTransaction(store.db, async (trx) => {
      await add(trx, 1);
      const waiting = sqlite.exclusive((db) => {
        seen = db.prepare('select count(*) as n from t').get();
      });
      await new Promise((resolve) => setImmediate(resolve));
      expect(seen).toBeUndefined();
      await add(trx, 2);
      void waiting;
    });
    await sqlite.exclusive(() => undefined);
    expect(seen).toMatchObject({ n: 2 });
  });

  it('may not leave its transaction open', async () => {
    const work = sqlite.exclusive((db) => {
      db.exec('begin');
      db.exec('insert into t (x) values (1)');
    });
    await expect(work).rejects.toThrow('left its transaction open');
    expect(await rows()).toEqual([]);
  });

  it('is rolled back as a whole when it throws inside its transaction', async () => {
    const work = sqlite.transaction((db) => {
      db.exec('insert into t (x) values (1)');
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(await sqlite.transaction((db) => db.prepare('insert into t (x) values (2)').run().changes)).toBe(
      1,
    );
    expect(await rows()).toEqual([2]);
  });

  it('fails for a use of the outer database inside a transaction, instead of waiting for ever', async () => {
    const { Mutex } = await import('./mutex.ts');
    const mutex = new Mutex(20);
    await mutex.acquire();
    await expect(mutex.acquire()).rejects.toThrow('inside a transaction');
    mutex.release();
    await mutex.acquire();
  });
});

describe('another process that writes the file', () => {
  /** Holds the write lock for `ms`, and reports when it has the lock. */
  async function lockElsewhere(ms: number): Promise<{ ended: Promise<unknown> }> {
    const program = `
      const { DatabaseSync } = require('node:sqlite');
      const db = new DatabaseSync(process.argv[1]);
      db.exec('begin immediate; insert into t (x) values (100)');
      console.log('locked');
      setTimeout(() => db.exec('commit'), ${ms});`;
    const child = spawn(process.execPath, ['-e', program, sqlite.path]);
    const ended = new Promise((resolve) => child.once('close', resolve));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    return { ended };
  }

  it('is waited for, without blocking the rest of this one', async () => {
    const { ended } = await lockElsewhere(300);
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 5);
    await Promise.all([add(store.db, 1), inTransaction(store.db, (trx) => add(trx, 2))]);
    await sqlite.transaction((db) => db.exec('insert into t (x) values (3)'));
    clearInterval(timer);
    await ended;
    expect(await rows()).toEqual([1, 2, 3, 100]);
    expect(turns).toBeGreaterThan(2);
  });

  it('is waited for up to the limit, and the error says that another try may help', async () => {
    const { ended } = await lockElsewhere(5_000);
    const error: unknown = await add(store.db, 1).catch((reason: unknown) => reason);
    expect(dialectOf(store.db).isRetryable(error)).toBe(true);
    expect(await rows()).toEqual([]);
    await ended;
    expect(await rows()).toEqual([100]);
  });
});
