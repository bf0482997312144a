/** @module-tag deep */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { hasEmbeddedPostgres, startPostgres } from '../packages/server/src/testing/databases.ts';
import { readPrinted } from './support/first-site.ts';

const folder = mkdtempSync(join(tmpdir(), 'tollgate-early-stop-'));
const file = join(folder, 'tollgate.db');
const main = join(import.meta.dirname, '../packages/server/src/main.ts');
const started: ChildProcess[] = [];

afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Processes that a process has started, its threads included. */
const childrenOf = (pid: number): string => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();

/** Starts the server, stops it at a moment of its start, and returns its exit and its output. */
async function stopWhen(isMoment: (pid: number) => boolean, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [main], {
    cwd: folder,
    env: { PATH: process.env.PATH, DATA_DIR: folder, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  const printed = readPrinted(child.stdout, child.stderr);
  const ended = once(child, 'exit') as Promise<[code: number | null, signal: string | null]>;
  // Polls often: the moment is short.
  while (!isMoment(child.pid!)) await sleep(2);
  const children = childrenOf(child.pid!).split(' ').filter(Boolean);
  child.kill('SIGTERM');
  const [code, signal] = await ended;
  return { code, signal, text: printed.text(), children };
}

/** Faults of the file, and the steps of its schema. */
function look(): { check: unknown; steps: number; holds: number } {
  const db = new DatabaseSync(file, { readOnly: true });
  const one = (sql: string): unknown => Object.values(db.prepare(sql).get() ?? {})[0];
  const found = {
    check: one('pragma integrity_check'),
    steps: Number(one('select count(*) from migrations')),
    holds: Number(one('select count(*) from holds')),
  };
  db.close();
  return found;
}

describe('a stop that is asked for while the server starts', () => {
  it('is done once what was begun is whole', async () => {
    const alone = await stopWhen(() => existsSync(file));
    expect(alone).toMatchObject({ code: 0, signal: null });
    expect(alone.text).not.toContain('is ready');
    const whole = look();
    expect(whole).toMatchObject({ check: 'ok', holds: 0 });
    expect(whole.steps).toBeGreaterThan(20);
  }, 120_000);

  it.skipIf(!hasEmbeddedPostgres())(
    'ends the workers that have begun to start',
    async () => {
      const database = await startPostgres();
      const env = { WORKERS: '2', DATABASE_URL: database.url, SECRET_KEY: 'k'.repeat(32) };
      const stopped = await stopWhen((pid) => childrenOf(pid) !== '', env);
      expect(stopped).toMatchObject({ code: 0, signal: null });
      expect(stopped.text).not.toContain('is ready');
      expect(stopped.children.length).toBeGreaterThan(0);
      expect(stopped.children.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
      await database.stop();
    },
    120_000,
  );
});
