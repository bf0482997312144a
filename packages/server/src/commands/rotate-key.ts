import { readEnv } from '../boot/env.ts';
import { beginRotation, readFormerKey, readMasterKey } from '../boot/master-key.ts';
import { createSealer } from '../lib/seal.ts';
import { firstMasterKey, rotateSeals, unopened } from '../services/upkeep/seals/index.ts';
import { migrate, openStore, type Store } from '../store/index.ts';
import { fail } from './shared/fail.ts';

/** Encrypts every stored secret again with a new master key, while Tollgate is stopped: `npm run rotate-key`. */
async function main(): Promise<void> {
  const env = readEnv(process.env);
  beginRotation(env);
  const current = readMasterKey(env);
  const former = readFormerKey(env);
  if (!former) throw new Error('no former key is given');
  const store = await openStore({ url: env.databaseUrl, dataDir: env.dataDir });
  try {
    await migrate(store);
    await rotate(store, current, former);
  } finally {
    await store.close();
  }
}

async function rotate({ db }: Store, current: Buffer, former: Buffer): Promise<void> {
  const either = createSealer(current, former);
  const alone = createSealer(current);
  await firstMasterKey(db, either, { current, former });
  const renewed = await rotateSeals({ db, either, current: alone });
  process.stdout.write(`${renewed} secrets were sealed anew\n`);
  const left = await unopened(db, alone);
  for (const { column, row } of left)
    process.stdout.write(`WRONG: ${column} of ${row} opens with neither key\n`);
  if (left.length > 0) {
    process.exitCode = 1;
    return;
  }
  process.stdout.write('every secret opens with the new key alone\n');
  process.stdout.write(
    'The former key (FORMER_SECRET_KEY, or secret.key.former) is needed no more: take it away\n',
  );
}

main().catch((error: unknown) => fail('The key was not changed', error));
