import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HttpEngine } from '../../lib/outbound/http.ts';
import { testEngine } from '../test-engine.ts';
import type { FaultPoint } from '../../lib/fault-point.ts';
import type { CrashableServer } from '../databases.ts';
import { startPostgres } from '../databases.ts';
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
import { fullDisk } from './faults-disk.ts';
import { killInCallback, openProvider } from './faults-money.ts';
import { killWithKeys } from './faults-keys.ts';
import { killInTask, taskPoints } from './faults-tasks.ts';
import { openWorld } from './world.ts';

export interface RunOptions {
  database: 'sqlite' | 'postgres';
  /** What speaks HTTP; that of the tests unless told. */
  engine?: HttpEngine;
  /** Processes that carry calls: the point strikes one of them or the one that writes. */
  workers?: number;
  /** How often each fault happens. */
  rounds: number;
  /** Only one payment callback, and on a server only the points where it differs from SQLite. */
  short: boolean;
  clients: number;
  /** Decides at which passes and moments things happen. */
  seed: number;
  /** Told of each fault before it happens. */
  say: (fault: string) => void;
}

/** What a run found, and what it had to leave out, by name and reason. */
export interface RunResult {
  rows: Row[];
  /** Calls of each kind whose end a client saw. */
  seen: Readonly<Record<CallKind, number>>;
  /** Of those, calls that a team's wallet paid. */
  paidByTeam: number;
  skipped: string[];
}

/** Passes after which a point kills: from the first calls to the middle of the crowd. */
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

/** Where the engine of a server does something else than that of SQLite. */
const serverPoints = new Set(['hold-taken', 'answer-flowing', 'settlement-queued', 'before-sync', 'settled']);

/** Small numbers from a seed, the same every time (mulberry32). */
export function randomFrom(seed: number): (from: number, to: number) => number {
  let state = seed;
  return (from, to) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return from + (((mixed ^ (mixed >>> 14)) >>> 0) % (to - from + 1));
  };
}

/** Runs every fault `rounds` times on one database and answers what each did. */
export async function runCampaign(options: RunOptions): Promise<RunResult> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-campaign-'));
  const server = options.database === 'postgres' ? await startPostgres() : undefined;
  const provider = await openProvider();
  try {
    const { engine = testEngine, workers = 1 } = options;
    const world = await openWorld({ dataDir, databaseUrl: server?.url ?? '', provider, engine, workers });
    const campaign = new Campaign(world, options.clients);
    let paidByTeam = 0;
    const seen: Record<CallKind, number> = { chat: 0, image: 0, transcription: 0, voice: 0 };
    try {
      const random = randomFrom(options.seed);
      for (let round = 0; round < options.rounds; round += 1) {
        await killEverywhere(campaign, options, random);
        for (const point of options.short ? (['callback-in-transaction'] as const) : callbackPoints) {
          options.say(point);
          await killInCallback(campaign, provider, point);
        }
        await killTasks(campaign, options, server && (await mkdtemp(join(dataDir, 'second-'))));
        options.say('kill -9, every call repeated with its key');
        await killWithKeys(campaign, random(600, 1_400));
        await stops(campaign, options);
        await storageFaults(campaign, options, server);
      }
      await campaign.finish();
      for (const { kind, end, caller } of campaign.records) {
        if (end !== 'whole') continue;
        seen[kind] += 1;
        if (world.teamAccount === world.callers[caller]?.accountId) paidByTeam += 1;
      }
    } finally {
      await campaign.close();
    }
    return { ...(await withFullDisk(options, [...campaign.rows.values()])), seen, paidByTeam };
  } finally {
    await provider.close();
    await server?.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
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

async function storageFaults(
  campaign: Campaign,
  { say }: RunOptions,
  server: CrashableServer | undefined,
): Promise<void> {
  if (!server) {
    say('the disk refuses a sync');
    return failingSync(campaign);
  }
  say('the database crashes and restarts');
  await crashDatabase(campaign, () => server.crash(), 2);
  say('database connections are cut');
  await cutConnections(campaign, 3);
}

/** The full disk has a world of its own; a database server keeps its files elsewhere. */
async function withFullDisk(
  { database, clients, workers = 1, say }: RunOptions,
  rows: Row[],
): Promise<Omit<RunResult, 'seen' | 'paidByTeam'>> {
  if (database !== 'sqlite') return { rows, skipped: [] };
  say('the disk is full');
  const row = await fullDisk(clients, workers);
  if (row) return { rows: [...rows, row], skipped: [] };
  return { rows, skipped: ['the disk is full: mounting a small disk takes root'] };
}
