import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** Whether Node's own fetch is there once these modules have been loaded: megabytes that nobody here uses. */
function loadsFetch(...modules: string[]): boolean {
  const program = `
    for (const module of ${JSON.stringify(modules)}) await import(module);
    console.log(process.moduleLoadList.includes('NativeModule internal/deps/undici/undici'));
    process.exit(0);
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as boolean;
}

it('a start does not load the fetch of Node', () => {
  const here = import.meta.dirname;
  expect(loadsFetch(join(here, '../start.ts'), join(here, 'workers/index.ts'))).toBe(false);
}, 120_000);

it('an import of node:http by name would load it', () => {
  expect(loadsFetch('node:http')).toBe(true);
});
