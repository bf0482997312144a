import { readEnv } from '../boot/env.ts';
import { backupFolderOf, installationOf, noBackup, withoutLog } from '../boot/installation.ts';
import { dropOldBackups, makeBackup } from '../services/upkeep/backups/index.ts';
import { fail } from './fail.ts';

/** Makes a verified backup, while Tollgate is running or stopped: `npm run backup -- [folder]`. */
async function main(): Promise<void> {
  const env = readEnv(process.env);
  const installation = installationOf(env);
  if (!installation) throw new Error(noBackup);
  const into = process.argv[2] ?? backupFolderOf(env);
  const { folder, lacksLog } = await makeBackup(installation, into, new Date());
  process.stdout.write(`${folder}: whole, and its books agree\n`);
  if (lacksLog) process.stdout.write(`${withoutLog}\n`);
  for (const old of await dropOldBackups(into, env.backupKeep)) process.stdout.write(`${old}: removed\n`);
}

main().catch((error: unknown) => fail('No backup was made', error));
