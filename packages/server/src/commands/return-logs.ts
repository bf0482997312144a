import { existsSync } from 'node:fs';
import { readEnv } from '../boot/env.ts';
import { installationOf } from '../boot/installation.ts';
import { systemClock } from '../lib/clock.ts';
import { returnLogs } from '../services/upkeep/logs/index.ts';
import { closeSqliteFile, migrate, openStore } from '../store/index.ts';
import { fail } from './shared/fail.ts';
import { refuseRunning } from './shared/refuse-running.ts';

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
    // A running read or refund would look for rows in the wrong database.
    await refuseRunning(store);
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

main().catch((error: unknown) => fail('Not all rows of the log have come back', error));
