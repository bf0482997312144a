import { readEnv } from './env.ts';
import { systemClock } from './lib/clock.ts';
import { rebuildTotals } from './services/ledger/index.ts';
import { rebuildHours } from './services/metering/index.ts';
import { migrate, openStore } from './store/index.ts';

/** Writes used totals, request counts and hourly sums anew from the ledger: `npm run rebuild-sums`. */
async function main(): Promise<void> {
  const env = readEnv(process.env);
  const store = await openStore({ url: env.databaseUrl, dataDir: env.dataDir });
  try {
    await migrate(store);
    for (const { sum, rows } of await rebuildTotals(store)) {
      process.stdout.write(`${sum}: ${rows} rows written anew\n`);
    }
    const hours = await rebuildHours({ store, clock: systemClock });
    process.stdout.write(`I17 quota_data: ${hours} rows written anew\n`);
  } finally {
    await store.close();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(
    `The sums were not rebuilt: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exit(1);
});
