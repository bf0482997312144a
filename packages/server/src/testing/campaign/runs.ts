import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { linesOf, openStore, type Store } from '../../store/index.ts';
import type { HttpEngine } from '../../lib/outbound/http.ts';
import { testEngine } from '../test-engine.ts';
import type { FaultPoint } from '../../lib/fault-point.ts';
import type { CrashableServer } from '../databases.ts';
import { startMariadb, startPostgres } from '../databases.ts';
import type { CallKind } from './bodies.ts';
import { Campaign, type Row } from './campaign.ts';
import {
  crashDatabase,
  cutConnections,
  drain,
  failingSync,
  killAnywhere,
  killWhileDraining,
  killWhileRecovering,
} from './faults.ts';
import { fullDisk, startOnFullDisk } from './faults-disk.ts';
import { failovers } from './faults-failover.ts';
import { cutAtCommit, jumpClock, silenceConnections } from './faults-network.ts';
import { openTcpSwitch, type TcpSwitch } from '../failover/tcp-switch.ts';
import { killInCallback, openProvider } from './faults-money.ts';
import { killWithKeys, killWorkerWithKeys } from './faults-keys.ts';
import { killInTask, taskPoints } from './faults-tasks.ts';
import { freezeFirst, freezeWorker, killWorkers } from './faults-workers.ts';
import type { PaySimulator } from '../upstream/pay-simulator.ts';
import { openWorld } from './world.ts';

/** The databases of a campaign. */
export type CampaignDatabase = 'sqlite' | 'postgres' | 'mariadb';

export interface RunOptions {
  database: CampaignDatabase;
  /** The HTTP engine; by default that of the tests. */
  engine?: HttpEngine;
  /** Processes that run calls: the point hits one of them or the writing process. */
  workers?: number;
  /** Only faults of single processes among several. */
  ofWorkers?: boolean;
  /** Only faults of the database, its disk and the clock. */
  ofStorage?: boolean;
  /** Number of runs of each fault. */
  rounds: number;
  /** Only one payment callback, and on a database server only the points that differ from SQLite. */
  short: boolean;
  clients: number;
  /** Selects the passes and moments of the faults. */
  seed: number;
  /** Called with each fault before it runs. */
  say: (fault: string) => void;
}

/** Result of a run: its findings, and the skipped faults by name and reason. */
export interface RunResult {
  rows: Row[];
  /** Calls of each kind with an end that a client saw. */
  seen: Readonly<Record<CallKind, number>>;
  /** Of those, calls paid from a team's wallet. */
  paidByTeam: number;
  /** Charges that count on a budget of all calls, and on a run too. */
  budgeted: { all: number; inRuns: number };
  skipped: string[];
}

/** Passes after which a point kills: from the first calls to the middle of the traffic. */
const passes: Partial<Record<FaultPoint, [from: number, to: number]>> = {
  'request-arrived': [1, 60],
  'before-hold': [1, 60],
  'hold-taken': [1, 60],
  'hold-durable': [1, 60],
  'upstream-asked': [1, 60],
  'head-received': [1, 50],
  'answer-flowing': [1, 500],
  'before-settle': [1, 40],
  'settlement-queued': [1, 40],
  'before-sync': [1, 60],
  settled: [1, 40],
  'end-sent': [1, 40],
  'before-failover': [1, 3],
};

const callbackPoints = [
  'callback-received',
  'callback-judged',
  'callback-in-transaction',
  'callback-committed',
] as const;

/** Points at which the engine of a database server differs from that of SQLite. */
const serverPoints = new Set(['hold-taken', 'answer-flowing', 'settlement-queued', 'before-sync', 'settled']);

/** Small numbers from a seed, always the same (mulberry32). */
export function randomFrom(seed: number): (from: number, to: number) => number {
  let state = seed;
  return (from, to) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return from + (((mixed ^ (mixed >>> 14)) >>> 0) % (to - from + 1));
  };
}

/** Runs every fault `rounds` times on one database and returns the result of each. */
export async function runCampaign(options: RunOptions): Promise<RunResult> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-campaign-'));
  const server = await startServer(options.database);
  const network = server && (await openTcpSwitch(Number(new URL(server.url).port)));
  const provider = await openProvider();
  try {
    const { engine = testEngine, workers = 1 } = options;
    const world = await openWorld({ dataDir, databaseUrl: server?.url ?? '', provider, engine, workers });
    const campaign = new Campaign(world, options.clients);
    let paidByTeam = 0;
    const budgeted = { all: 0, inRuns: 0 };
    const seen: Record<CallKind, number> = { chat: 0, image: 0, transcription: 0, voice: 0 };
    try {
      const random = randomFrom(options.seed);
      for (let round = 0; round < options.rounds; round += 1) {
        const means = { random, provider, server, network, dataDir };
        if (!options.ofWorkers && !options.ofStorage) await faultsOfAny(campaign, options, means);
        if (!options.ofWorkers) await storageFaults(campaign, options, means);
        if (workers > 1 && !options.ofStorage) await faultsOfWorkers(campaign, options, random);
      }
      await campaign.finish();
      const lines = await readLines(await campaign.store());
      budgeted.all = lines.filter((line) => line > 0).length;
      budgeted.inRuns = lines.filter((line) => line > 2).length;
      for (const { kind, end, caller } of campaign.records) {
        if (end !== 'whole') continue;
        seen[kind] += 1;
        if (world.teamAccount === world.callers[caller]?.accountId) paidByTeam += 1;
      }
    } finally {
      await campaign.close();
    }
    const rows = [...campaign.rows.values()];
    if (options.ofWorkers) return { rows, skipped: [], seen, paidByTeam, budgeted };
    if (options.database === 'postgres' && !options.short)
      rows.push(...(await failovers(options.clients, options.say)));
    const onDisk = await withFullDisk(options, rows);
    const skipped = [...onDisk.skipped, ...clockSkipped(options)];
    return { rows: onDisk.rows, skipped, seen, paidByTeam, budgeted };
  } finally {
    await provider.close();
    await network?.close();
    await server?.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Number of budgets that each charge counts on. */
async function readLines({ db }: Store): Promise<number[]> {
  const rows = await db.selectFrom('ledger').select('budgets').where('kind', '=', 'usage').execute();
  return rows.map(({ budgets }) => linesOf(budgets).length);
}

interface Means {
  random: (from: number, to: number) => number;
  provider: PaySimulator;
  server: CrashableServer | undefined;
  network: TcpSwitch | undefined;
  dataDir: string;
}

/** One round of the faults of any Tollgate. */
async function faultsOfAny(
  campaign: Campaign,
  options: RunOptions,
  { random, provider, server, dataDir }: Means,
): Promise<void> {
  await killEverywhere(campaign, options, random);
  for (const point of options.short ? (['callback-in-transaction'] as const) : callbackPoints) {
    options.say(point);
    await killInCallback(campaign, provider, point);
  }
  await killTasks(campaign, options, server && (await mkdtemp(join(dataDir, 'second-'))));
  options.say('kill -9, every call repeated with its key');
  await killWithKeys(campaign, random(600, 1_400));
  await stops(campaign, options);
}

/** One round of the faults of the database and the clock. */
async function storageFaults(
  campaign: Campaign,
  options: RunOptions,
  { server, network, dataDir }: Means,
): Promise<void> {
  if (server && network) await serverFaults(campaign, options, { server, network });
  else {
    options.say('the disk refuses a sync');
    await failingSync(campaign);
  }
  if (options.short || faketime === undefined) return;
  options.say('the clock jumps');
  const path = join(dataDir, 'clock');
  await jumpClock(campaign, { library: faketime, set: { path, to: (offset) => writeFile(path, offset) } });
}

/** The campaign's own database server, with an empty database; undefined for SQLite. */
export async function startServer(database: CampaignDatabase): Promise<CrashableServer | undefined> {
  if (database === 'sqlite') return undefined;
  if (database === 'postgres') return startPostgres();
  const server = await startMariadb();
  const store = await openStore({ url: server.url });
  await sql`create database campaign`.execute(store.db);
  await store.close();
  return { ...server, url: server.url.replace(/[^/]*$/, 'campaign') };
}

async function faultsOfWorkers(
  campaign: Campaign,
  { say, workers = 1 }: RunOptions,
  random: (from: number, to: number) => number,
): Promise<void> {
  say('a worker is killed');
  await killWorkers(campaign, workers);
  say('a worker is killed, every call repeated with its key');
  await killWorkerWithKeys(campaign, random(600, 1_400));
  say('a worker is frozen');
  await freezeWorker(campaign);
  say('the first process is frozen');
  await freezeFirst(campaign);
}

async function killEverywhere(
  campaign: Campaign,
  { say, clients, database, short }: RunOptions,
  random: (from: number, to: number) => number,
): Promise<void> {
  say('kill -9 at any moment');
  await killAnywhere(campaign, random(1_800, 2_800), clients * 4);
  for (const [point, [from, to]] of Object.entries(passes)) {
    if (short && database !== 'sqlite' && !serverPoints.has(point)) continue;
    say(point);
    await campaign.killAt(point as FaultPoint, random(from, to));
  }
  say('draining');
  await killWhileDraining(campaign);
  say('recovering');
  await killWhileRecovering(campaign);
}

/** On a server two processes share the tasks. */
async function killTasks(
  campaign: Campaign,
  { say, short }: RunOptions,
  secondDir: string | undefined,
): Promise<void> {
  const isOfServer = secondDir !== undefined;
  for (const point of taskPoints) {
    if (short && isOfServer && !['task-in-transaction', 'task-refunding'].includes(point)) continue;
    say(point);
    await killInTask(campaign, point, secondDir);
  }
}

async function stops(campaign: Campaign, { say, short }: RunOptions): Promise<void> {
  for (const seconds of short ? [0] : [60, 0]) {
    say(`SIGTERM, ${seconds} s to drain`);
    await drain(campaign, seconds);
  }
}

/** Library between a process and the clock of the system. */
const faketime = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .find((path) => existsSync(path));

const clockSkipped = ({ short }: RunOptions): string[] =>
  short || faketime !== undefined ? [] : ['the clock jumps: libfaketime is not installed'];

async function serverFaults(
  campaign: Campaign,
  { say, short }: RunOptions,
  { server, network }: { server: CrashableServer; network: TcpSwitch },
): Promise<void> {
  say('the database crashes and restarts');
  await crashDatabase(campaign, () => server.crash(), 2);
  say('database connections are cut');
  await cutConnections(campaign, 3);
  say('connections break at COMMIT');
  const url = network.through(server.url);
  await cutAtCommit(campaign, network, { url, cuts: short ? 6 : 50 });
  if (short) return;
  say('connections to the database go silent');
  await silenceConnections(campaign, network, url);
}

/** The full disk uses a separate world. A database server keeps its files elsewhere. */
async function withFullDisk(
  { database, clients, short, say }: RunOptions,
  rows: Row[],
): Promise<Omit<RunResult, 'seen' | 'paidByTeam' | 'budgeted'>> {
  if (database !== 'sqlite') return { rows, skipped: [] };
  say('the disk is full');
  const row = await fullDisk(clients);
  if (row && short) return { rows: [...rows, row], skipped: [] };
  say('a kill and a start while the disk is full');
  const started = await startOnFullDisk(clients);
  if (row && started) return { rows: [...rows, row, started], skipped: [] };
  return { rows, skipped: ['the disk is full: mounting a small disk takes root'] };
}
