import { readEnv } from '../boot/env.ts';
import { backupFolderOf, installationOf, noBackup, noneMoved, withoutLog } from '../boot/installation.ts';
import { listBackups, restoreBackup } from '../services/upkeep/backups/index.ts';
import { fail } from './shared/fail.ts';

/**
 * Replaces the installation with a backup: `npm run restore -- <backup>`; without an argument it lists the backups.
 */
async function main(): Promise<void> {
  const env = readEnv(process.env);
  const installation = installationOf(env);
  if (!installation) throw new Error(noBackup);
  const [folder] = process.argv.slice(2);
  if (folder === undefined) {
    const known = await listBackups(backupFolderOf(env));
    if (known.length === 0) throw new Error(`there is no backup in ${backupFolderOf(env)}`);
    process.stdout.write('Name the backup to restore:\n');
    for (const each of known) process.stdout.write(`  ${each.folder}\n`);
    return;
  }
  const { kept, hasLog, lacksLog } = await restoreBackup(folder, installation, new Date());
  process.stdout.write(`${installation.database} is that of ${folder}\n`);
  if (hasLog) process.stdout.write(`${installation.logDatabase} is that of ${folder}\n`);
  else if (lacksLog) process.stdout.write(`${withoutLog}\n`);
  else if (env.logDatabaseUrl !== '') process.stdout.write(`${noneMoved}\n`);
  for (const file of kept) process.stdout.write(`${file}: kept; remove it when it is not needed\n`);
}

main().catch((error: unknown) => fail('Nothing was restored', error));
