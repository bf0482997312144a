import { copyFile, link, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { closeSqliteFile, syncFile } from '../../store/index.ts';
import { exists, filesOf, type Installation, verifyBackup } from './backup.ts';

/**
 * Puts a backup in the place of an installation. The backup is verified first; what stood there is kept beside it, under
 * its name and the moment, and never removed. Answers the files that were kept. Throws BadBackup, or an Error where
 * Tollgate still runs; then nothing has changed.
 */
export async function restoreBackup(folder: string, to: Installation, now: Date): Promise<string[]> {
  await verifyBackup(folder);
  const from = filesOf(folder);
  await mkdir(dirname(to.database), { recursive: true, mode: 0o700 });
  if (await exists(to.database)) closeSqliteFile(to.database);
  const fresh = `${to.database}.restoring`;
  const mark = `.replaced-${now.toISOString().replaceAll(':', '-')}`;
  try {
    await copyFile(from.database, fresh);
    syncFile(fresh);
    const kept = [...(await keep(to.database, mark)), ...(await replaceKey(from.keyFile, to.keyFile, mark))];
    // In one step: at no moment is there no database, in whose place the next start would make an empty one.
    await rename(fresh, to.database);
    return kept;
  } finally {
    await rm(fresh, { force: true });
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
