/** @module-tag deep */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasProgram, readPrinted, setUp } from './support/first-site.ts';

const root = join(import.meta.dirname, '..');
const scratch = mkdtempSync(join(tmpdir(), 'tollgate-archive-'));
/** What becomes the root of a system that has nothing else. */
const bare = join(scratch, 'root');
/** Where the archive is unpacked, from there. */
let home: string;
let running: ChildProcess | undefined;

beforeAll(() => {
  const packaged = spawnSync('npm', ['run', '--silent', 'package', '--', `--out=${scratch}`], {
    cwd: root,
    encoding: 'utf8',
  });
  if (packaged.status !== 0) throw new Error(packaged.stderr);
  mkdirSync(join(bare, 'opt'), { recursive: true });
  const [archive] = globSync(join(scratch, '*.tar.gz'));
  spawnSync('tar', ['-xzf', archive!, '-C', join(bare, 'opt')]);
  home = `/opt/${readdirSync(join(bare, 'opt'))[0]}`;
}, 300_000);

afterAll(() => {
  running?.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
});

describe('the archive', () => {
  it('has neither tests nor links that lead out of it', () => {
    const folder = join(bare, home);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(files.length).toBeGreaterThan(100);
    expect(files.filter((file) => /\.test\.|\/testing\/|\/fixtures\/|\.ts$/.test(file))).toEqual([]);
    const links = files.map((file) => join(folder, file)).filter((file) => lstatSync(file).isSymbolicLink());
    expect(links.filter((link) => !realpathSync(link).startsWith(realpathSync(folder) + sep))).toEqual([]);
  });

  it('has all files that the bundled server loads, starts and reads', () => {
    const folder = join(bare, home, 'packages/server/dist');
    const texts = globSync(join(folder, '*.js')).map((file) => readFileSync(file, 'utf8'));
    const found = (pattern: RegExp) =>
      texts.flatMap((text) => [...text.matchAll(pattern)].map((all) => all[1]!));
    const threads = found(/new Worker\(new URL\("([^"]+)", import\.meta\.url\)/g);
    const places = found(/new URL\("([^"]+)", import\.meta\.url\)/g);
    expect([threads.length, places.length]).toEqual([5, 9]);
    expect(places.filter((place) => !existsSync(join(folder, place)))).toEqual([]);
    const packages = found(/^(?:import|export) (?:.* from )?"([^".][^"]*)";$/gm);
    expect(packages.filter((name) => !isBuiltin(name))).toEqual([]);
    // A text with one character that needs two bytes takes two for each in memory.
    expect(texts.filter((text) => /[^\0-\x7f]/.test(text))).toEqual([]);
  });

  it('lists the packages that it contains, with their licences', () => {
    const bill = JSON.parse(readFileSync(join(bare, home, 'sbom.cdx.json'), 'utf8')) as {
      bomFormat: string;
      components: { name: string }[];
    };
    expect(bill.bomFormat).toBe('CycloneDX');
    expect(bill.components.map(({ name }) => name)).toContain('fastify');
    const licences = readFileSync(join(bare, home, 'licences-of-packages.txt'), 'utf8');
    expect(licences).toMatch(/^undici \S+ \(MIT\)\n\nMIT License\n\nCopyright/m);
  });

  it('comes with its checksum', () => {
    const [sum] = globSync(join(scratch, '*.sha256'));
    expect(spawnSync('sha256sum', ['--check', sum!], { cwd: scratch }).status).toBe(0);
  });
});

/** The C library, a shell and what the launcher calls: less than any Debian has. */
function furnish(): void {
  const programs = ['/bin/sh', '/usr/bin/readlink', '/usr/bin/dirname', '/usr/bin/cat'];
  const copied = [...programs, join(home, 'bin/node')];
  for (const program of programs) bring(program);
  for (const program of copied) {
    const { stdout } = spawnSync('ldd', [join(bare, program)], { encoding: 'utf8' });
    for (const [library] of stdout.matchAll(/\/\S*\.so\S*/g)) bring(library);
  }
  mkdirSync(join(bare, 'tmp'), { recursive: true });
}

function bring(path: string): void {
  mkdirSync(join(bare, dirname(path)), { recursive: true });
  copyFileSync(path, join(bare, path));
}

/** Programs are started in the bare system, with nothing of this one's surroundings. */
const inBare = (command: string): [string, string[]] => ['chroot', [bare, `${home}/bin/tollgate`, command]];
const surroundings = { PATH: '/usr/sbin:/usr/bin:/bin', DATA_DIR: '/data', PORT: '0', HOST: '127.0.0.1' };

const canChangeRoot =
  process.getuid?.() === 0 && process.platform === 'linux' && hasProgram('chroot') && hasProgram('ldd');

describe.skipIf(!canChangeRoot)('in a system that has a shell and a C library (needs root)', () => {
  it('starts, is set up, answers a call, is backed up and examined, and stops', async () => {
    furnish();
    expect(existsSync(join(bare, 'usr/bin/npm'))).toBe(false);
    const env = { ...surroundings, NODE_FLAGS: '--max-semi-space-size=8' };
    running = spawn(...inBare('start'), { env });
    const printed = readPrinted(running.stdout!, running.stderr!);
    const [, port] = await printed.match(/ready at http:\/\/\S+:(\d+)/);
    const url = `http://127.0.0.1:${port}`;
    const key = await setUp(url, /#token=(\S+)/.exec(printed.text())![1]!);

    // What was started became Node, with the operator's flags last, and has nothing beside it.
    const words = readFileSync(`/proc/${running.pid}/cmdline`, 'utf8').split('\0');
    expect([words[0], words.at(-3)]).toEqual([`${home}/bin/node`, '--max-semi-space-size=8']);
    expect(readFileSync(`/proc/${running.pid}/task/${running.pid}/children`, 'utf8')).toBe('');

    const page = await fetch(url);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox', messages: [{ role: 'user', content: 'hello' }] }),
    });
    expect(answer.status, await answer.text()).toBe(200);

    for (const command of ['backup', 'doctor']) {
      const done = spawnSync(...inBare(command), { env: surroundings, encoding: 'utf8' });
      expect(done.status, `${done.stdout}${done.stderr}`).toBe(0);
    }
    const unknown = spawnSync(...inBare('nothing'), { env: surroundings, encoding: 'utf8' });
    expect([unknown.status, unknown.stderr]).toEqual([1, expect.stringContaining('No such command')]);

    const flag = spawnSync(...inBare('--version'), { env: surroundings, encoding: 'utf8' });
    expect([flag.status, flag.stdout]).toEqual([0, expect.stringMatching(/^v\d/)]);

    running.kill('SIGTERM');
    expect(await once(running, 'exit')).toEqual([0, null]);
  });
});
