import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { checkpointSettings, SqliteCheckpoints } from './sqlite-checkpoints.ts';
import { openDatabase, SqliteFile } from './sqlite-file.ts';

let directory: string;
let file: SqliteFile;
const errors: Error[] = [];

beforeEach(async () => {
  errors.length = 0;
  directory = await mkdtemp(join(tmpdir(), 'tollgate-checkpoint-'));
  const path = join(directory, 'test.db');
  file = new SqliteFile(path, openDatabase(path), 100);
  await file.exclusive((db) => db.exec('create table t (n integer, fill text)'));
  return async () => {
    await file.close();
    await rm(directory, { recursive: true });
  };
});

const checkpointsOf = (settings = {}) =>
  new SqliteCheckpoints(file, (error) => void errors.push(error), { ...checkpointSettings, ...settings });

const add = (n: number) =>
  file.transaction((db) => db.prepare('insert into t values (?, ?)').run(n, 'x'.repeat(20_000)));

/** Number of rows in the database's own file, without its WAL. */
function rowsInFile(): unknown {
  const db = new DatabaseSync(`file:${file.path}?immutable=1`, { readOnly: true });
  try {
    return db.prepare('select count(*) as n from t').get()?.['n'];
  } finally {
    db.close();
  }
}

describe('checkpoints in the background', () => {
  it('move what was committed into the file', async () => {
    const checkpoints = checkpointsOf({ everyCommits: 5 });
    file.onCommit = () => checkpoints.committed();
    for (let n = 0; n < 5; n += 1) await add(n);
    await expect.poll(rowsInFile, { timeout: 5_000 }).toBe(5);
    await checkpoints.close();
    expect(errors).toEqual([]);
  });

  it('keep the WAL from growing under permanent writes', async () => {
    const checkpoints = checkpointsOf({ fullPages: 50 });
    let isOver = false;
    const writing = (async () => {
      for (let n = 0; !isOver; n += 1) {
        await add(n % 10);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    let written = 0;
    while (written < 30_000_000) {
      await checkpoints.run();
      const count = await file.exclusive((db) => db.prepare('select count(*) as n from t').get()?.['n']);
      written = Number(count) * 20_000;
    }
    isOver = true;
    await writing;
    const { size } = await stat(`${file.path}-wal`);
    expect(size).toBeLessThan(written / 2);
    await checkpoints.close();
  });

  it('go on in a new thread when one has died, and log it', async () => {
    const checkpoints = new SqliteCheckpoints(
      { path: join(directory, 'nowhere', 'at-all.db'), still: (work) => work() },
      (error) => void errors.push(error),
      { ...checkpointSettings, everyCommits: 1 },
    );
    checkpoints.committed();
    await vi.waitFor(() => expect(errors).toHaveLength(1), { timeout: 20_000 });
    await vi.waitFor(
      () => {
        checkpoints.committed();
        expect(errors.length).toBeGreaterThan(1);
      },
      { timeout: 20_000 },
    );
    await checkpoints.close();
    await add(1);
  });

  it('do not block the writer while a reader keeps the WAL from being moved', async () => {
    const checkpoints = checkpointsOf({ fullPages: 1, stillMs: 10 });
    await add(1);
    const reader = new DatabaseSync(file.path, { readOnly: true });
    reader.exec('begin; select count(*) from t');
    await add(2);
    await checkpoints.run();
    await add(3);
    expect(reader.prepare('select count(*) as n from t').get()).toEqual({ n: 1 });
    reader.close();
    await checkpoints.close();
  });
});
