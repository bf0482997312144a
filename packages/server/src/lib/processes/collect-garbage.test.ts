import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../../../..');
const flags = JSON.parse(readFileSync(join(root, 'tools/node-flags.json'), 'utf8')) as string[];

const program = `
  const { collectGarbage } = await import(${JSON.stringify(join(import.meta.dirname, 'collect-garbage.ts'))});
  const kept = { name: 'kept' };
  const refs = [new WeakRef(kept), new WeakRef({ name: 'dropped' })];
  await new Promise(setImmediate);
  collectGarbage();
  console.log(JSON.stringify(refs.map((ref) => ref.deref()?.name)), kept.name);
`;

/** What is left of two objects, of which one is still held. */
const leftWith = (args: readonly string[]) =>
  spawnSync(process.execPath, [...args, '--input-type=module', '-e', program], { encoding: 'utf8' });

it('keeps referenced objects, and nothing else, with the flags that the server is started with', () => {
  const { stdout, stderr } = leftWith(flags);
  expect([stdout, stderr]).toEqual(['["kept",null] kept\n', '']);
});

it('does no harm without them', () => {
  expect(leftWith([]).stdout).toBe('["kept","dropped"] kept\n');
});
