import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { bundled, bundledEnv } from '../testing/bundled.ts';

const run = (program: string, words: readonly string[]) =>
  spawnSync(program, words, { encoding: 'utf8', env: bundledEnv() });
const script = (shell: string) =>
  run(process.execPath, [bundled('completion'), shell, 'start', 'call', 'site', 'restore', 'completion']);
const has = (shell: string) => run(shell, ['-c', 'exit 0']).status === 0;

/** What bash offers for the last word of a line. */
function offered(line: readonly string[]): string[] {
  const words = line.map((word) => `'${word}'`).join(' ');
  const ask = `${script('bash').stdout}\nCOMP_WORDS=(${words}); COMP_CWORD=${line.length - 1}; _tollgate; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return run('bash', ['-c', ask]).stdout.split('\n').filter(Boolean);
}

describe.skipIf(!has('bash'))('completion in bash', () => {
  it('offers commands, then management calls, steps and files', () => {
    expect(offered(['tollgate', 's'])).toEqual(['start', 'site']);
    expect(offered(['tollgate', 'call', 'tokens.c'])).toContain('tokens.create');
    expect(offered(['tollgate', 'site', ''])).toEqual(['export', 'diff', 'apply', 'from-litellm']);
    expect(offered(['tollgate', 'restore', '/et'])).toEqual(['/etc']);
    expect(offered(['tollgate', 'start', ''])).toEqual([]);
  });
});

it.each(['zsh', 'fish'].filter(has))('the script of %s can be parsed', (shell) => {
  const { stdout } = script(shell);
  expect(stdout).toContain('tokens.create');
  const parsed = spawnSync(shell, ['-n'], { input: stdout, encoding: 'utf8' });
  expect([parsed.status, parsed.stderr]).toEqual([0, '']);
});

it('says which shells there are', () => {
  expect(script('--help').stdout).toMatch(/bash .*\n {2}zsh .*\n {2}fish /);
  const { status, stderr } = script('cmd');
  expect([status, stderr]).toEqual([1, expect.stringMatching(/there is no script for cmd/)]);
});
