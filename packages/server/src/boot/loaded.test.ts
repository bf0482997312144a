import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** True if these modules load Node's own fetch, which takes megabytes of memory and is unused here. */
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

/** Names of the packages that a start loads. */
function packagesOfStart(): string[] {
  const program = `
    import { registerHooks } from 'node:module';
    const names = new Set();
    registerHooks({
      resolve(specifier, context, next) {
        const found = next(specifier, context);
        const [, name] = /node_modules\\/((?:@[^/]+\\/)?[^/]+)(?!.*node_modules)/.exec(found.url) ?? [];
        if (name) names.add(name);
        return found;
      },
    });
    await import(${JSON.stringify(join(import.meta.dirname, '../start.ts'))});
    console.log(JSON.stringify([...names]));
    process.exit(0);
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as string[];
}

/** Packages that few sites use or that are used rarely. Each is loaded on its first use. */
const onFirstUse = [
  '@modelcontextprotocol/sdk',
  '@simplewebauthn/server',
  '@zxcvbn-ts/language-common',
  'csv-parse',
  'gpt-tokenizer',
  'ioredis',
  'jose',
  'music-metadata',
  'mysql2',
  'nodemailer',
  'openid-client',
  'parse5',
  'pg',
  'prom-client',
  'undici',
];

it('a start loads no library that most processes never use', () => {
  const names = packagesOfStart();
  // Sanity check: the list contains a package that every start loads.
  expect(names).toContain('zod');
  expect(names.filter((name) => onFirstUse.includes(name) || name.startsWith('@opentelemetry/'))).toEqual([]);
}, 120_000);
