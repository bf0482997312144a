import { product } from '@tollgate/contract';
import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Gateway, startGateway } from '../parts/gateway.ts';
import type { Loader } from '../parts/load.ts';
import { seedLog } from '../parts/log-seed.ts';
import { freePorts, start } from '../parts/process.ts';
import { median, modelOf, type Subject, upstreamPorts } from '../parts/subject.ts';
import { runStreams, warmUpForStreams } from './streams.ts';
import { runThroughput, throughputCases } from './throughput.ts';

/** Cost of a call, or of a stream's event, with a large amount compared with a small one. */
export interface Growth {
  label: string;
  /** The amount. */
  few: number;
  many: number;
  /** Processor time in microseconds, medians. */
  fewUs: number;
  manyUs: number;
  /** Median over the rounds of the ratio between the window with a large amount and the window with a small one. */
  ratio: number;
}

interface GrowthSetup {
  folder: string;
  /** Path of the upstream program, and the port of a running one. */
  upstreamProgram: string;
  upstream: number;
  core: number;
  otherCore: number;
}

const channelCount = 1_000;
const keyCount = 100_000;
const keysOfUser = 100;

const open = async (
  setup: GrowthSetup,
  name: string,
  port: number,
  upstream = setup.upstream,
): Promise<Gateway> =>
  startGateway({
    name,
    folder: setup.folder,
    port,
    upstream: { host: 'http://127.0.0.1', port: upstream },
    core: setup.core,
    // A thousand channels are added at once.
    env: { GLOBAL_API_RATE_LIMIT_ENABLE: 'false' },
  });

/** Restarts a gateway: `change` has exclusive use of its data folder between stop and start. */
async function reopened(
  setup: GrowthSetup,
  name: string,
  change: (dataDir: string) => void | Promise<void>,
): Promise<Gateway> {
  const port = await freePorts(1);
  const first = await open(setup, name, port);
  await first.running.stop();
  await change(first.dataDir);
  return open(setup, name, port);
}

/** All of them serve the called model at the same priority. */
async function addChannels(gateway: Gateway, setup: GrowthSetup): Promise<void> {
  for (let number = 1; number < channelCount; number += 1) {
    await gateway.call('POST', '/api/channel/', {
      type: 1,
      name: `bench ${number}`,
      key: 'sk-bench',
      base_url: `http://127.0.0.1:${setup.upstream + upstreamPorts.json}`,
      models: modelOf.json,
      group: 'default',
    });
  }
}

/** Writes a row repeatedly, with different values in some columns. */
function rowCopier(
  db: DatabaseSync,
  table: string,
): (changes: Record<string, string | number | null>) => void {
  const first = db.prepare(`select * from ${table} limit 1`).get() as Record<string, string | number | null>;
  const columns = Object.keys(first);
  const names = columns.map((column) => `"${column}"`).join(', ');
  const insert = db.prepare(`insert into ${table} (${names}) values (${columns.map(() => '?').join(', ')})`);
  return (changes) => {
    const row = { ...first, ...changes };
    insert.run(...columns.map((column) => row[column] ?? null));
  };
}

/** Adds users to a stopped gateway, with keys for each, and writes the keys to a file. They share the first user's balance. */
function seedKeys(dataDir: string, file: string): void {
  const db = new DatabaseSync(join(dataDir, `${product.id}.db`));
  const addUser = rowCopier(db, 'users');
  const addToken = rowCopier(db, 'tokens');
  const keys: string[] = [];
  db.exec('begin');
  for (let user = 2; keys.length < keyCount; user += 1) {
    addUser({ id: user, username: `bench${user}`, aff_code: `bench${user}`, role: 1 });
    for (let number = 0; number < keysOfUser; number += 1) {
      const key = randomBytes(24).toString('hex');
      const key_hash = createHash('sha256').update(key).digest('hex');
      addToken({ id: null, user_id: user, key_hash });
      keys.push(`sk-${key}`);
    }
  }
  db.exec('commit');
  db.close();
  writeFileSync(file, `${keys.join('\n')}\n`);
}

/** Cost of a small call: with one channel, key and log row, and with many of each in a separate gateway. */
async function growthOfCalls(
  loader: Loader,
  setup: GrowthSetup,
  rows: number,
  windows: number,
): Promise<Growth[]> {
  const keysFile = join(setup.folder, 'keys.txt');
  const few = await open(setup, 'few', await freePorts(1));
  const channels = await open(setup, 'channels', await freePorts(1));
  await addChannels(channels, setup);
  const keys = await reopened(setup, 'keys', (dataDir) => seedKeys(dataDir, keysFile));
  const log = await reopened(setup, 'log', async (dataDir) => {
    await seedLog(`sqlite:${join(dataDir, `${product.id}.db`)}`, rows);
  });
  const subjects: Subject[] = [few, channels, { ...keys, keysFile }, log];
  const json = throughputCases.find(({ id }) => id === 'json')!;
  const found = await runThroughput(loader, subjects, json, windows);
  for (const { running } of [few, channels, keys, log]) await running.stop();
  const beside = (name: string, label: string, many: number): Growth => ({
    label,
    few: 1,
    many,
    fewUs: found['few']!.cpuUsPerRequest,
    manyUs: found[name]!.cpuUsPerRequest,
    ratio: median(found[name]!.windows.map((us, round) => us / found['few']!.windows[round]!)),
  });
  return [
    beside('channels', 'channels of the model', channelCount),
    beside('keys', 'keys, which call by turns', keyCount),
    beside('log', 'rows in the log', rows),
  ];
}

/** Interval between two events of a stream. Ten thousand events a second would need more than one core. */
const eventSeconds = 2;

/** Cost of an event with a tenth of the streams open, and with all of them. */
async function growthOfStreams(
  loader: Loader,
  setup: GrowthSetup,
  many: number,
  windows: number,
): Promise<Growth> {
  const few = many / 10;
  const upstreamPort = await freePorts(Object.keys(upstreamPorts).length + 1);
  const slow = ['--slow-ms', String(eventSeconds * 1_000)];
  const options = ['--port', String(upstreamPort), ...slow];
  const upstream = start(setup.upstreamProgram, options, { core: setup.otherCore });
  await upstream.line('listening', 5_000);
  const gateway = await open(setup, 'streams', await freePorts(1), upstreamPort);
  await warmUpForStreams(loader, gateway);
  const seen: { fewUs: number; manyUs: number }[] = [];
  for (let round = 0; round < windows; round += 1) {
    const perEvent = async (count: number) =>
      (await runStreams(loader, gateway, count, eventSeconds)).cpuUsPerEvent;
    seen.push({ fewUs: await perEvent(few), manyUs: await perEvent(many) });
  }
  await gateway.running.stop();
  await upstream.stop();
  return {
    label: 'open streams, an event',
    few,
    many,
    fewUs: median(seen.map(({ fewUs }) => fewUs)),
    manyUs: median(seen.map(({ manyUs }) => manyUs)),
    ratio: median(seen.map(({ fewUs, manyUs }) => manyUs / fewUs)),
  };
}

/** Costs that grow with the number of channels, keys, log rows and open streams. */
export const runGrowth = async (
  loader: Loader,
  setup: GrowthSetup,
  { rows, streams, windows }: { rows: number; streams: number; windows: number },
): Promise<Growth[]> => [
  ...(await growthOfCalls(loader, setup, rows, windows)),
  await growthOfStreams(loader, setup, streams, windows),
];
