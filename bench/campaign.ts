import { product } from '@tollgate/contract';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Row } from '../packages/server/src/testing/campaign/campaign.ts';
import { strikeFleet } from '../packages/server/src/testing/campaign/fleet.ts';
import { type CampaignDatabase, runCampaign } from '../packages/server/src/testing/campaign/runs.ts';

const usage = `npm run campaign -- [options]
Runs ${product.name} on SQLite, PostgreSQL and MariaDB under traffic, kills and starves it at every point of a call, and compares its
books with what the clients saw (docs/reliability.md). Ends with 1 when something is wrong.
  --rounds=N        how often each fault happens, 5 by default
  --clients=N       clients at once, 24 by default
  --database=NAME   sqlite, postgres or mariadb; the first two by default
  --workers=N       processes that carry calls, 1 by default, more on database servers alone; faults strike one of them or the first
  --only-workers    only what happens to single ones of those processes
  --only-storage    only what happens to the database, its disk and the clock
  --only-fleet      only calls while one channel in three is bad
  --engine=NAME     lean or node; HTTP_ENGINE by default, else lean
  --seed=N          which passes and moments; by the clock by default
  --record          writes the sums of each database into docs/reliability.md and its Chinese page`;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    clients: { type: 'string', default: '24' },
    database: { type: 'string', default: '' },
    engine: { type: 'string', default: process.env['HTTP_ENGINE'] ?? 'lean' },
    workers: { type: 'string', default: '1' },
    'only-workers': { type: 'boolean', default: false },
    'only-storage': { type: 'boolean', default: false },
    'only-fleet': { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const titles = { sqlite: 'SQLite', postgres: 'PostgreSQL', mariadb: 'MariaDB' } as const;
type Database = CampaignDatabase;
const pages = ['docs/reliability.md', 'docs/zh/reliability.md'];

const figures = ['runs', 'calls', 'acknowledged', 'cutOff', 'recovered'] as const;
const titlesOfFigures = ['Times', 'Calls', 'Acknowledged', 'Cut off', 'Charged at the last mark', 'Wrong'];

/** Sums of the figures of several faults, in the order of their titles. */
function sum(rows: readonly Row[]): number[] {
  const add = (figureOf: (row: Row) => number) => rows.reduce((before, row) => before + figureOf(row), 0);
  return [...figures.map((name) => add((row) => row[name])), add(({ wrong }) => wrong.length)];
}

/** A table in Markdown: one line for each name or pair of names, with its figures. */
function render(names: readonly string[], lines: readonly (readonly (string | number)[])[]): string {
  const rule = [...names.map(() => '---'), ...titlesOfFigures.map(() => '---:')];
  return [[...names, ...titlesOfFigures], rule, ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** Puts the table between its marks on the page, in both languages. */
function record(table: string, command: string): void {
  const [start, end] = ['<!-- campaign -->', '<!-- /campaign -->'];
  const date = new Date().toISOString().slice(0, 10);
  const head = `\`${command}\`, ${date}, ${cpus().length} cores, Node ${process.versions.node}:`;
  for (const page of pages) {
    const file = join(import.meta.dirname, '..', page);
    const text = readFileSync(file, 'utf8');
    const from = text.indexOf(start);
    const to = text.indexOf(end);
    if (from < 0 || to < from) throw new Error(`${page} has no place between ${start} and ${end}`);
    writeFileSync(file, `${text.slice(0, from + start.length)}\n${head}\n\n${table}\n${text.slice(to)}`);
  }
}

if (values.help) {
  console.log(usage);
  process.exit(0);
}
const { engine } = values;
const workers = Number(values.workers);
const known = Object.keys(titles) as Database[];
const databases = known.filter((name) =>
  values.database === ''
    ? name !== 'mariadb' && (workers === 1 || name !== 'sqlite')
    : values.database === name,
);
if (databases.length === 0 || (engine !== 'lean' && engine !== 'node')) {
  console.error(usage);
  process.exit(1);
}
const [rounds, clients, seed] = [Number(values.rounds), Number(values.clients), Number(values.seed)];
const results: { database: Database; rows: readonly Row[] }[] = [];
const skipped: string[] = [];
for (const database of databases) {
  const say = (fault: string): void => console.error(`${titles[database]}: ${fault} …`);
  const ofWorkers = values['only-workers'];
  const ofStorage = values['only-storage'];
  const size = { rounds, clients, seed, workers, ofWorkers, ofStorage };
  const rows: Row[] = [];
  if (!values['only-fleet']) {
    const result = await runCampaign({ database, engine, ...size, short: false, say });
    rows.push(...result.rows);
    skipped.push(...result.skipped.map((reason) => `${titles[database]}: skipped: ${reason}`));
  }
  if (!ofWorkers && !ofStorage) {
    say('one channel in three is bad');
    rows.push(
      await strikeFleet({ database, engine, workers, seed, phases: 4 * rounds, phaseMs: 10_000 }, say),
    );
  }
  results.push({ database, rows });
}
const perFault = results.flatMap(({ database, rows }) =>
  rows.filter(({ runs }) => runs > 0).map((row) => [titles[database], row.fault, ...sum([row])]),
);
const total = sum(results.flatMap(({ rows }) => rows)).map((figure) => `**${figure}**`);
console.log(render(['Database', 'Fault'], [...perFault, ['', '**all**', ...total]]));
for (const line of skipped) console.log(line);
const wrong = results.flatMap(({ database, rows }) =>
  rows.flatMap((row) => row.wrong.map((text) => `${titles[database]}, ${row.fault}: ${text}`)),
);
for (const line of wrong) console.log(line);
if (values.record)
  record(
    render(
      ['Database'],
      results.map(({ database, rows }) => [titles[database], ...sum(rows)]),
    ),
    `npm run campaign -- --engine=${engine} --rounds=${rounds} --clients=${clients} --seed=${seed}${workers > 1 ? ` --workers=${workers}` : ''}`,
  );
process.exit(wrong.length === 0 ? 0 : 1);
