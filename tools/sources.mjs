// Whether what was built is of the sources as they are. Plain JavaScript that also runs on Node 20, for the launcher.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Where bundles of the server stand, each in a folder of its own. */
export const bundles = join(root, 'packages/server/dist');

/** The built console, which the server serves, and the file in it that names the sources it was built from. */
export const builtWeb = join(root, 'packages/web/dist');
export const webStamp = '.sources';

/** Last change of a file in ms; 0 where there is none. */
export const mtime = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

/** The files below a folder that are sources. */
function* filesBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'dist' || entry.name === 'node_modules') continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else yield path;
  }
}

/**
 * One word for the state of some folders and files: a hash of the path, size and time of each file. So a source that is
 * removed, or replaced by an older one, counts as a change.
 */
function fingerprint(folders, others) {
  const below = folders.flatMap((folder) => [...filesBelow(join(root, folder))]);
  const lines = [...below, ...others.map((file) => join(root, file))].map((file) => {
    const { size, mtimeMs } = statSync(file);
    return `${relative(root, file)} ${size} ${mtimeMs}`;
  });
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex').slice(0, 16);
}

/** The state of all that the console is built from. */
export const webSources = () =>
  fingerprint(['packages/web', 'packages/contract/src'], ['package-lock.json', 'tools/build-web.mjs']);

/** Whether there is no console, or one that was built from other sources. */
export function webIsStale() {
  const stamp = join(builtWeb, webStamp);
  return !existsSync(stamp) || readFileSync(stamp, 'utf8') !== webSources();
}

/**
 * Where the bundle of the server stands that was made of its sources as they are: a folder of its own for each state of
 * them, so that a running server keeps the files that it was started from.
 */
export const bundlePlace = () =>
  join(
    bundles,
    fingerprint(
      ['packages/server', 'packages/contract', 'packages/http-engine'],
      ['package-lock.json', 'tools/bundle.mjs'],
    ),
  );
