import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'tollgate-launcher-'));

/** A checkout in which all is installed and built, and whose server says how it was started. */
beforeAll(() => {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write('package-lock.json', '{}');
  write('packages/contract/src/index.ts', '');
  write('packages/web/index.html', '');
  const reported = 'process.pid, process.cwd(), process.execArgv, process.argv.slice(2)';
  write('packages/server/src/main.ts', `console.log(JSON.stringify([${reported}])); process.exit(7);`);
  for (const late of ['node_modules/.package-lock.json', 'packages/web/dist/index.html']) write(late, '');
  mkdirSync(join(folder, 'node_modules/.bin'));
  symlinkSync(process.execPath, join(folder, 'node_modules/.bin/node'));
  mkdirSync(join(folder, 'tools'));
  for (const file of ['run.mjs', 'node-flags.json'])
    copyFileSync(join(root, 'tools', file), join(folder, 'tools', file));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('becomes the server, which has its flags and ends as it ends', () => {
  const started = spawnSync(process.execPath, [join(folder, 'tools/run.mjs'), 'start', 'more'], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, NODE_FLAGS: '--max-semi-space-size=4' },
  });
  const [pid, cwd, flags, rest] = JSON.parse(started.stdout) as [number, string, string[], string[]];
  expect([pid, cwd, rest, started.status]).toEqual([started.pid, folder, ['more'], 7]);
  expect([flags.includes('--expose-gc'), flags.at(-1)]).toEqual([true, '--max-semi-space-size=4']);
  expect(started.stderr).toBe('');
});
