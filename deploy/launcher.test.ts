import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
/** A checkout with installed packages and a built console, and a server that reports how it was started. */
let folder: string;

function write(path: string, content: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

const main = 'packages/server/src/main.ts';
const bundles = 'packages/server/dist';
const builtWeb = 'packages/web/dist';

/** A server that reports how it was started, with the name of one edition of its sources. */
const serverOf = (edition: string): string => `
  import { words } from './words.ts';
  const reported: object = { edition: '${edition}', words, pid: process.pid, cwd: process.cwd(), argv: process.argv.slice(1) };
  console.log(JSON.stringify({ ...reported, flags: process.execArgv, kept: process.env.NODE_COMPILE_CACHE }));
  process.exit(7);
`;

/** The module of the checkout that detects stale output. */
const sources = async () =>
  (await import(join(folder, 'tools/sources.mjs'))) as {
    bundlePlace: () => string;
    webIsStale: () => boolean;
    webSources: () => string;
  };

/** Writes a console that was built from the current sources. */
async function writeConsole(): Promise<void> {
  write(`${builtWeb}/index.html`, 'former');
  write(`${builtWeb}/.sources`, (await sources()).webSources());
}

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'tollgate-launcher-')));
  for (const part of ['contract', 'http-engine']) write(`packages/${part}/src/index.ts`, '');
  write('packages/web/index.html', '');
  write('package-lock.json', '{}');
  write('packages/server/src/words.ts', `export const words: string = 'short';`);
  write(main, serverOf('first'));
  write('node_modules/.package-lock.json', '');
  mkdirSync(join(folder, 'node_modules/.bin'));
  symlinkSync(process.execPath, join(folder, 'node_modules/.bin/node'));
  for (const tool of ['vite', 'rolldown'])
    symlinkSync(realpathSync(join(root, 'node_modules', tool)), join(folder, 'node_modules', tool));
  mkdirSync(join(folder, 'tools'));
  for (const file of [
    'run.mjs',
    'launch.mjs',
    'sources.mjs',
    'build-web.mjs',
    'bundle.mjs',
    'node-flags.json',
  ])
    copyFileSync(join(root, 'tools', file), join(folder, 'tools', file));
  await writeConsole();
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Report {
  edition: string;
  words: string;
  pid: number;
  cwd: string;
  argv: string[];
  flags: string[];
  kept: string;
}

/** Starts as `npm start` does; returns the server's report of its start, and the launcher's output before it. */
async function start(env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(folder, 'tools/run.mjs'), 'start', 'more'], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  const [printed, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const lines = printed.trim().split('\n');
  const reported = JSON.parse(lines.at(-1)!) as Report;
  return { pid: child.pid, status: (await ended)[0] as number, before: lines.slice(0, -1), errors, reported };
}

const built = ['Building the server …'];

it('becomes the bundled server, which has its flags and ends as it ends', async () => {
  const { pid, status, before, errors, reported } = await start({ NODE_FLAGS: '--max-semi-space-size=4' });
  expect([before, errors, status]).toEqual([built, '', 7]);
  expect([reported.pid, reported.cwd, reported.argv.slice(1), reported.words]).toEqual([
    pid,
    folder,
    ['more'],
    'short',
  ]);
  expect([reported.flags.includes('--expose-gc'), reported.flags.at(-1)]).toEqual([
    true,
    '--max-semi-space-size=4',
  ]);
  const place = dirname(reported.argv[0]!);
  expect([dirname(place), reported.kept]).toEqual([join(folder, bundles), join(place, 'compiled')]);
  // Nothing has changed.
  const again = await start({ NODE_COMPILE_CACHE: '/of-the-operator' });
  expect([again.before, again.reported.argv[0], again.reported.kept]).toEqual([
    [],
    reported.argv[0],
    '/of-the-operator',
  ]);
});

/** Changes to sources by `git pull`, an editor, or a copy that keeps times. */
const changes: [string, () => void][] = [
  ['a source is edited', () => write(main, serverOf('second'))],
  [
    'a source is replaced by an older one of the same length',
    () => {
      write(main, serverOf('third'));
      utimesSync(join(folder, main), 1, 1);
    },
  ],
  ['a source comes', () => write('packages/http-engine/src/more.ts', '')],
  ['a source goes', () => rmSync(join(folder, 'packages/http-engine/src/index.ts'))],
  ['packages change', () => utimesSync(join(folder, 'package-lock.json'), 1, 1)],
  ['the bundler changes', () => writeFileSync(join(folder, 'tools/bundle.mjs'), '\n', { flag: 'a' })],
];

it('any change of the sources asks for another bundle', async () => {
  const { bundlePlace } = await sources();
  const places = [bundlePlace()];
  for (const [what, change] of changes) {
    change();
    const place = bundlePlace();
    expect(places, what).not.toContain(place);
    places.push(place);
  }
  // A server may still run the newest existing bundle, and the one before it.
  const earlier = ['oldest', 'older', 'old'].map((name, age) => {
    write(`${bundles}/${name}/main.js`, '');
    utimesSync(join(folder, bundles, name), age + 1, age + 1);
    return name;
  });
  await writeConsole();
  const { before, reported } = await start();
  expect([before, reported.edition, dirname(reported.argv[0]!)]).toEqual([built, 'third', places.at(-1)]);
  const kept = [...earlier.slice(1), basename(places.at(-1)!)];
  expect(readdirSync(join(folder, bundles)).toSorted()).toEqual(kept.toSorted());
});

it('two starts at once run the same bundle', async () => {
  const [one, other] = await Promise.all([start(), start()]);
  expect([one.errors, other.errors, one.reported.argv]).toEqual(['', '', other.reported.argv]);
  expect(readdirSync(join(folder, bundles)).length).toBe(1);
});

/** Changes to the inputs of the console's build. */
const webChanges: [string, () => void][] = [
  ['a source is edited', () => write('packages/web/index.html', 'second')],
  ['a source is replaced by an older one', () => utimesSync(join(folder, 'packages/web/index.html'), 1, 1)],
  ['a source comes', () => write('packages/contract/src/more.ts', '')],
  ['a source goes', () => rmSync(join(folder, 'packages/contract/src/more.ts'))],
  ['packages change', () => utimesSync(join(folder, 'package-lock.json'), 1, 1)],
  ['the console goes', () => rmSync(join(folder, builtWeb), { recursive: true })],
];

it('any change of its sources makes the console stale', async () => {
  const { webIsStale } = await sources();
  for (const [what, change] of webChanges) {
    expect(webIsStale(), `before ${what}`).toBe(false);
    change();
    expect(webIsStale(), what).toBe(true);
    await writeConsole();
  }
});

/** A configuration of the console's build that runs code at its end, before the output is put in place. */
const atTheEnd = (statements: string) => `
  import { readFileSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
  import { setTimeout as sleep } from 'node:timers/promises';
  const folder = ${JSON.stringify(folder)};
  const done = async () => { ${statements} };
  export default { plugins: [{ name: 'at-the-end', writeBundle: done }] };
`;

it('two starts at once each build a console of their own, beside the one that is served', async () => {
  mkdirSync(join(folder, 'seen'));
  write('packages/web/index.html', '<title>second</title>');
  // Each reports the console that it serves, and waits until both have built.
  write(
    'packages/web/vite.config.mjs',
    atTheEnd(`
      writeFileSync(folder + '/seen/' + process.pid, readFileSync(folder + '/${builtWeb}/index.html'));
      while (readdirSync(folder + '/seen').length < 2) await sleep(10);
    `),
  );
  const starts = await Promise.all([start(), start()]);
  for (const { status, before, errors } of starts)
    expect([status, before, errors]).toEqual([7, ['Building the console …', ...built], '']);
  const seen = readdirSync(join(folder, 'seen')).map((name) =>
    readFileSync(join(folder, 'seen', name), 'utf8'),
  );
  expect(seen).toEqual(['former', 'former']);
  expect(readFileSync(join(folder, builtWeb, 'index.html'), 'utf8')).toContain('<title>second</title>');
  expect([(await sources()).webIsStale(), readdirSync(join(folder, 'dist'))]).toEqual([false, []]);
});

it('a source that changes during the build leaves the console stale', async () => {
  write('packages/web/vite.config.mjs', atTheEnd(`utimesSync(folder + '/packages/web/index.html', 2, 2);`));
  const build = () =>
    spawnSync(process.execPath, [join(folder, 'tools/build-web.mjs')], { env: {}, encoding: 'utf8' });
  const { webIsStale } = await sources();
  expect([build().status, webIsStale()]).toEqual([0, true]);
  write('packages/web/vite.config.mjs', 'export default {};');
  expect([build().status, webIsStale()]).toEqual([0, false]);
});

it('runs the sources where no bundle can be made, and says why', async () => {
  // As in a read-only folder.
  write(bundles, '');
  const { status, before, errors, reported } = await start();
  expect([before, status, reported.argv]).toEqual([built, 7, [join(folder, main), 'more']]);
  expect(errors).toMatch(/ENOTDIR|EEXIST/);
  expect(errors).toContain('The server could not be built. Its sources run');
});
