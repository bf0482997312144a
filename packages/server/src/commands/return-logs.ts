import { existsSync } from 'node:fs';
import { readEnv } from '../boot/env.ts';
import { installationOf } from '../boot/installation.ts';
import { systemClock, systemSleep } from '../lib/clock.ts';
import { returnLogs } from '../services/logs/index.ts';
import { closeSqliteFile, migrate, nodeBeats, openStore, type Store } from '../store/index.ts';
import { fail } from './fail.ts';

/** Each running process writes a heartbeat every second; in this time each has written one, in ms. */
const watchedMs = 2_500;
/** The sums of deleted rows are returned in one transaction, and the archive is emptied in one; in ms. */
const statementTimeoutMs = 3_600_000;

/**
 * Moves the rows of the log back from the database of LOG_SQL_DSN, while Tollgate is stopped: `npm run return-logs`.
 */
async function main(): Promise<void> {
  const env = readEnv(process.env);
  if (env.logDatabaseUrl === '')
    throw new Error('set LOG_SQL_DSN to the database that rows of the log have moved to');
  const installation = installationOf(env);
  // A file that another process uses cannot be locked.
  if (installation && existsSync(installation.database)) closeSqliteFile(installation.database);
  const { databaseUrl: url, logDatabaseUrl: logUrl, dataDir } = env;
  const store = await openStore({ url, logUrl, dataDir, statementTimeoutMs });
  try {
    await migrate(store);
    await refuseLiving(store);
    const { db, archive } = store;
    const rows = await returnLogs({ db, archive: archive!, clock: systemClock });
    process.stdout.write(`${rows} rows of the log have come back\n`);
    process.stdout.write(
      'LOG_SQL_DSN is needed no more: take it away from all processes before they start\n',
    );
  } finally {
    await store.close();
  }
}

/** A running read or refund would look for rows in the wrong database. */
async function refuseLiving({ db, sqlite }: Store): Promise<void> {
  if (sqlite) return;
  const before = await nodeBeats.all(db);
  await systemSleep(watchedMs);
  const after = await nodeBeats.all(db);
  const living = [...after].filter(([node, count]) => before.get(node) !== count).map(([node]) => node);
  if (living.length > 0) throw new Error(`stop all processes first: ${living.join(', ')}`);
}

main().catch((error: unknown) => fail('Not all rows of the log have come back', error));
