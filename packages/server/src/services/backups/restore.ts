import { copyFile, link, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { closeSqliteFile, syncFile } from '../../store/index.ts';
import { BadBackup, exists, filesOf, type Installation, verifyBackup } from './backup.ts';

/** What a restore did. */
export interface Restored {
  /** What stood there before, under other names. */
  kept: string[];
  /** The backup has the database of the log, and it is in its place. */
  hasLog: boolean;
  /** Older rows of the log stand in a database that is not in the backup. */
  lacksLog: boolean;
}

/**
 * Puts a backup in the place of an installation. The backup is verified first; what stood there is kept beside it, under
 * its name and the moment, and never removed. Throws BadBackup, or an Error where
 * Tollgate still runs; then nothing has changed.
 */
export async function restoreBackup(folder: string, to: Installation, now: Date): Promise<Restored> {
  const { hasLog, lacksLog } = await verifyBackup(folder);
  const from = filesOf(folder);
  if (hasLog && to.logDatabase === undefined)
    throw new BadBackup([
      `${folder} has a database of the log: set LOG_SQL_DSN to the file that it is to be`,
    ]);
  // The log's first: a run that dies in between is repeated, and until then no row of the log that comes from it counts twice.
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
    // Each in one step: at no moment is there no database, in whose place the next start would make an empty one.
    for (const { place } of files) await rename(`${place}.restoring`, place);
    return { kept, hasLog, lacksLog };
  } finally {
    for (const { place } of files) await rm(`${place}.restoring`, { force: true });
  }
}

/** Gives what stands at a path a second name. */
async function keep(path: string, mark: string): Promise<string[]> {
  if (!(await exists(path))) return [];
  await link(path, path + mark);
  return [path + mark];
}

/** Puts the key of the backup in its place; one given by SECRET_KEY is in no backup. */
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
