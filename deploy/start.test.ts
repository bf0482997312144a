import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import {
  type CrashableServer,
  hasEmbeddedPostgres,
  startPostgres,
} from '../packages/server/src/testing/databases.ts';
import { readPrinted, setUp } from './support/first-site.ts';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'tollgate-start-'));
let running: ChildProcess | undefined;
let database: CrashableServer | undefined;

afterAll(async () => {
  running?.kill('SIGKILL');
  await database?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
/** The JavaScript file that a process was started with. */
const fileOf = (pid: number) =>
  readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    .split('\0')
    .find((word) => word.endsWith('.js'));

const canHaveWorkers = process.platform === 'linux' && hasEmbeddedPostgres();

it.skipIf(!canHaveWorkers)('`npm start` runs the bundle, in its workers too', async () => {
  database = await startPostgres();
  running = spawn(process.execPath, [join(root, 'tools/run.mjs'), 'start', '--port=0'], {
    env: {
      PATH: process.env.PATH,
      DATA_DIR: folder,
      HOST: '127.0.0.1',
      WORKERS: '2',
      DATABASE_URL: database.url,
      SECRET_KEY: 'k'.repeat(32),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = readPrinted(running.stdout!, running.stderr!);
  const [, url] = await printed.match(/ready at (http:\/\/\S+)/);
  const key = await setUp(url!, /#token=(\S+)/.exec(printed.text())![1]!);
  const call = () =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox', messages: [{ role: 'user', content: 'hello' }] }),
    });
  expect((await call()).status).toBe(200);

  const workers = childrenOf(running.pid!);
  const files = new Set([running.pid!, ...workers].map(fileOf));
  expect([workers.length, [...files]]).toEqual([
    2,
    [expect.stringMatching(/packages\/server\/dist\/\w+\/main\.js$/)],
  ]);
  process.kill(workers[0]!, 'SIGKILL');
  // Two at the start, and one that replaces the dead worker.
  await printed.match(/(?:a worker listens[^]*){3}/);
  expect([childrenOf(running.pid!).length, (await call()).status]).toEqual([2, 200]);

  running.kill('SIGTERM');
  expect(await once(running, 'exit')).toEqual([0, null]);
});

it('a server that is killed leaves behind what Node compiled for it', async () => {
  const made = spawnSync(process.execPath, [join(root, 'tools/bundle.mjs')], { encoding: 'utf8' });
  const kept = join(folder, 'compiled');
  const server = spawn(process.execPath, [made.stdout.trim(), '--port=0'], {
    env: { DATA_DIR: join(folder, 'killed'), HOST: '127.0.0.1', NODE_COMPILE_CACHE: kept },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await readPrinted(server.stdout, server.stderr).match(/ready at/);
  server.kill('SIGKILL');
  await once(server, 'exit');
  const names = readdirSync(kept, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  // The entry is one file; the parts of the server are dozens.
  expect(names.length).toBeGreaterThan(10);
});
