// Whether what was built is of the sources as they are. Plain JavaScript that also runs on Node 20, for the launcher.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Where bundles of the server stand, each in a folder of its own. */
export const bundles = join(root, 'packages/server/dist');

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

/** Whether a source of the console is newer than the console. */
export function webIsStale() {
  const files = ['packages/web', 'packages/contract/src'].flatMap((part) => [
    ...filesBelow(join(root, part)),
  ]);
  const newest = [...files, join(root, 'package-lock.json')].reduce(
    (late, file) => Math.max(late, mtime(file)),
    0,
  );
  return newest > mtime(join(root, 'packages/web/dist/index.html'));
}

/**
 * Where the bundle of the server stands that was made of its sources as they are: a folder named after the path, size and
 * time of each of them. So a source that is removed, or replaced by one that is older than the bundle, counts as a change,
 * and a running server keeps the files that it was started from.
 */
export function bundlePlace() {
  const parts = ['server', 'contract', 'http-engine'].map((part) => join(root, 'packages', part));
  const others = ['package-lock.json', 'tools/bundle.mjs'].map((file) => join(root, file));
  const files = [...parts.flatMap((part) => [...filesBelow(part)]), ...others];
  const lines = files.map((file) => {
    const { size, mtimeMs } = statSync(file);
    return `${relative(root, file)} ${size} ${mtimeMs}`;
  });
  return join(bundles, createHash('sha256').update(lines.sort().join('\n')).digest('hex').slice(0, 16));
}
