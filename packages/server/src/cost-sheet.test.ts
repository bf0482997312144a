import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openCostWorld } from './testing/cost-sheet/calls.ts';
import { difference, MeasuredServer } from './testing/cost-sheet/measured-server.ts';

/** Cost of one warm call. */
interface Costs {
  statements: number;
  commits: number;
  walBytes: number;
  functions: number;
  files: number;
  heapBytes: number;
}

const names = [
  'statements',
  'commits',
  'walBytes',
  'functions',
  'files',
  'heapBytes',
] as const satisfies (keyof Costs)[];

const sheetFile = join(import.meta.dirname, 'testing/cost-sheet/cost-sheet.json');
/** How far a number may be above the sheet: what depends on when the disk's sync ends, and on V8's own work. */
const tolerance: Partial<Record<keyof Costs, (recorded: number) => number>> = {
  heapBytes: (recorded) => recorded * 1.1,
  functions: (recorded) => recorded * 1.01,
};

const warmCalls = 8;
const measuredCalls = 10;
const rounds = 5;

/** Runs a call and waits until its log row is committed, and for what the server does after that. */
async function runWhole(server: MeasuredServer, db: DatabaseSync, call: () => Promise<void>): Promise<void> {
  const rows = db.prepare('select count(*) as rows from logs');
  const before = Number(rows.get()!['rows']);
  await call();
  while (Number(rows.get()!['rows']) === before) await sleep(2);
  await server.settle();
}

type Counted = Omit<Costs, 'functions' | 'files'>;

/** The least of many calls: what jobs do beside them, and what a busy machine makes late, only adds. */
async function count(server: MeasuredServer, run: () => Promise<void>): Promise<Counted> {
  for (let n = 0; n < warmCalls; n += 1) await run();
  await server.collectGarbage();
  let least: Counted | undefined;
  for (let n = 0; n < measuredCalls; n += 1) {
    const before = await server.read();
    await run();
    const counted = difference(before, await server.read());
    // The WAL began again, or the heap was collected.
    if (!counted) continue;
    for (const name of Object.keys(counted) as (keyof Counted)[])
      counted[name] = Math.min(counted[name], least?.[name] ?? Infinity);
    least = counted;
  }
  if (!least) throw new Error('no call was counted whole');
  return least;
}

/** The code that every one of many calls enters. */
async function enter(
  server: MeasuredServer,
  run: () => Promise<void>,
): Promise<Pick<Costs, 'functions' | 'files'>> {
  let common: string[] | undefined;
  await server.takeFunctions();
  for (let n = 0; n < measuredCalls; n += 1) {
    await run();
    const ran = await server.takeFunctions();
    common = common?.filter((place) => ran.has(place)) ?? [...ran];
  }
  const files = new Set(common!.map((place) => place.split('#')[0]));
  return { functions: common!.length, files: files.size };
}

const raisedNames = (found: Costs, recorded: Costs): (keyof Costs)[] =>
  names.filter((name) => found[name] > (tolerance[name]?.(recorded[name]) ?? recorded[name]));

/** Figures above the sheet are measured again: on a busy machine each call may be so long that a job runs beside it. */
async function measure(
  server: MeasuredServer,
  run: () => Promise<void>,
  recorded: Costs | undefined,
): Promise<Costs> {
  const found = { ...(await count(server, run)), ...(await enter(server, run)) };
  for (let round = 1; round < rounds && recorded && raisedNames(found, recorded).length > 0; round += 1) {
    const again = { ...(await count(server, run)), ...(await enter(server, run)) };
    for (const name of names) found[name] = Math.min(found[name], again[name]);
  }
  return found;
}

/** Measures every kind of call on a server of its own. */
async function measureAll(sheet: Record<string, Costs>): Promise<Record<string, Costs>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-costs-'));
  const world = await openCostWorld(dataDir);
  const server = await MeasuredServer.start(world.env, dataDir);
  try {
    const measured: Record<string, Costs> = {};
    for (const [kind, call] of Object.entries(world.open(server.url))) {
      const run = (): Promise<void> => runWhole(server, world.db, call);
      measured[kind] = await measure(server, run, sheet[kind]);
    }
    return measured;
  } finally {
    await server.stop();
    await world.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

describe('the cost sheet', () => {
  // RECORD_COSTS=1 writes the sheet anew.
  it('a warm call of each kind costs no more than is recorded', { timeout: 240_000 }, async () => {
    const recorded = JSON.parse(await readFile(sheetFile, 'utf8')) as Record<string, Costs>;
    const costs = await measureAll(recorded);
    if (process.env['RECORD_COSTS']) return writeFile(sheetFile, `${JSON.stringify(costs, null, 2)}\n`);
    expect(Object.keys(costs)).toEqual(Object.keys(recorded));
    const raised = Object.entries(costs).flatMap(([kind, found]) =>
      raisedNames(found, recorded[kind]!).map(
        (name) => `${kind}, ${name}: ${found[name]}, recorded ${recorded[kind]![name]}`,
      ),
    );
    expect(raised, 'RECORD_COSTS=1 records what a change needs').toEqual([]);
  });
});
