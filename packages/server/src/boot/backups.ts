import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Env } from './env.ts';
import { backupFolderOf, installationOf } from './installation.ts';
import type { BackupParts } from '../jobs/parts.ts';
import { listBackups } from '../services/upkeep/backups/index.ts';

const command = fileURLToPath(new URL('../commands/backup.ts', import.meta.url));
const run = promisify(execFile);

/** What the backup job needs; null if no backups are configured, or the database is on a server. */
export function openBackups(env: Env): BackupParts | null {
  if (env.backupHours === 0 || !installationOf(env)) return null;
  const folder = backupFolderOf(env);
  return {
    everyHours: env.backupHours,
    newest: async () => (await listBackups(folder))[0]?.madeAt,
    async make() {
      const databases = { DATABASE_URL: env.databaseUrl, LOG_SQL_DSN: env.logDatabaseUrl };
      const given = { ...databases, DATA_DIR: env.dataDir, BACKUP_DIR: folder };
      const more = {
        BACKUP_KEEP: String(env.backupKeep),
        BACKUP_WITHOUT_KEY: String(env.backupWithoutKey),
        PATH: process.env['PATH'],
      };
      const { stdout } = await run(process.execPath, [command], { env: { ...given, ...more } });
      return stdout.trim();
    },
  };
}
