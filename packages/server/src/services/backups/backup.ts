import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { copySqlite, damageOf, openStore, syncFile } from '../../store/index.ts';
import { checkBooks } from '../ledger/index.ts';

/** The files of one installation on SQLite. */
export interface Installation {
  database: string;
  /** The file of the master key; it need not exist where SECRET_KEY is set. */
  keyFile: string;
}

/** What stands in `backup.json`. */
interface Manifest {
  /** When it was made, ISO 8601. */
  madeAt: string;
  bytes: number;
  sha256: string;
}

const databaseName = 'tollgate.db';
const keyName = 'secret.key';
const manifestName = 'backup.json';
const prefix = 'tollgate-';
const unfinished = '.partial';

/** A backup that cannot be used, and why. */
export class BadBackup extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.name = 'BadBackup';
  }
}

/**
 * Copies database and key into a folder of its own below `into`, reads the copy back, checks its books, and only then
 * gives the folder its name: a backup that has one is whole. Answers its path. Throws BadBackup where the copy is not
 * what it should be; what was begun is removed.
 */
export async function makeBackup(from: Installation, into: string, now: Date): Promise<string> {
  if (await exists(`${from.keyFile}.former`))
    throw new BadBackup([
      `${from.keyFile}.former is there: finish the change of the key (npm run rotate-key), take it away, then back up`,
    ]);
  const madeAt = now.toISOString();
  const folder = join(into, prefix + madeAt.replaceAll(':', '-'));
  const partial = folder + unfinished;
  await mkdir(into, { recursive: true, mode: 0o700 });
  await mkdir(partial, { mode: 0o700 });
  try {
    const database = join(partial, databaseName);
    copySqlite(from.database, database);
    if (await exists(from.keyFile)) await copyFile(from.keyFile, join(partial, keyName));
    const { size: bytes } = await stat(database);
    const manifest: Manifest = { madeAt, bytes, sha256: await digestOf(database) };
    const manifestFile = join(partial, manifestName);
    await writeFile(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`);
    await verifyBackup(partial);
    for (const name of await readdir(partial)) syncFile(join(partial, name));
    await rename(partial, folder);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
  return folder;
}

/**
 * Reads a backup wholly: its bytes are those that were written, SQLite finds no damage, and its books agree. Throws
 * BadBackup. The backup is left as it is.
 */
export async function verifyBackup(folder: string): Promise<void> {
  const manifest = await manifestOf(folder);
  const database = join(folder, databaseName);
  const sha256 = await digestOf(database);
  if (sha256 !== manifest.sha256) throw new BadBackup([`${database} is not what was written`]);
  const damage = damageOf(database);
  if (damage.length > 0) throw new BadBackup(damage);
  // A copy of the copy: opening a database to work with leaves traces in it.
  const scratch = `${database}.check`;
  await copyFile(database, scratch);
  try {
    const store = await openStore({ url: `sqlite:${scratch}` });
    try {
      const findings = await checkBooks(store.db);
      if (findings.length > 0)
        throw new BadBackup(findings.map(({ invariant, detail }) => `${invariant}: ${detail}`));
    } finally {
      await store.close();
    }
  } finally {
    for (const end of ['', '-wal', '-shm']) await rm(scratch + end, { force: true });
  }
}

/** The finished backups below a folder, the newest first. */
export async function listBackups(into: string): Promise<{ folder: string; madeAt: Date }[]> {
  if (!(await exists(into))) return [];
  const names = (await readdir(into)).filter((name) => name.startsWith(prefix) && !name.endsWith(unfinished));
  const known = await Promise.all(
    names.map(async (name) => {
      const folder = join(into, name);
      const manifest = await manifestOf(folder).catch(() => undefined);
      return manifest ? [{ folder, madeAt: new Date(manifest.madeAt) }] : [];
    }),
  );
  return known.flat().toSorted((a, b) => b.madeAt.getTime() - a.madeAt.getTime());
}

/** Removes all but the newest backups. Answers those removed. */
export async function dropOldBackups(into: string, keep: number): Promise<string[]> {
  const old = (await listBackups(into)).slice(keep).map(({ folder }) => folder);
  for (const folder of old) await rm(folder, { recursive: true });
  return old;
}

/** The files of a backup. */
export const filesOf = (folder: string): Installation => ({
  database: join(folder, databaseName),
  keyFile: join(folder, keyName),
});

export const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

async function manifestOf(folder: string): Promise<Manifest> {
  let text: string;
  try {
    text = await readFile(join(folder, manifestName), 'utf8');
  } catch {
    throw new BadBackup([`${folder} is no backup: ${manifestName} is missing`]);
  }
  const found = JSON.parse(text) as Partial<Manifest>;
  const { madeAt = '', bytes = 0, sha256 = '' } = found;
  if (sha256 === '' || Number.isNaN(Date.parse(madeAt))) throw new BadBackup([`${manifestName} is damaged`]);
  return { madeAt, bytes, sha256 };
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
