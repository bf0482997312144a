import { copyFile, link, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { closeSqliteFile, syncFile } from '../../../store/index.ts';
import { BadBackup, exists, filesOf, type Installation, verifyBackup } from './backup.ts';

/** Result of a restore. */
export interface Restored {
  /** The previous files, under their new names. */
  kept: string[];
  /** True if the backup has the database of the log, and it was restored. */
  hasLog: boolean;
  /** True if older rows of the log are in a database that is not part of the backup. */
  lacksLog: boolean;
}

/**
 * Replaces an installation with a backup. The backup is verified first; the previous files are kept beside it under a
 * name with the time, and never removed. Throws BadBackup, or an Error if Tollgate is running; then nothing has
 * changed.
 */
export async function restoreBackup(folder: string, to: Installation, now: Date): Promise<Restored> {
  const { hasLog, lacksLog } = await verifyBackup(folder);
  const from = filesOf(folder);
  if (hasLog && to.logDatabase === undefined)
    throw new BadBackup([
      `${folder} has a database of the log: set LOG_SQL_DSN to the file that it is to be`,
    ]);
  // The log's database first: if the restore dies in between it is repeated, and until then no row of the log counts
  // twice.
  const files = [
    ...(hasLog ? [{ copy: from.logDatabase, place: to.logDatabase! }] : []),
    { copy: from.database, place: to.database },
  ];
  const mark = `.replaced-${now.toISOString().replaceAll(':', '-')}`;
  for (const { place } of files) {
    await mkdir(dirname(place), { recursive: true, mode: 0o700 });
    if (await exists(place)) closeSqliteFile(place);
  }
  try {
    for (const { copy, place } of files) {
      await copyFile(copy, `${place}.restoring`);
      syncFile(`${place}.restoring`);
    }
    const kept: string[] = [];
    for (const { place } of files) kept.push(...(await keep(place, mark)));
    kept.push(...(await replaceKey(from.keyFile, to.keyFile, mark)));
    // Each by one rename: otherwise a start in between would create an empty database.
    for (const { place } of files) await rename(`${place}.restoring`, place);
    return { kept, hasLog, lacksLog };
  } finally {
    for (const { place } of files) await rm(`${place}.restoring`, { force: true });
  }
}

/** Adds a second name (hard link) to the file at a path. */
async function keep(path: string, mark: string): Promise<string[]> {
  if (!(await exists(path))) return [];
  await link(path, path + mark);
  return [path + mark];
}

/** Restores the key of the backup; a key given by SECRET_KEY is not in a backup. */
async function replaceKey(from: string, to: string, mark: string): Promise<string[]> {
  if (!(await exists(from))) return [];
  if ((await exists(to)) && (await sameBytes(from, to))) return [];
  const kept = await keep(to, mark);
  await copyFile(from, `${to}.restoring`);
  await rename(`${to}.restoring`, to);
  return kept;
}

const sameBytes = async (a: string, b: string): Promise<boolean> =>
  (await readFile(a)).equals(await readFile(b));
