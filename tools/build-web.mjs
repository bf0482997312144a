// Builds the console in a temporary folder and then moves it into place: a running server serves a complete console, and two
// simultaneous starts do not write into the same folder.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { builtWeb, mtime, root, webIsStale, webSources, webStamp } from './sources.mjs';

/** Folder for builds in progress. Git, the checks and the fingerprint of the sources ignore it. */
const workFolder = join(root, 'dist');
const prefix = 'console-';
const hourMs = 3_600_000;

/** Removes the output of killed builds. */
function prune() {
  for (const name of readdirSync(workFolder).filter((each) => each.startsWith(prefix))) {
    const path = join(workFolder, name);
    if (mtime(path) < Date.now() - hourMs) rmSync(path, { recursive: true, force: true });
  }
}

/** Replaces the console with a folder, and restores the old console if that fails. */
function install(folder) {
  const former = `${folder}-former`;
  try {
    renameSync(builtWeb, former);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  try {
    renameSync(folder, builtWeb);
  } catch (error) {
    if (existsSync(former) && !existsSync(builtWeb)) renameSync(former, builtWeb);
    throw error;
  }
}

mkdirSync(workFolder, { recursive: true });
prune();
const folder = join(workFolder, `${prefix}${randomUUID()}`);
// Computed before the sources are read: a source that changes during the build makes the result stale.
const sources = webSources();
try {
  await build({
    root: join(root, 'packages/web'),
    logLevel: 'warn',
    build: { outDir: folder, emptyOutDir: true },
  });
  writeFileSync(join(folder, webStamp), sources);
  install(folder);
} catch (error) {
  // If another start was faster, its console has the same content.
  if (webIsStale()) throw error;
} finally {
  for (const left of [folder, `${folder}-former`]) rmSync(left, { recursive: true, force: true });
}
