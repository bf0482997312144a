// What `npm test` runs: the unit and integration tests, then the journeys through a browser. It looks for the servers
// and the browser that some tests need, says of each by name whether it is used or skipped, and closes with one line
// of counts. Anything given behind `npm test --` goes to vitest (a path runs the tests below it).
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { startServers } from './test-servers.mjs';

const root = join(import.meta.dirname, '..');
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const filters = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'tollgate-test-'));

/** The address that the environment names, else the first of the programs that the system has, else ''. */
function findProgram(variable, names) {
  if (process.env[variable]) return process.env[variable];
  const folders = [...process.env.PATH.split(delimiter), '/usr/bin', '/usr/sbin'];
  for (const name of names) {
    const path = folders.map((each) => join(each, name)).find((each) => existsSync(each));
    if (path) return path;
  }
  return '';
}

/** Counts of one run's report; a file that could not even be loaded counts as one failure. */
function countsOf(file) {
  if (!existsSync(file)) return { passed: 0, failed: 0, skipped: 0 };
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const broken = report.testResults.filter(
    (suite) => suite.status === 'failed' && suite.assertionResults.every((test) => test.status !== 'failed'),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** Runs vitest on some projects and adds up what it reports. */
function run(name, args, env) {
  const file = join(folder, `${name}.json`);
  const done = spawnSync(
    process.execPath,
    [
      vitest,
      'run',
      // Half the cores at least: on two cores a third worker only makes the others wait.
      `--maxWorkers=${Math.max(2, Math.floor(cpus().length / 2))}`,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${file}`,
      ...args,
    ],
    { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, ...env } },
  );
  const counts = countsOf(file);
  if (done.status !== 0 && counts.failed === 0) {
    console.error(`${name}: vitest ended with ${done.status ?? done.signal} although no test failed`);
    counts.failed = 1;
  }
  return counts;
}

const servers = await startServers(folder, findProgram);
const chromium = findProgram('CHROMIUM_PATH', ['chromium', 'chromium-browser', 'google-chrome']);
const journeys = globSync('e2e/**/*.test.ts', { cwd: root });
const results = [];
try {
  for (const line of servers.report) console.log(line);
  console.log(
    chromium
      ? `Chromium: used (${chromium})`
      : 'Chromium: skipped, not found (the journeys through a browser do not run)',
  );
  results.push(run('unit', ['--project', '!e2e', ...filters], servers.env));
  if (filters.length === 0 && journeys.length > 0) {
    if (chromium) {
      results.push(run('e2e', ['--project', 'e2e'], { ...servers.env, CHROMIUM_PATH: chromium }));
    } else {
      results.push({ passed: 0, failed: 0, skipped: journeys.length });
    }
  }
} finally {
  await servers.stop();
  rmSync(folder, { recursive: true, force: true });
}

const sum = (kind) => results.reduce((total, counts) => total + counts[kind], 0);
const failed = sum('failed');
// No test at all is no success: a wrong path must not look green.
const isGood = failed === 0 && sum('passed') > 0;
for (const line of [...servers.report, ...(chromium ? [] : ['Chromium: skipped'])]) {
  if (line.includes('skipped')) console.log(line);
}
console.log(`${sum('passed')} passed, ${failed} failed, ${sum('skipped')} skipped`);
process.exit(isGood ? 0 : 1);
