import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { WalSync } from './sqlite-checkpoints.ts';

async function database() {
  const directory = await mkdtemp(join(tmpdir(), 'tollgate-wal-'));
  const path = join(directory, 'test.db');
  const db = new DatabaseSync(path);
  db.exec('pragma journal_mode = wal; pragma synchronous = normal; create table t (n integer)');
  onTestFinished(async () => {
    db.close();
    await rm(directory, { recursive: true });
  });
  return { db, path };
}

it('syncs as often as it is asked, one call after the other or many at once', async () => {
  const { db, path } = await database();
  const wal = new WalSync(path);
  for (let round = 0; round < 3; round += 1) {
    db.exec(`insert into t values (${round})`);
    await wal.durable();
  }
  const many = Array.from({ length: 20 }, () => wal.durable());
  // Two syncs cover them all: the running one, and one that starts after it.
  expect(new Set(many).size).toBe(2);
  await Promise.all(many);
  await wal.close();
  expect(db.prepare('select count(*) as rows from t').get()).toEqual({ rows: 3 });
});

it('has nothing to do in memory', async () => {
  const wal = new WalSync(':memory:');
  await expect(wal.durable()).resolves.toBeUndefined();
  await wal.close();
});

it('rejects when the file cannot be synced', async () => {
  const wal = new WalSync('/nonexistent/test.db');
  await expect(wal.durable()).rejects.toThrow('ENOENT');
  await expect(wal.durable()).rejects.toThrow('ENOENT');
  await wal.close();
});
