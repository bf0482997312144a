import { product } from '@tollgate/contract';
import { parseArgs } from 'node:util';
import { readEnv } from '../boot/env.ts';
import { armFaults } from '../lib/fault-point.ts';
import { fail } from './shared/fail.ts';
import { ImportRefused } from './import/kit/report.ts';
import { reportText } from './import/print.ts';
import { runImport } from './import/run-import.ts';
import { targetOf } from './import/target-of.ts';

const options = {
  from: { type: 'string' },
  'logs-from': { type: 'string', default: '' },
  logs: { type: 'string', default: '' },
  'dry-run': { type: 'boolean', default: false },
  live: { type: 'boolean', default: false },
  credit: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

const help = `Moves an installation of new-api, one-api, one-hub, done-hub, sub2api or LiteLLM into an empty ${product.name} (docs/how-to/move-in.md).

  --from=<source>       Its database, as its SQL_DSN or DATABASE_URL has it, or its SQLite file (or IMPORT_FROM)
  --dry-run             Reads and reports; writes nothing
  --logs=<days>d        Takes over so many days of its log, too
  --logs-from=<source>  The database of its log, if it is another (LOG_SQL_DSN)
  --credit=<dollars>    What everybody who pays starts with, for LiteLLM, which has no balances
  --live                Reads it although somebody uses it
  --json                Prints the report as JSON

LITELLM_SALT_KEY, or LITELLM_MASTER_KEY without one, opens the models in LiteLLM's database,
TOTP_ENCRYPTION_KEY the second factors in sub2api's.
`;

/** Moves an installation of another gateway in: `npm run import -- --from=<dsn|sqlite file> [--dry-run] [--logs=90d]`. */
async function main(): Promise<void> {
  const { values } = parseArgs({ args: process.argv.slice(2), options, strict: true });
  if (values.help) return void process.stdout.write(help);
  const from = values.from ?? process.env['IMPORT_FROM'];
  if (from === undefined) throw new Error(`say where from, such as --from=one-api.db\n\n${help}`);
  const env = readEnv(process.env);
  armFaults(env.faults);
  const order = {
    from,
    logsFrom: values['logs-from'],
    logDays: parseDays(values.logs),
    terms: { variables: process.env, credit: parseDollars(values.credit) },
    dryRun: values['dry-run'],
    isLive: values.live,
    onProgress: (words: string) => void process.stderr.write(`${words}\n`),
  };
  const report = await runImport(order, targetOf(env));
  process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : reportText(report));
}

/** Number of days in a text such as `90d`; 0 for ''. */
function parseDays(text: string): number {
  const days = /^(\d{1,5})d?$/.exec(text)?.[1];
  if (text !== '' && days === undefined) throw new Error('--logs takes a number of days, such as 90d');
  return Number(days ?? 0);
}

/** An amount in US dollars; undefined for none. */
function parseDollars(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}(\.\d{1,6})?$/.test(text))
    throw new Error('--credit takes an amount of dollars, such as 1000');
  return Number(text);
}

main().catch((error: unknown) => {
  if (error instanceof ImportRefused && error.report) process.stdout.write(reportText(error.report));
  fail('Nothing was imported', error);
});
