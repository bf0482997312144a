import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { product } from '@tollgate/contract';
import {
  archivedUpTo,
  closeSqliteFile,
  copySqlite,
  findDamage,
  openStore,
  syncFile,
} from '../../../store/index.ts';
import { checkBooks } from '../../money/ledger/index.ts';
import { forgetHold, isPair, whileNoneMove } from '../logs/index.ts';

/** The files of one installation on SQLite. */
export interface Installation {
  database: string;
  /** The file of the master key; need not exist if SECRET_KEY is set. */
  keyFile: string;
  /** The file of LOG_SQL_DSN; absent if it is not set, or names a server. */
  logDatabase?: string;
}

interface FileOfBackup {
  bytes: number;
  sha256: string;
}

/** The content of `backup.json`. */
interface Manifest extends FileOfBackup {
  /** Time of the backup, ISO 8601. */
  madeAt: string;
  /** True if the log has its own database in the backup. */
  log?: FileOfBackup;
}

/** A completed backup. */
export interface Backup {
  folder: string;
  /** True if the backup has the master key, and so every secret. */
  hasKey: boolean;
  /** True if older rows of the log are in a database that is not part of it. */
  lacksLog: boolean;
}

const databaseName = `${product.id}.db`;
const logName = 'log.db';
const keyName = 'secret.key';
const manifestName = 'backup.json';
const prefix = `${product.id}-`;
const unfinished = '.partial';

/** An unusable backup; the message has the reason. */
export class BadBackup extends Error {
  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.name = 'BadBackup';
  }
}

/**
 * Copies databases and, unless `withKey` is false, the key into a new folder below `into`. Reads the copies back,
 * checks their books, and only then renames the folder to its final name: a backup with a final name is complete.
 * Throws BadBackup if a copy is not valid; an incomplete folder is removed.
 */
export async function makeBackup(
  from: Installation,
  into: string,
  now: Date,
  { withKey = true } = {},
): Promise<Backup> {
  if (await exists(`${from.keyFile}.former`))
    throw new BadBackup([
      `${from.keyFile}.former is there: finish the change of the key (command rotate-key), take it away, then back up`,
    ]);
  const madeAt = now.toISOString();
  const folder = join(into, prefix + madeAt.replaceAll(':', '-'));
  const partial = folder + unfinished;
  await mkdir(into, { recursive: true, mode: 0o700 });
  await mkdir(partial, { mode: 0o700 });
  try {
    await copyDatabases(from, partial);
    const hasKey = withKey && (await exists(from.keyFile));
    if (hasKey) await copyFile(from.keyFile, join(partial, keyName));
    const manifest: Manifest = {
      madeAt,
      ...(await describe(join(partial, databaseName))),
      ...(from.logDatabase !== undefined && { log: await describe(join(partial, logName)) }),
    };
    const manifestFile = join(partial, manifestName);
    await writeFile(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
    const { lacksLog } = await verifyBackup(partial);
    for (const name of await readdir(partial)) syncFile(join(partial, name));
    await rename(partial, folder);
    return { folder, hasKey, lacksLog };
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Copies the databases. No rows move between them meanwhile, and the log's database is copied first: rows that are
 * deleted from it before the other copy are still in its copy, without a sum of deleted rows, so they count once.
 */
async function copyDatabases({ database, logDatabase }: Installation, into: string): Promise<void> {
  const copy = join(into, databaseName);
  if (logDatabase === undefined) return copySqlite(database, copy);
  const store = await openStore({ url: `sqlite:${database}`, logUrl: `sqlite:${logDatabase}` });
  try {
    await whileNoneMove({ db: store.db, archive: store.archive!, clock: Date.now }, async () => {
      copySqlite(logDatabase, join(into, logName));
      copySqlite(database, copy);
    });
  } finally {
    await store.close();
  }
  const copied = await openStore({ url: `sqlite:${copy}` });
  try {
    await forgetHold(copied.db);
  } finally {
    await copied.close();
  }
  closeSqliteFile(copy);
}

const describe = async (file: string): Promise<FileOfBackup> => {
  const { size: bytes } = await stat(file);
  return { bytes, sha256: await digestFile(file) };
};

/**
 * Verifies a backup completely: the bytes are those written, SQLite finds no damage, and the books agree. Throws
 * BadBackup. Does not change the backup. Returns whether it has a database of the log, and whether one is missing.
 */
export async function verifyBackup(folder: string): Promise<{ hasLog: boolean; lacksLog: boolean }> {
  const manifest = await readManifest(folder);
  const hasLog = manifest.log !== undefined;
  await verifyFile(join(folder, databaseName), manifest);
  if (manifest.log) await verifyFile(join(folder, logName), manifest.log);
  // Uses copies of the copies, because opening a database changes its folder.
  const scratch = [databaseName, ...(hasLog ? [logName] : [])].map((name) => join(folder, `${name}.check`));
  const [main = '', log] = scratch;
  try {
    for (const file of scratch) await copyFile(file.slice(0, -'.check'.length), file);
    const store = await openStore({ url: `sqlite:${main}`, ...(log && { logUrl: `sqlite:${log}` }) });
    try {
      const findings = await checkBooks(store.db);
      if (findings.length > 0)
        throw new BadBackup(findings.map(({ invariant, detail }) => `${invariant}: ${detail}`));
      if (store.archive && !(await isPair(store.db, store.archive)))
        throw new BadBackup([
          `${logName} is not the database that rows of the log in ${databaseName} have moved to`,
        ]);
      return { hasLog, lacksLog: !hasLog && (await archivedUpTo(store.db)) > 0 };
    } finally {
      await store.close();
    }
  } finally {
    for (const file of scratch) for (const end of ['', '-wal', '-shm']) await rm(file + end, { force: true });
  }
}

async function verifyFile(file: string, { sha256 }: FileOfBackup): Promise<void> {
  if ((await digestFile(file)) !== sha256) throw new BadBackup([`${file} is not what was written`]);
  const damage = findDamage(file);
  if (damage.length > 0) throw new BadBackup(damage);
}

/** The completed backups below a folder, the newest first. */
export async function listBackups(into: string): Promise<{ folder: string; madeAt: Date }[]> {
  if (!(await exists(into))) return [];
  const names = (await readdir(into)).filter((name) => name.startsWith(prefix) && !name.endsWith(unfinished));
  const known = await Promise.all(
    names.map(async (name) => {
      const folder = join(into, name);
      const manifest = await readManifest(folder).catch(() => undefined);
      return manifest ? [{ folder, madeAt: new Date(manifest.madeAt) }] : [];
    }),
  );
  return known.flat().toSorted((a, b) => b.madeAt.getTime() - a.madeAt.getTime());
}

/** Removes all but the newest backups. Returns those removed. */
export async function dropOldBackups(into: string, keep: number): Promise<string[]> {
  const old = (await listBackups(into)).slice(keep).map(({ folder }) => folder);
  for (const folder of old) await rm(folder, { recursive: true });
  return old;
}

/** The files of a backup. */
export const filesOf = (folder: string): Required<Installation> => ({
  database: join(folder, databaseName),
  keyFile: join(folder, keyName),
  logDatabase: join(folder, logName),
});

export const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

async function readManifest(folder: string): Promise<Manifest> {
  let text: string;
  try {
    text = await readFile(join(folder, manifestName), 'utf8');
  } catch {
    throw new BadBackup([`${folder} is no backup: ${manifestName} is missing`]);
  }
  const found = JSON.parse(text) as Partial<Manifest>;
  const { madeAt = '', bytes = 0, sha256 = '', log } = found;
  if (sha256 === '' || Number.isNaN(Date.parse(madeAt))) throw new BadBackup([`${manifestName} is damaged`]);
  return { madeAt, bytes, sha256, ...(log && { log }) };
}

async function digestFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
