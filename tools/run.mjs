// The entry of every npm script. Plain JavaScript that also runs on Node 20: it installs missing packages,
// finds the installed Node 24, and runs the script with it (docs/decisions/0002).
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, delimiter } from 'node:path';
import { become, findNode } from './launch.mjs';
import { bundlePlace, mtime, root, webIsStale } from './sources.mjs';

const bin = join(root, 'node_modules', '.bin');
const [command = 'start', ...rest] = process.argv.slice(2);

/** Installs when the node_modules of a folder is missing or older than the lock file. */
function install(folder = root, duration = 'about a minute') {
  if (mtime(join(folder, 'node_modules/.package-lock.json')) >= mtime(join(folder, 'package-lock.json')))
    return;
  console.log(`Installing packages (once, ${duration}) …`);
  const done = spawnSync('npm', ['ci', '--loglevel=error'], {
    cwd: folder,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

install();
const node = findNode();
/** Replaces this process with the last program. */
const run = (args) => {
  process.chdir(root);
  become(node, args, env);
};
const env = {
  // Node's compile cache is kept: a later start takes half the time (docs/performance.md).
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'),
  ...process.env,
  PATH: `${bin}${delimiter}${process.env.PATH}`,
};

/** Runs one program to its end and exits if it fails. */
function must(args, options = {}) {
  const done = spawnSync(node, args, { cwd: root, stdio: 'inherit', env, ...options });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

/** Runs programs, two at once, in the order given; returns true if all of them succeeded. */
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
 * Node flags of the server; the bench reads the same file (docs/performance.md has the figures of each flag):
 * - a young generation of 16 MB: smaller and larger ones were slower;
 * - a full collection runs when the heap has doubled, and one thread helps with it: V8's own limit was reached every
 *   second under 200 streams a second, and its threads then used the core that the calls needed;
 * - objects of a call are never allocated in the old generation: dead objects there keep everything they refer to until a full
 *   collection;
 * - with `--expose-gc` a start ends with a collection; without it an idle process keeps the memory of the start.
 * An operator's NODE_FLAGS are last and take precedence, here as in the archive.
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

/** Packages, and their dependents: a change of the first may break the types of the second. */
const beside = ['bench', 'deploy', 'e2e'];
const readers = {
  'packages/contract': ['packages/server', 'packages/web', ...beside],
  'packages/http-engine': ['packages/server', ...beside],
  'packages/server': beside,
  'packages/web': beside,
};

/** Files that differ from the merge base with `origin/main` (from HEAD if there is none), committed or not. */
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

/** Packages and folders with changed code, and their dependents. */
function changedFolders(files) {
  const code = files.filter((file) => /\.(?:tsx?|mjs)$/.test(file));
  const owners = code.map((file) => /^packages\/[^/]+|^[^/]+/.exec(file)[0]);
  return [...new Set(owners.flatMap((owner) => [owner, ...(readers[owner] ?? [])]))];
}

/**
 * Programs of `npm run check`, the longest first: all of them, those for the named packages (or paths), or with
 * `--changed` those for the changed files and their dependents. Dead code and advisories are only checked for the whole.
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
    // Node's compile cache of a bundle is kept beside it, and is removed with it.
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
  clients: () => must([join(root, 'tools/clients.mjs')]),
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
  site: () => run([join(root, 'packages/server/src/commands/site.ts'), ...rest]),
  mcp: () => run([join(root, 'packages/server/src/commands/mcp.ts'), ...rest]),
  import: () => run([join(root, 'packages/server/src/commands/import.ts'), ...rest]),
  'rebuild-sums': () => run([join(root, 'packages/server/src/commands/rebuild-sums.ts'), ...rest]),
  'return-logs': () => run([join(root, 'packages/server/src/commands/return-logs.ts'), ...rest]),
  'rotate-key': () => run([join(root, 'packages/server/src/commands/rotate-key.ts'), ...rest]),
  verify: () => run([join(root, 'packages/server/src/commands/verify.ts'), ...rest]),
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
  docs() {
    // The generator is apart from the other packages: who runs the gateway does not need its 99 MB.
    install(join(root, 'website'), 'some seconds');
    run([join(root, 'website/build.ts')]);
  },
  format: () => must([tool('oxfmt', 'bin/oxfmt')]),
};

if (!Object.hasOwn(commands, command)) {
  console.error(`No such command: ${command}. There are ${Object.keys(commands).join(', ')}.`);
  process.exit(1);
}
commands[command]();
