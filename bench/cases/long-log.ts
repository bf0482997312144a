import { type BenchDatabase, databaseNames, startDatabase } from '../parts/database.ts';
import { type Gateway, startGateway } from '../parts/gateway.ts';
import { seedBusyMinutes, seedLog, type Seeded } from '../parts/log-seed.ts';
import { freePorts } from '../parts/process.ts';
import { type LogPages, timePages } from './logs.ts';
import { runRetention } from './retention.ts';

interface Options {
  /** One of `databaseNames`. */
  database: string;
  rows: number;
  /** Maximum duration of a deletion of old rows beside calls. */
  deleteSeconds: number;
  folder: string;
  say: (text: string) => void;
}

const deletedRows = 1_000_000;

/** Fills a log on a separate database and measures it on a gateway. The log has no calls of other parts of the bench. */
export async function runLongLog({ database: wanted, rows, folder, ...more }: Options): Promise<LogPages> {
  const name = databaseNames.find((known) => known === wanted);
  if (!name) throw new Error(`--database is one of ${databaseNames.join(', ')}`);
  const database = await startDatabase(name, folder);
  try {
    const gateway = await findPlace(database, folder);
    await gateway(async () => {});
    more.say(`log: writing ${rows} rows …`);
    const seeded = await seedLog(database.url, rows);
    more.say(`log: written and summed in ${seeded.all.toFixed(1)} s`);
    return await measureLog({ database, gateway, seeded, ...more });
  } finally {
    await database.stop();
  }
}

/** Starts a gateway on the database, runs the work, and stops the gateway. */
type WithGateway = <T>(work: (gateway: Gateway) => Promise<T>) => Promise<T>;

async function findPlace(database: BenchDatabase, folder: string): Promise<WithGateway> {
  // Never called, but a channel requires a complete address.
  const upstream = { host: 'http://127.0.0.1', port: 9 };
  const env = { SQL_DSN: database.url, SECRET_KEY: 'a key of the bench, which guards nothing' };
  const place = { name: 'logs', folder, port: await freePorts(1), upstream, core: 0, env };
  return async (work) => {
    const gateway = await startGateway(place);
    const done = await work(gateway);
    await gateway.running.stop();
    return done;
  };
}

interface Filled extends Pick<Options, 'deleteSeconds' | 'say'> {
  database: BenchDatabase;
  gateway: WithGateway;
  seeded: Seeded;
}

/** Measures a filled log: with all hours summed, then with unsummed minutes, then during a deletion. */
async function measureLog({ database, gateway, seeded, deleteSeconds, say }: Filled): Promise<LogPages> {
  const { rows } = seeded;
  const timed = () => gateway((one) => timePages({ gateway: one, database }, rows));
  const summed = await timed();
  const minutes = await seedBusyMinutes(database.url, seeded);
  say(`log: ${minutes.rows} rows of the last ${minutes.seconds} s are not summed`);
  const busy = await timed();
  say('log: deleting old rows beside calls …');
  const retention = await runRetention(database.url, { rows: deletedRows, mostSeconds: deleteSeconds });
  return { database: database.name, seeded, summed, busy: { ...busy, ...minutes }, retention };
}
