import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const bundler = fileURLToPath(new URL('../../../../tools/bundle.mjs', import.meta.url));
let folder: string | undefined;

/**
 * Path of the bundle to start for the server (`main`) or for a command. The bundle has the current sources, in the same
 * form as the release archive. A start compiles one file instead of a thousand. Builds the bundle if it is missing.
 */
export function bundled(name: string): string {
  folder ??= dirname(execFileSync(process.execPath, [bundler], { encoding: 'utf8' }).trim());
  return join(folder, `${name}.js`);
}

/** Environment for every start of a bundled file: PATH for commands, and Node's compile cache. */
export const bundledEnv = (): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  NODE_COMPILE_CACHE: join(dirname(bundled('main')), 'compiled'),
});
