/** @module-tag deep */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { archivedUpTo, leases, archiveMarks, logs, openStore } from '../store/index.ts';
import { bundled, bundledEnv } from '../testing/bundled.ts';
import { Opened } from '../testing/log-archive/open-pair.ts';
import type { LogPair } from '../testing/log-archive/pair.ts';

// A site with two database files. Some of its log rows have moved to the archive.

const root = mkdtempSync(join(tmpdir(), 'tollgate-log-backup-'));
const place = (name: string) => join(root, name);
const opened = new Opened();
let pair: LogPair;

const run = (name: 'backup' | 'restore', args: string[], env: Record<string, string>) => {
  const given = { ...bundledEnv(), BACKUP_DIR: place('backups'), SECRET_KEY: 'x'.repeat(32) };
  const { status, stdout, stderr } = spawnSync(process.execPath, [bundled(name), ...args], {
    env: { ...given, ...env },
    encoding: 'utf8',
    timeout: 90_000,
  });
  return { status, stdout, stderr };
};
const folderIn = (out: string): string => /^(.+): whole/m.exec(out)?.[1] ?? out;
const env = { DATABASE_URL: `sqlite:${place('main.db')}`, LOG_SQL_DSN: `sqlite:${place('log.db')}` };

beforeAll(async () => {
  pair = await opened.pair(env.DATABASE_URL, env.LOG_SQL_DSN);
  for (let quota = 1; quota <= 4; quota += 1) await pair.charge({ quota });
  await pair.settle();
  await pair.charge({ quota: 5 });
}, 60_000);
afterAll(async () => {
  await opened.close();
  rmSync(root, { recursive: true, force: true });
});

it('has both databases as they were at one moment, while the site runs, and restores both', async () => {
  const made = run('backup', [], env);
  expect(made).toMatchObject({ status: 0, stderr: '' });
  const folder = folderIn(made.stdout);
  expect(readdirSync(folder).toSorted()).toEqual(['backup.json', 'log.db', 'tollgate.db']);
  // The backup leaves no lease, neither here nor in the copy.
  const { db } = pair.moved;
  const now = Date.now();
  expect(await leases.take(db, 'log-archive-lease', now, now + 1)).toBe(true);
  // More rows move after the backup. The restored copy does not contain them.
  await pair.charge({ quota: 6 });
  await pair.settle();

  const elsewhere = {
    DATABASE_URL: `sqlite:${place('there/main.db')}`,
    LOG_SQL_DSN: `sqlite:${place('there/log.db')}`,
  };
  const refused = run('restore', [folder], { DATABASE_URL: elsewhere.DATABASE_URL });
  expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('set LOG_SQL_DSN') as string });
  expect(existsSync(place('there/main.db'))).toBe(false);
  expect(run('restore', [folder], elsewhere)).toMatchObject({ status: 0, stderr: '' });
  const there = await opened.store({ url: elsewhere.DATABASE_URL, logUrl: elsewhere.LOG_SQL_DSN });
  const { rows } = await logs.list(there.db, {}, { offset: 0, limit: 10 });
  expect(rows.map(({ quota }) => quota)).toEqual([5, 4, 3, 2, 1]);
  expect(await archivedUpTo(there.db)).toBe(4);
  const held = await there.db
    .selectFrom('change_marks')
    .select('name')
    .where('name', '=', 'log-archive-lease')
    .execute();
  expect(held).toEqual([]);
}, 120_000);

it('reports that a log on a database server is not included', () => {
  const made = run('backup', [], { ...env, LOG_SQL_DSN: 'postgres://nobody@127.0.0.1/x' });
  expect(made).toMatchObject({ status: 0, stderr: '' });
  expect(made.stdout).toContain('NOT in this backup: the older rows of the log');
  const there = { DATABASE_URL: `sqlite:${place('server/main.db')}` };
  const restored = run('restore', [folderIn(made.stdout)], there);
  expect(restored).toMatchObject({ status: 0, stderr: '' });
  expect(restored.stdout).toContain('NOT in this backup: the older rows of the log');
}, 120_000);

it.each([
  ['a log of another site', 'is not the database that rows of the log'],
  ['a changed byte', 'is not what was written'],
])(
  'with %s is refused before anything changes',
  async (what, words) => {
    const folder = folderIn(run('backup', [], env).stdout);
    if (what === 'a changed byte') writeFileSync(join(folder, 'log.db'), 'x', { flag: 'a' });
    else {
      const manifest = join(folder, 'backup.json');
      const store = await openStore({ url: `sqlite:${join(folder, 'log.db')}` });
      await archiveMarks.setPair(store.db, 7);
      await store.close();
      const sum = createHash('sha256')
        .update(readFileSync(join(folder, 'log.db')))
        .digest('hex');
      const text = readFileSync(manifest, 'utf8');
      const before = (JSON.parse(text) as { log: { sha256: string } }).log.sha256;
      writeFileSync(manifest, text.replace(before, sum));
    }
    const elsewhere = {
      DATABASE_URL: `sqlite:${place('bad/main.db')}`,
      LOG_SQL_DSN: `sqlite:${place('bad/log.db')}`,
    };
    expect(run('restore', [folder], elsewhere)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(words) as string,
    });
    expect(existsSync(place('bad/main.db'))).toBe(false);
  },
  120_000,
);
