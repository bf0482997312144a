import { parseArgs } from 'node:util';
import { readEnv } from '../boot/env.ts';
import { backupFolderOf, installationOf, noBackup, withoutLog } from '../boot/installation.ts';
import { dropOldBackups, makeBackup } from '../services/upkeep/backups/index.ts';
import { fail } from './shared/fail.ts';

const keyInside =
  'IT HOLDS THE MASTER KEY: WHOEVER HAS THIS FOLDER HAS EVERY STORED SECRET (--without-key leaves it out)';

/** Makes a verified backup, while Tollgate is running or stopped: `npm run backup -- [folder] [--without-key] [--json]`. */
async function main(): Promise<void> {
  const env = readEnv(process.env);
  const installation = installationOf(env);
  if (!installation) throw new Error(noBackup);
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'without-key': { type: 'boolean', default: env.backupWithoutKey }, json: { type: 'boolean' } },
  });
  const into = positionals[0] ?? backupFolderOf(env);
  const withKey = !values['without-key'];
  const { folder, hasKey, lacksLog } = await makeBackup(installation, into, new Date(), { withKey });
  const removed = await dropOldBackups(into, env.backupKeep);
  if (values.json) {
    process.stdout.write(`${JSON.stringify({ folder, hasKey, lacksLog, removed }, null, 2)}\n`);
    return;
  }
  process.stdout.write(`${folder}: whole, and its books agree\n`);
  if (hasKey) process.stdout.write(`${keyInside}\n`);
  if (lacksLog) process.stdout.write(`${withoutLog}\n`);
  for (const old of removed) process.stdout.write(`${old}: removed\n`);
}

main().catch((error: unknown) => fail('No backup was made', error));
