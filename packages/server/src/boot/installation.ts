import { join, resolve } from 'node:path';
import type { Env } from './env.ts';
import { keyFileOf } from './master-key.ts';
import type { Installation } from '../services/backups/index.ts';
import { parseDatabaseUrl } from '../store/database-url.ts';

type BackupEnv = Pick<Env, 'databaseUrl' | 'dataDir' | 'backupDir'>;

/** The files of the installation that the environment describes; undefined where the database is a server's. */
export function installationOf(env: BackupEnv): Installation | undefined {
  const address = parseDatabaseUrl(env.databaseUrl, env.dataDir);
  if (address.kind !== 'sqlite' || address.path === ':memory:') return undefined;
  return { database: address.path, keyFile: keyFileOf(env.dataDir) };
}

/** Where backups are kept. */
export const backupFolderOf = (env: BackupEnv): string =>
  resolve(env.backupDir || join(env.dataDir, 'backups'));

/** Why there is no backup of ours for a database that a server keeps. */
export const noBackup =
  'Only SQLite is backed up by Tollgate. Use pg_dump or mysqldump (or snapshots) for this database, and keep SECRET_KEY.';
