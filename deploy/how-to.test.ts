/** @module-tag deep */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const guides = ['add-table', 'add-page', 'add-call', 'add-job', 'add-provider', 'add-setting', 'add-sign-in'];

/** One code block of a guide: a new file, or lines at a place in an existing file. */
interface Step {
  path: string;
  place: 'new' | 'after' | 'before' | 'instead of';
  /** A part of the one line that the place refers to. */
  line: string;
  code: string;
}

interface Guide {
  steps: Step[];
  /** Lines of the `sh` blocks. */
  commands: string[];
}

const blockPattern = /^( *)```(\w+)\n([\s\S]*?)^\1```$/gm;
const leadPattern = /(?:New file `([^`]+)`|In `([^`]+)`, (after|before|instead of) `([^`]+)`):\n\n$/;

/** Reads the code blocks of a guide. Throws for a block without a target. */
function readGuide(name: string): Guide {
  const page = readFileSync(join(root, 'docs/how-to', `${name}.md`), 'utf8');
  const guide: Guide = { steps: [], commands: [] };
  for (const { index, 1: indent = '', 2: language, 3: body = '' } of page.matchAll(blockPattern)) {
    const code = body.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    if (language === 'sh') {
      guide.commands.push(...code.trim().split('\n'));
      continue;
    }
    const [, created, path = '', place = 'new', line = ''] = leadPattern.exec(page.slice(0, index)) ?? [];
    if (created === undefined && path === '') throw new Error(`${name}: no place for the block\n${code}`);
    guide.steps.push({ path: created ?? path, place: place as Step['place'], line, code });
  }
  return guide;
}

/** Applies a step. Throws if its file already exists, or if its line does not occur exactly once. */
function apply(folder: string, { path, place, line, code }: Step): void {
  const file = join(folder, path);
  if (place === 'new') {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code, { flag: 'wx' });
    return;
  }
  const lines = readFileSync(file, 'utf8').split('\n');
  const found = lines.flatMap((each, index) => (each.includes(line) ? [index] : []));
  if (found.length !== 1) throw new Error(`${path}: ${found.length} lines have ${line}`);
  const at = found[0]! + (place === 'after' ? 1 : 0);
  lines.splice(at, place === 'instead of' ? 1 : 0, ...code.slice(0, -1).split('\n'));
  writeFileSync(file, lines.join('\n'));
}

/** Copies the checkout without installed packages and build output, and links the installed packages. */
function copyCheckout(folder: string): void {
  const isLeft = (path: string) =>
    /^(?:\.git|data|dist|packages\/[^/]+\/dist)$|(?:^|\/)(?:node_modules|venv)$/.test(path);
  cpSync(root, folder, { recursive: true, filter: (path) => !isLeft(relative(root, path)) });
  const modules = join(root, 'node_modules');
  mkdirSync(join(folder, 'node_modules/@tollgate'), { recursive: true });
  for (const name of readdirSync(modules).filter((each) => !/^\.(?!bin$)|^@tollgate$/.test(each)))
    symlinkSync(join(modules, name), join(folder, 'node_modules', name));
  for (const name of readdirSync(join(folder, 'packages')))
    symlinkSync(join(folder, 'packages', name), join(folder, 'node_modules/@tollgate', name));
}

let folder = '';
const steps = new Map(guides.map((name) => [name, readGuide(name)]));
const commands = [...steps.values()].flatMap((guide) => guide.commands);

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'how-to-')));
  copyCheckout(folder);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Output and exit of a program of the copy. */
async function run(args: readonly string[], variables: Record<string, string> = {}) {
  const own = Object.entries(process.env).filter(
    ([key]) => !/^(?:VITEST|FUZZ_|TEST$|NODE_ENV$|NODE_OPTIONS$)/.test(key),
  );
  const env = { ...Object.fromEntries(own), ...variables };
  const child = spawn(process.execPath, [...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await once(child, 'exit')) as [number];
  return { code, output: (await output).join('').slice(-6_000) };
}

const done = { code: 0, output: expect.any(String) as string };
const tool = (path: string) => join(root, 'node_modules', path);

it.each(guides)('%s: every block has a place, and the guide ends with the check', (name) => {
  const { steps: own, commands: lines } = steps.get(name)!;
  expect(own.length).toBeGreaterThan(2);
  expect(lines.at(-1)).toBe('npm run check');
  for (const step of own) apply(folder, step);
});

it('after all guides, types, lint, import rules and structure are right', { timeout: 600_000 }, async () => {
  const touched = [...new Set([...steps.values()].flatMap((guide) => guide.steps.map(({ path }) => path)))];
  const code = touched.filter((path) => /\.tsx?$/.test(path));
  expect(await run([tool('oxfmt/bin/oxfmt'), ...code])).toEqual(done);
  const lint = [tool('oxlint/bin/oxlint'), '--type-aware', '--type-check', '--quiet'];
  expect(await run([...lint, ...['contract', 'server', 'web'].map((name) => `packages/${name}`)])).toEqual(
    done,
  );
  for (const name of ['check-floors', 'check-shape']) expect(await run([`tools/${name}.mjs`])).toEqual(done);
});

/** The test runs of the guides: each run that records something first, separately; then all others as one run. */
function testRuns(): { args: string[]; variables: Record<string, string> }[] {
  const tests = commands.filter((command) => !['npm run check', 'npm run format'].includes(command));
  const parsed = tests.map((command) => {
    const [, assigned = '', given] =
      /^((?:\w+=\S+ )*)npm (?:test|run test:deep) -- (.+)$/.exec(command) ?? [];
    if (given === undefined) throw new Error(`A guide has an unknown command: ${command}`);
    const variables = Object.fromEntries([...assigned.matchAll(/(\w+)=(\S+)/g)].map((each) => each.slice(1)));
    return { args: given.split(' '), variables: variables as Record<string, string> };
  });
  const isRecording = ({ args, variables }: (typeof parsed)[number]) =>
    args.includes('-u') || Object.keys(variables).length > 0;
  const others = parsed.filter((each) => !isRecording(each)).flatMap(({ args }) => args);
  return [...parsed.filter(isRecording), { args: others, variables: {} }];
}

it('the tests that the guides name pass', { timeout: 900_000 }, async () => {
  for (const { args, variables } of testRuns())
    expect(await run([tool('vitest/vitest.mjs'), 'run', ...args], variables)).toEqual(done);
});
