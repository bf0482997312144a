// The door of every npm script. Plain JavaScript that also runs on Node 20: it installs what is missing,
// finds the Node 24 that the install brings along, and hands over to it (docs/decisions/0002).
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, delimiter } from 'node:path';
import { become, findNode } from './launch.mjs';
import { bundlePlace, mtime, root, webIsStale } from './sources.mjs';

const bin = join(root, 'node_modules', '.bin');
const [command = 'start', ...rest] = process.argv.slice(2);

/** Installs when node_modules is missing or older than the lock file. */
function install() {
  if (mtime(join(root, 'node_modules/.package-lock.json')) >= mtime(join(root, 'package-lock.json'))) return;
  console.log('Installing packages (once, about a minute) …');
  const done = spawnSync('npm', ['ci', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

install();
const node = findNode();
/** Becomes the last program. */
const run = (args) => {
  process.chdir(root);
  become(node, args, env);
};
const env = {
  // What Node made of our files is kept: a later start takes half the time (docs/performance.md).
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'),
  ...process.env,
  PATH: `${bin}${delimiter}${process.env.PATH}`,
};

/** Runs one program to its end and stops everything if it fails. */
function must(args, options = {}) {
  const done = spawnSync(node, args, { cwd: root, stdio: 'inherit', env, ...options });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

/** Runs programs, two at once, in the order given; whether all of them were content. */
async function allOf(programs) {
  let isClean = true;
  const waiting = programs.values();
  const work = async () => {
    for (const args of waiting) {
      const [code] = await once(spawn(node, args, { cwd: root, stdio: 'inherit', env }), 'exit');
      isClean &&= code === 0;
    }
  };
  await Promise.all([work(), work()]);
  return isClean;
}

/**
 * What the server's Node is started with; the bench reads the same file (docs/performance.md has the figures of each flag):
 * - a young generation of 16 MB: smaller and larger ones were slower;
 * - a full collection is due when the heap has doubled, and one thread helps with it: V8's own limit was reached every
 *   second under 200 streams a second, and its threads then took the core away from the calls;
 * - objects of a call are never allocated among the old ones: dead there, they keep all that they point at until a full
 *   collection;
 * - with `--expose-gc` a start ends with a collection, without which an idle process keeps what the start took.
 * An operator's NODE_FLAGS come last and win, here as in the archive.
 */
const nodeFlags = () => [
  ...JSON.parse(readFileSync(join(root, 'tools/node-flags.json'), 'utf8')),
  ...(process.env.NODE_FLAGS ?? '').split(' ').filter(Boolean),
];

const tool = (name, file) => join(root, 'node_modules', name, file);
const vite = tool('vite', 'bin/vite.js');
const build = () => must([join(root, 'tools/build-web.mjs')]);
const server = join(root, 'packages/server/src/main.ts');

/** The bundle of the server (docs/decisions/0029), made if its sources have changed; '' if it cannot be made. */
function bundledServer() {
  const made = join(bundlePlace(), 'main.js');
  if (existsSync(made)) return made;
  console.log('Building the server …');
  const options = { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8', env };
  const { status, stdout } = spawnSync(node, [join(root, 'tools/bundle.mjs')], options);
  return status === 0 ? stdout.trim() : '';
}

/** Packages, and what reads them: a change of the one may break the types of the others. */
const beside = ['bench', 'deploy', 'e2e'];
const readers = {
  'packages/contract': ['packages/server', 'packages/web', ...beside],
  'packages/http-engine': ['packages/server', ...beside],
  'packages/server': beside,
  'packages/web': beside,
};

/** Files that differ from where this branch left `origin/main` (from HEAD without one), committed or not. */
function changedFiles() {
  const lines = (...args) =>
    spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.split('\n').filter(Boolean);
  const [base = 'HEAD'] = lines('merge-base', 'HEAD', 'origin/main');
  const files = [
    ...lines('diff', '--name-only', base),
    ...lines('ls-files', '--others', '--exclude-standard'),
  ];
  return files.filter((file) => existsSync(join(root, file)));
}

/** The packages and folders whose code has changed, with what reads them. */
function changedFolders(files) {
  const code = files.filter((file) => /\.(?:tsx?|mjs)$/.test(file));
  const owners = code.map((file) => /^packages\/[^/]+|^[^/]+/.exec(file)[0]);
  return [...new Set(owners.flatMap((owner) => [owner, ...(readers[owner] ?? [])]))];
}

/**
 * The programs of `npm run check`, the longest first: all of them, those about packages (or paths) that are named, or with
 * `--changed` those about the changed files and what reads them. Dead code and advisories are asked for the whole alone.
 * The linter reads the types of each package once for its rules, and reports TypeScript's own errors with them.
 */
function checksOf(named) {
  const isWhole = named.length === 0;
  const files = named.includes('--changed') ? changedFiles() : named;
  const code = named.includes('--changed') ? changedFolders(files) : files;
  const lint = [tool('oxlint', 'bin/oxlint'), '--type-aware', '--type-check', '--quiet', ...code];
  return [
    ...(isWhole || code.length > 0 ? [lint] : []),
    ...(isWhole ? [[tool('knip', 'bin/knip.js')], [join(root, 'tools/advisories.mjs')]] : []),
    [join(root, 'tools/check-floors.mjs')],
    [join(root, 'tools/check-shape.mjs')],
    ...(isWhole || files.length > 0
      ? [[tool('oxfmt', 'bin/oxfmt'), '--check', '--no-error-on-unmatched-pattern', ...files]]
      : []),
  ];
}

const commands = {
  start() {
    if (webIsStale()) {
      console.log('Building the console …');
      build();
    }
    const bundle = bundledServer();
    // What Node made of a bundle is kept beside it, and goes with it.
    if (bundle) env.NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE ?? join(dirname(bundle), 'compiled');
    else
      console.error(
        'The server could not be built. Its sources run: the same server, which takes more memory.',
      );
    run([...nodeFlags(), bundle || server, ...rest]);
  },
  dev() {
    spawn(node, [vite], { cwd: join(root, 'packages/web'), stdio: 'inherit', env });
    const watched = ['server', 'contract', 'http-engine'].map((name) => `--watch-path=packages/${name}/src`);
    run([...watched, server, ...rest]);
  },
  build() {
    build();
    if (!bundledServer()) process.exit(1);
  },
  test() {
    if (webIsStale()) build();
    must([join(root, 'tools/test.mjs'), ...rest]);
  },
  'test:deep'() {
    if (webIsStale()) build();
    must([join(root, 'tools/test.mjs'), '--deep', ...rest]);
  },
  models: () => must([join(root, 'tools/models.mjs'), ...rest]),
  advisories: () => must([join(root, 'tools/advisories.mjs'), '--refresh']),
  async check() {
    const began = Date.now();
    const isClean = await allOf(checksOf(rest));
    console.log(`check: ${Math.round((Date.now() - began) / 1_000)} s, ${isClean ? 'clean' : 'not clean'}`);
    process.exit(isClean ? 0 : 1);
  },
  fuzz() {
    const option = (name, other) =>
      rest.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3) ?? other;
    const cases = { FUZZ_CASES: option('cases', '1000000'), FUZZ_SEED: option('seed', '') };
    const vitest = tool('vitest', 'vitest.mjs');
    must([vitest, 'run', '--project', 'http-engine', 'fuzz'], { env: { ...env, ...cases } });
  },
  bench: () => run([join(root, 'bench/run.ts'), ...rest]),
  backup: () => run([join(root, 'packages/server/src/commands/backup.ts'), ...rest]),
  restore: () => run([join(root, 'packages/server/src/commands/restore.ts'), ...rest]),
  doctor: () => run([join(root, 'packages/server/src/commands/doctor.ts'), ...rest]),
  call: () => run([join(root, 'packages/server/src/commands/call.ts'), ...rest]),
  import: () => run([join(root, 'packages/server/src/commands/import.ts'), ...rest]),
  'rebuild-sums': () => run([join(root, 'packages/server/src/commands/rebuild-sums.ts'), ...rest]),
  'return-logs': () => run([join(root, 'packages/server/src/commands/return-logs.ts'), ...rest]),
  'rotate-key': () => run([join(root, 'packages/server/src/commands/rotate-key.ts'), ...rest]),
  package() {
    if (webIsStale()) build();
    must([join(root, 'tools/package.mjs'), ...rest]);
  },
  campaign: () => run([join(root, 'bench/campaign.ts'), ...rest]),
  truth: () => run([join(root, 'bench/truth.ts'), ...rest]),
  screenshots() {
    if (webIsStale()) build();
    run([join(root, 'e2e/screenshots.ts'), ...rest]);
  },
  format: () => must([tool('oxfmt', 'bin/oxfmt')]),
};

if (!Object.hasOwn(commands, command)) {
  console.error(`No such command: ${command}. There are ${Object.keys(commands).join(', ')}.`);
  process.exit(1);
}
commands[command]();
