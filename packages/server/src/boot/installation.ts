import { join, resolve } from 'node:path';
import { product } from '@tollgate/contract';
import type { Env } from './env.ts';
import { keyFileOf } from './master-key.ts';
import type { Installation } from '../services/upkeep/backups/index.ts';
import { parseDatabaseUrl } from '../store/database-url.ts';

type BackupEnv = Pick<Env, 'databaseUrl' | 'logDatabaseUrl' | 'dataDir' | 'backupDir'>;

/** The files of the installation; undefined if the database is on a server. */
export function installationOf(env: BackupEnv): Installation | undefined {
  const address = parseDatabaseUrl(env.databaseUrl, env.dataDir);
  if (address.kind !== 'sqlite' || address.path === ':memory:') return undefined;
  const files = { database: address.path, keyFile: keyFileOf(env.dataDir) };
  if (env.logDatabaseUrl === '') return files;
  const log = parseDatabaseUrl(env.logDatabaseUrl, env.dataDir);
  return log.kind === 'sqlite' ? { ...files, logDatabase: log.path } : files;
}

/** Folder of the backups. */
export const backupFolderOf = (env: BackupEnv): string =>
  resolve(env.backupDir || join(env.dataDir, 'backups'));

/** Reason for no automatic backup of a database on a server. */
export const noBackup = `Only SQLite is backed up by ${product.name}. Use pg_dump or mysqldump (or snapshots) for this database, and keep SECRET_KEY.`;

/** Printed for a backup without the older rows of the log. */
export const withoutLog =
  'NOT in this backup: the older rows of the log, in the database that LOG_SQL_DSN names or named. Back that up, and restore it, by ' +
  'its own tools; its backup is to be the later of the two.';

/** Printed when a backup from before the log moved is restored. */
export const noneMoved =
  'No rows of the log had moved when this backup was made: let LOG_SQL_DSN name an empty database before you start.';
