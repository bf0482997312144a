import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../../../..');
const flags = JSON.parse(readFileSync(join(root, 'tools/node-flags.json'), 'utf8')) as string[];

const program = (isBusy: boolean) => `
  const { collectStartGarbage } = await import(${JSON.stringify(join(import.meta.dirname, 'collect-garbage.ts'))});
  const kept = { name: 'kept' };
  const refs = [new WeakRef(kept), new WeakRef({ name: 'dropped' })];
  collectStartGarbage(() => ${isBusy}, 10);
  await new Promise((resolve) => setTimeout(resolve, 100));
  console.log(JSON.stringify(refs.map((ref) => ref.deref()?.name)), kept.name);
`;

/** Objects that remain after the start, out of two of which one is still referenced. */
const leftWith = (args: readonly string[], isBusy = false) =>
  spawnSync(process.execPath, [...args, '--input-type=module', '-e', program(isBusy)], { encoding: 'utf8' });

it('keeps referenced objects, and nothing else, with the flags that the server is started with', () => {
  const { stdout, stderr } = leftWith(flags);
  expect([stdout, stderr]).toEqual(['["kept",null] kept\n', '']);
});

it.each([
  ['without them', [], false],
  ['in a process that is busy', flags, true],
])('does nothing %s', (_case, args, isBusy) => {
  expect(leftWith(args, isBusy).stdout).toBe('["kept","dropped"] kept\n');
});
