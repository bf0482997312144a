// Checks whether build output matches the current sources. Plain JavaScript that also runs on Node 20, for the launcher.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Folder of the server's bundles, each in its own folder. */
export const bundles = join(root, 'packages/server/dist');

/** The built console, which the server serves, and the file in it with the fingerprint of its sources. */
export const builtWeb = join(root, 'packages/web/dist');
export const webStamp = '.sources';

/** Last change of a file in ms; 0 if it does not exist. */
export const mtime = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

/** Source files below a folder. */
function* filesBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === 'dist' || entry.name === 'node_modules') continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else yield path;
  }
}

/**
 * Fingerprint of some folders and files: a hash of the path, size and time of each file. A source that is
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

/** Fingerprint of all inputs of the console's build. */
export const webSources = () =>
  fingerprint(['packages/web', 'packages/contract/src'], ['package-lock.json', 'tools/build-web.mjs']);

/** True if there is no console, or if it was built from other sources. */
export function webIsStale() {
  const stamp = join(builtWeb, webStamp);
  return !existsSync(stamp) || readFileSync(stamp, 'utf8') !== webSources();
}

/**
 * Folder of the server's bundle for its current sources: each state of the sources has its own folder,
 * so that a running server keeps the files that it was started from.
 */
export const bundlePlace = () =>
  join(
    bundles,
    fingerprint(
      ['packages/server', 'packages/contract', 'packages/http-engine'],
      ['package-lock.json', 'tools/bundle.mjs'],
    ),
  );
