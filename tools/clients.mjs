// Brings the clients of the tests to their newest versions, before a release: `npm run clients`. The vendors' own clients and
// frameworks (package.json), the coding agents (e2e/clients), and Python's lists. Then the tests of both parts run with them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const home = join(root, 'e2e/clients');
/** Development packages that call models. */
const isClient = /^(?:@ai-sdk\/|@anthropic-ai\/|@aws-sdk\/|@google\/|@langchain\/|ai$|cohere-ai$|openai$)/;

function run(command, args, options = {}) {
  const { status, stdout } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    encoding: 'utf8',
    ...options,
  });
  if (status !== 0) throw new Error(`${command} ${args.slice(0, 2).join(' ')} ended with ${status}`);
  return stdout;
}

/** Installs the newest versions of the dependencies that `isWanted`. */
function bringPackages(folder, field, isWanted, flags) {
  const names = Object.keys(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))[field]).filter(
    isWanted,
  );
  const newest = names.map((name) => `${name}@latest`);
  run(
    'npm',
    ['install', '--save-exact', '--no-audit', '--no-fund', '--loglevel=error', ...flags, ...newest],
    { cwd: folder },
  );
}

/** Rewrites a list for pip: its first block names the packages that are wanted, the second all that they bring. */
function bringPython(file) {
  const [head, named] = /^((?:#.*\n)*)((?:.+\n)+)\n/.exec(readFileSync(file, 'utf8')).slice(1);
  const names = named
    .trim()
    .split('\n')
    .map((line) => line.split('==')[0]);
  const venv = mkdtempSync(join(tmpdir(), 'clients-'));
  const pip = join(venv, 'bin/pip');
  run('python3', ['-m', 'venv', venv]);
  run(pip, ['install', '--quiet', '--disable-pip-version-check', '--only-binary', ':all:', ...names]);
  const frozen = run(pip, ['freeze'], { stdio: ['ignore', 'pipe', 'inherit'] })
    .trim()
    .split('\n');
  rmSync(venv, { recursive: true });
  const isNamed = (line) => names.includes(line.split('==')[0]);
  const [wanted, brought] = [frozen.filter(isNamed), frozen.filter((line) => !isNamed(line))];
  writeFileSync(file, `${head}${wanted.join('\n')}\n\n${brought.join('\n')}\n`);
}

bringPackages(root, 'devDependencies', (name) => isClient.test(name), ['--save-dev']);
bringPackages(home, 'dependencies', () => true, ['--ignore-scripts']);
for (const list of ['python/requirements.txt', 'aider/requirements.txt']) bringPython(join(home, list));
run('git', ['diff', '--stat']);
console.log(
  'Now `.ci/run test` and `.ci/run test:deep`, which install these versions: what fails is a change of a vendor or an agent.',
);
