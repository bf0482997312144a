import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const bundler = fileURLToPath(new URL('../../../../tools/bundle.mjs', import.meta.url));
let folder: string | undefined;

/**
 * The file to start for the server (`main`) or for a command, in the bundle of the sources as they are, which is what the
 * archive has: a start compiles one file instead of a thousand. The bundle is made if there is none.
 */
export function bundled(name: string): string {
  folder ??= dirname(execFileSync(process.execPath, [bundler], { encoding: 'utf8' }).trim());
  return join(folder, `${name}.js`);
}

/** What every start of a bundled file gets: the place of commands, and what Node made of the files at an earlier start. */
export const bundledEnv = (): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  NODE_COMPILE_CACHE: join(dirname(bundled('main')), 'compiled'),
});
