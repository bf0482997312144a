import { existsSync } from 'node:fs';
import { product } from '@tollgate/contract';
import type { Env } from '../../boot/env.ts';
import { installationOf } from '../../boot/installation.ts';
import { readFormerKey, readMasterKey } from '../../boot/master-key.ts';
import { version } from '../../boot/version.ts';
import { createSealer, type Sealer } from '../../lib/seal.ts';
import { firstMasterKey } from '../../services/upkeep/seals/index.ts';
import { closeSqliteFile, type Db, openStore, schemaState, type Store } from '../../store/index.ts';
import { refuseRunning } from '../shared/refuse-running.ts';
import type { ImportTarget } from './run-import.ts';

/** The installation that the environment names. */
export function targetOf(env: Env): ImportTarget {
  const { databaseUrl: url, dataDir, hashOnlyKeys: hashOnly } = env;
  const installation = installationOf(env);
  const isThere = (): boolean => !installation || existsSync(installation.database);
  return {
    url,
    dataDir,
    hashOnly,
    version,
    async look(work) {
      if (!isThere()) return;
      const store = await openStore({ url, dataDir });
      try {
        await lookAt(store, work);
      } finally {
        await store.close();
      }
    },
    stand() {
      if (installation && isThere()) closeSqliteFile(installation.database);
    },
    async openSealer(store) {
      await refuseRunning(store);
      return openSealer(env, store);
    },
  };
}

async function lookAt(store: Store, work: (db: Db) => Promise<unknown>): Promise<void> {
  const state = await schemaState(store);
  if (state === 'foreign') throw new Error(`the database of ${product.name} holds tables of another program`);
  if (state === 'current') await work(store.db);
}

/** The seals of the site; its first master key is stored as at a start. */
async function openSealer(env: Env, { db }: Store): Promise<Sealer> {
  const current = readMasterKey(env);
  const former = readFormerKey(env);
  const sealer = createSealer(current, former);
  await firstMasterKey(db, sealer, { current, former });
  return sealer;
}
