/** @module-tag deep */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
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
  statSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, sep } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasProgram, readPrinted, setUp } from './support/first-site.ts';

const root = join(import.meta.dirname, '..');
const scratch = mkdtempSync(join(tmpdir(), 'tollgate-archive-'));
/** The root of a system with no other files. */
const bare = join(scratch, 'root');
/** Path of the unpacked archive inside that root. */
let home: string;
let archive: string;
let running: ChildProcess | undefined;

beforeAll(() => {
  for (const kind of [[], ['--npm']]) {
    const words = ['run', '--silent', 'package', '--', `--out=${scratch}`, ...kind];
    const packaged = spawnSync('npm', words, { cwd: root, encoding: 'utf8' });
    if (packaged.status !== 0) throw new Error(packaged.stderr);
  }
  mkdirSync(join(bare, 'opt'), { recursive: true });
  archive = globSync(join(scratch, '*.tar.gz'))[0]!;
  spawnSync('tar', ['-xzf', archive, '-C', join(bare, 'opt')]);
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
    expect([threads.length, places.length]).toEqual([6, 13]);
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
    const sums = globSync(join(scratch, '*.sha256'));
    expect([sums.length, spawnSync('sha256sum', ['--check', ...sums], { cwd: scratch }).status]).toEqual([
      2, 0,
    ]);
  });

  it('has the version, and a command for each that the server has', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(home).toBe(`/opt/tollgate-${version}-linux-${process.arch}`);
    const command = [join(bare, home, 'bin/command.mjs'), 'help'];
    const { stdout } = spawnSync(process.execPath, command, { encoding: 'utf8' });
    const offered = Array.from(stdout.matchAll(/^ {2}tollgate (\S+)/gm), (each) => each[1]!);
    const sources = globSync('packages/server/src/commands/!(*.test).ts', { cwd: root });
    expect(offered.toSorted()).toEqual([...sources.map((path) => basename(path, '.ts')), 'start'].toSorted());
  });
});

/** Copies programs of this machine into another root, with their libraries and the libraries of `others`. */
function furnish(folder: string, programs: readonly string[], others: readonly string[]): void {
  const bring = (path: string) => {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    copyFileSync(path, join(folder, path));
  };
  for (const program of programs) bring(program);
  for (const program of [...programs, ...others]) {
    const { stdout } = spawnSync('ldd', [join(folder, program)], { encoding: 'utf8' });
    for (const [library] of stdout.matchAll(/\/\S*\.so\S*/g)) bring(library);
  }
  mkdirSync(join(folder, 'tmp'), { recursive: true });
}

/** Commands of the launcher: fewer than any Debian has. */
const shell = ['/bin/sh', '/usr/bin/readlink', '/usr/bin/dirname', '/usr/bin/cat'];

/** Command line and environment of a program in the bare system; nothing is inherited from this one. */
const inBare = (command: string): [string, string[]] => ['chroot', [bare, `${home}/bin/tollgate`, command]];
const surroundings = { PATH: '/usr/sbin:/usr/bin:/bin', DATA_DIR: '/data', PORT: '0', HOST: '127.0.0.1' };

/** Makes a call to the sandbox; returns its status. */
async function call(url: string, key: string): Promise<number> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox', messages: [{ role: 'user', content: 'hello' }] }),
  });
  await answer.text();
  return answer.status;
}

/** The first administrator's statement as PDF, from a thread with its own library and font. */
async function readStatement(url: string): Promise<{ status: number; start: string; size: number }> {
  const signedIn = await fetch(`${url}/api/user/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'root', password: 'harvest-lantern-42' }),
  });
  const cookie = signedIn.headers.getSetCookie().map((each) => each.split(';')[0]);
  const headers = { cookie: cookie.join('; '), 'new-api-user': '1' };
  const answer = await fetch(`${url}/api/statement?format=pdf`, { headers });
  const file = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, start: file.toString('latin1', 0, 5), size: file.length };
}

/** Waits until a server is ready and sets its site up; returns its address and the first key. */
async function setUpSite(server: ChildProcess) {
  const printed = readPrinted(server.stdout!, server.stderr!);
  const [, port] = await printed.match(/ready at http:\/\/\S+:(\d+)/);
  const url = `http://127.0.0.1:${port}`;
  return { url, key: await setUp(url, /#token=(\S+)/.exec(printed.text())![1]!), text: printed.text() };
}

const canChangeRoot =
  process.getuid?.() === 0 && process.platform === 'linux' && hasProgram('chroot') && hasProgram('ldd');

describe.skipIf(!canChangeRoot)('in a system that has a shell and a C library (needs root)', () => {
  it('starts, is set up, answers a call, is backed up and examined, and stops', async () => {
    furnish(bare, shell, [join(home, 'bin/node')]);
    expect(existsSync(join(bare, 'usr/bin/npm'))).toBe(false);
    const env = { ...surroundings, NODE_FLAGS: '--max-semi-space-size=8' };
    running = spawn(...inBare('start'), { env });
    const { url, key } = await setUpSite(running);

    // The started process became Node, with the operator's flags last, and has no other process beside it.
    const words = readFileSync(`/proc/${running.pid}/cmdline`, 'utf8').split('\0');
    expect([words[0], words.at(-3)]).toEqual([`${home}/bin/node`, '--max-semi-space-size=8']);
    expect(readFileSync(`/proc/${running.pid}/task/${running.pid}/children`, 'utf8')).toBe('');

    const page = await fetch(url);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await call(url, key)).toBe(200);
    const { status, start, size } = await readStatement(url);
    expect([status, start]).toEqual([200, '%PDF-']);
    expect(size).toBeGreaterThan(10_000);

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

/** Content of the image, from its last stage. */
function imageOf() {
  const [, stage = ''] = readFileSync(join(root, 'Dockerfile'), 'utf8').split(/^(?=FROM (?!--platform))/m);
  const lines = stage.split('\n');
  const words = (name: string) => lines.find((line) => line.startsWith(`${name} `))!.slice(name.length + 1);
  return {
    base: words('FROM'),
    user: words('USER'),
    env: Object.fromEntries(
      words('ENV')
        .split(' ')
        .map((each) => each.split('=')),
    ) as Record<string, string>,
    entry: JSON.parse(words('ENTRYPOINT')) as string[],
    health: JSON.parse(/CMD (.*)/.exec(words('HEALTHCHECK'))![1]!) as string[],
    copies: lines.filter((line) => line.startsWith('COPY ')),
    runs: lines.filter((line) => line.startsWith('RUN ')),
  };
}

describe('the image', () => {
  it('is the archive on a base without a shell, for a user who is not root, in at most 150 MB', () => {
    const { base, user, copies, runs } = imageOf();
    expect(base).toMatch(/^gcr\.io\/distroless\/cc-/);
    expect(user).toMatch(/^[1-9]\d+:[1-9]\d+$/);
    expect(runs).toEqual([]);
    expect(copies).toEqual([
      'COPY --from=build /opt/tollgate /opt/tollgate',
      `COPY --from=build --chown=${user} --chmod=700 /data /data`,
    ]);
    // The base image takes 10 MB, compressed as in a registry.
    expect(statSync(archive).size / 1_000_000).toBeLessThan(140);
  });

  it.skipIf(!canChangeRoot || !hasProgram('unshare'))(
    'runs as that user where only its data can be written, is healthy and stops (needs root)',
    async () => {
      const { user, env, entry, health } = imageOf();
      const image = join(scratch, 'image');
      mkdirSync(join(image, 'opt/tollgate'), { recursive: true });
      spawnSync('tar', ['-xzf', archive, '-C', join(image, 'opt/tollgate'), '--strip-components=1']);
      furnish(image, [], ['/opt/tollgate/bin/node']);
      mkdirSync(join(image, 'data'), { mode: 0o700 });
      const [uid = '', gid = ''] = user.split(':');
      chownSync(join(image, 'data'), Number(uid), Number(gid));
      const mounts =
        'mount --bind "$1" "$1" && mount --bind "$1/data" "$1/data" && mount -t tmpfs tmpfs "$1/tmp" && ' +
        'mount -o remount,ro,bind "$1" && cd "$1" && shift && exec "$@"';
      const inside = ['chroot', `--userspec=${user}`, image];
      running = spawn('unshare', ['--mount', 'sh', '-c', mounts, 'sh', image, ...inside, ...entry], {
        env: { ...env, PATH: '/usr/sbin:/usr/bin:/bin', PORT: '0' },
      });
      const { url, key } = await setUpSite(running);
      expect(await call(url, key)).toBe(200);
      const status = readFileSync(`/proc/${running.pid}/status`, 'utf8');
      expect(status).toMatch(new RegExp(`^Uid:\\s+${uid}\\s+${uid}\\s+${uid}`, 'm'));
      const root = readFileSync(`/proc/${running.pid}/mountinfo`, 'utf8');
      expect(root).toMatch(/ \/ ro,/);

      const [program = '', ...words] = health;
      const asked = {
        env: { PATH: '/usr/sbin:/usr/bin:/bin', PORT: new URL(url).port },
        encoding: 'utf8',
      } as const;
      expect(spawnSync('chroot', [image, program, ...words], asked)).toMatchObject({ status: 0, stderr: '' });
      running.kill('SIGTERM');
      expect(await once(running, 'exit')).toEqual([0, null]);
    },
  );
});

describe('the npm package', () => {
  const installed = join(scratch, 'npm');
  const binary = join(installed, 'node_modules/.bin/tollgate');
  /** A user whose only installed program is Node. */
  const person = { PATH: dirname(process.execPath), HOME: join(scratch, 'person'), HOST: '127.0.0.1' };

  beforeAll(() => {
    for (const folder of [installed, person.HOME]) mkdirSync(folder);
    const [packed] = globSync(join(scratch, '*.tgz'));
    const words = ['install', '--offline', '--omit=optional', '--no-audit', '--prefix', installed, packed!];
    const done = spawnSync('npm', words, { cwd: installed, encoding: 'utf8' });
    if (done.status !== 0) throw new Error(done.stderr);
  });

  it('has what the archive has, but for the Node', () => {
    const files = (folder: string) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => !path.startsWith('node_modules'))
        .toSorted();
    const inArchive = files(join(bare, home)).filter((path) => path !== 'bin/node');
    expect(files(join(installed, 'node_modules/tollgate'))).toEqual(inArchive);
  });

  it('starts with its data where the system keeps those of a person, and stops', async () => {
    running = spawn(binary, ['--port=0'], { cwd: person.HOME, env: person });
    const { url, key, text } = await setUpSite(running);
    expect(await call(url, key)).toBe(200);
    const data = join(person.HOME, '.local/share/tollgate');
    expect(text).toContain(`Data is kept in ${data}.`);
    expect(readdirSync(data)).toEqual(expect.arrayContaining(['secret.key', 'tollgate.db']));
    expect(readdirSync(person.HOME)).toEqual(['.local']);
    const doctor = spawnSync(binary, ['doctor'], { env: person, encoding: 'utf8' });
    expect(doctor.status, `${doctor.stdout}${doctor.stderr}`).toBe(0);
    running.kill('SIGTERM');
    expect(await once(running, 'exit')).toEqual([0, null]);
  });

  it.each([
    ['linux', { XDG_DATA_HOME: '/elsewhere' }, '/elsewhere/tollgate'],
    ['linux', { XDG_DATA_HOME: 'not/absolute' }, '/home/.local/share/tollgate'],
    ['darwin', {}, '/home/Library/Application Support/tollgate'],
    ['win32', { LOCALAPPDATA: '/local' }, '/local/tollgate'],
  ])('on %s with %o it keeps data in %s', (platform, variables, place) => {
    const { stdout } = asIf({ platform }, { ...variables, HOME: '/home' }, 'help');
    expect(stdout).toContain(`else in ${place}.`);
  });

  it('on an old Node without a newer one beside it, says what to do', () => {
    const { status, stderr } = asIf({ versions: { node: '18.20.0' }, arch: 'none' }, {}, 'start');
    expect([status, stderr]).toEqual([1, expect.stringMatching(/needs Node 24.*Install Node 24/)]);
  });

  /** Runs the command with other values for the properties that Node reports about itself. */
  function asIf(claims: object, variables: Record<string, string>, word: string) {
    const told = Object.entries(claims).map(
      ([name, value]) => `Object.defineProperty(process,'${name}',{value:${JSON.stringify(value)}});`,
    );
    const words = ['--import', `data:text/javascript,${encodeURIComponent(told.join(''))}`, binary, word];
    return spawnSync(process.execPath, words, { env: { ...person, ...variables }, encoding: 'utf8' });
  }
});
