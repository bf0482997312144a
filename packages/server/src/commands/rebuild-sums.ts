import { readEnv } from '../boot/env.ts';
import { fail } from './shared/fail.ts';
import { systemClock } from '../lib/clock.ts';
import { checkBooks, rebuildTotals } from '../services/money/ledger/index.ts';
import { createLogHours } from '../services/upkeep/logs/index.ts';
import { rebuildHours } from '../services/calls/metering/index.ts';
import { migrate, openStore, type Store } from '../store/index.ts';

/** Recomputes used totals, request counts and hourly sums from the ledger and the log: `npm run rebuild-sums`. */
async function main(): Promise<void> {
  const env = readEnv(process.env);
  const store = await openStore({ url: env.databaseUrl, logUrl: env.logDatabaseUrl, dataDir: env.dataDir });
  try {
    await migrate(store);
    if (store.archive) await migrate(store.archive);
    for (const { sum, rows } of await rebuildTotals(store)) {
      process.stdout.write(`${sum}: ${rows} rows written anew\n`);
    }
    const hours = await rebuildHours({ store, clock: systemClock });
    process.stdout.write(`I17 quota_data: ${hours} rows written anew\n`);
    for (const { db, reports } of [store, ...(store.archive ? [store.archive] : [])]) {
      const logHours = createLogHours({ db, reports, clock: systemClock });
      process.stdout.write(`log_hours: ${await logHours.rebuild()} hours summed anew\n`);
    }
    await checkAll(store);
  } finally {
    await store.close();
  }
}

/** Checks every entry and every row once; this command cannot repair the remaining errors. */
async function checkAll(store: Store): Promise<void> {
  const findings = await checkBooks(store.db);
  for (const { invariant, detail } of findings) process.stdout.write(`WRONG: ${invariant}: ${detail}\n`);
  if (findings.length === 0) process.stdout.write('the books agree\n');
  else process.exitCode = 1;
}

main().catch((error: unknown) => fail('The sums were not rebuilt', error));
