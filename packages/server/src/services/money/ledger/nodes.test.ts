import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { linesOf, openStore, type Store } from '../../../store/index.ts';
import { depthOf, eachDialect, migratedServer, missingServer } from '../../../store/each-dialect.ts';
import { sized } from '../../../testing/scoreboard-size.ts';
import { checkBooks } from './checks.ts';
import type { NodeTask } from './testing/node-task.ts';
import { addBudget, addPerson, openLedger, type Person } from './testing/test-bed.ts';

/** Number of processes on one database, and of faults. */
const processes = sized(5, 2);
const faults = sized(100, 2);
/** Every fourth fault is a freeze that lasts until the other processes take the process for dead. */
const freezeEvery = 4;
/** Top-up of the poorer wallet: enough for a few calls, for which all processes compete. */
const topUpAmount = 400;

/** Reports of the processes. */
interface Reported {
  /** Acknowledged settlements and their charges. */
  settled: Map<string, number>;
  wrong: string[];
}

class Node {
  readonly name: string;
  private life = 0;
  /** Resolves when the process starts to spend. */
  ready: Promise<void> = Promise.resolve();
  private child!: ChildProcess;
  private task: Omit<NodeTask, 'node' | 'life'>;
  private reported: Reported;

  constructor(name: string, task: Omit<NodeTask, 'node' | 'life'>, reported: Reported) {
    this.name = name;
    this.task = task;
    this.reported = reported;
  }

  /** Starts the process, for the first time or again. */
  start(): void {
    this.life += 1;
    const task: NodeTask = { ...this.task, node: this.name, life: this.life };
    const file = join(import.meta.dirname, 'testing/node-child.ts');
    this.child = spawn(process.execPath, [file, JSON.stringify(task)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ready = Promise.withResolvers<void>();
    createInterface({ input: this.child.stdout! }).on('line', (line) => {
      const [word, id = '', charged = '', amount = ''] = line.split(' ');
      if (word === 'ready') ready.resolve();
      if (word === 'wrong') this.reported.wrong.push(`${this.name}: ${line}`);
      if (word !== 'settled') return;
      this.reported.settled.set(id, Number(charged));
      if (charged !== amount) this.reported.wrong.push(`${id} took ${charged} for ${amount}`);
    });
    this.ready = ready.promise;
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, 'close');
    this.child.kill('SIGKILL');
    await gone;
  }

  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  resume(): void {
    this.child.kill('SIGCONT');
  }

  /** Lets the process finish its work. */
  async stop(): Promise<void> {
    const gone = once(this.child, 'close');
    this.child.kill('SIGTERM');
    const [code] = (await gone) as [number | null];
    if (code !== 0) this.reported.wrong.push(`${this.name} ended with ${code}`);
  }
}

const running: Node[] = [];
afterEach(async () => {
  for (const node of running.splice(0)) {
    node.resume();
    await node.kill();
  }
});

const readHolds = ({ db }: Store, node: string) =>
  db.selectFrom('holds').select('request_id').where('node', '=', node).execute();

/** Total charge of each request in the ledger, including a late settlement. */
async function readCharges({ db }: Store): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('ledger')
    .select(['txn', 'account_delta', 'writeoff_delta'])
    .where('kind', '=', 'usage')
    .execute();
  const charges = new Map<string, number>();
  for (const { txn, account_delta: paid, writeoff_delta: lost } of rows) {
    const id = txn.replace(/^late:/, '');
    charges.set(id, (charges.get(id) ?? 0) - paid - lost);
  }
  return charges;
}

for (const kind of ['postgres', 'mysql'] as const) {
  const missing = missingServer(kind);
  const why = missing ? ` (${missing})` : '';
  describe.skipIf(missing !== undefined)(`processes on ${kind}${why}`, depthOf(kind), () => {
    it('that are killed and frozen spend two wallets, one nearly empty, and nothing is lost, doubled or overspent', async () => {
      const url = await migratedServer(kind);
      const store = await openStore({ url });
      const ledger = openLedger(store, { node: 'observer' });
      const ample = await addPerson(store, ledger, { balance: 1_000_000_000 });
      const scarce = await addPerson(store, ledger, { balance: topUpAmount, allowance: 1_000_000_000 });
      const reported: Reported = { settled: new Map(), wrong: [] };
      const task = { url, workers: 6, people: [ample, scarce] };
      const nodes = await startNodes(processes, task, reported);
      const counted = await strike(store, nodes, reported, {
        times: faults,
        calls: 20,
        before: (fault) => ledger.credit(giftTo(scarce, fault)),
      });
      await ledger.recover();
      const charges = await readCharges(store);
      const unbooked = [...reported.settled].filter(([id, charged]) => charges.get(id) !== charged);
      const drift = await checkBooks(store.db, { atRest: true });
      console.log(
        `${kind}: ${processes} processes, ${counted.kills} kills, ${counted.freezes} freezes, ` +
          `${reported.settled.size} acknowledged, ${unbooked.length} lost or doubled, ${drift.length} drift, ` +
          `${reported.wrong.length} wrong`,
      );
      expect(reported.wrong).toEqual([]);
      expect(unbooked).toEqual([]);
      expect(drift).toEqual([]);
      const balances = await store.db.selectFrom('accounts').select(['balance', 'held']).execute();
      expect(balances.every(({ balance, held }) => balance >= 0 && held === 0)).toBe(true);
      await ledger.close();
      await store.close();
    }, 3_600_000);
  });
}

/** Processes that compete for budgets, and the faults of them. */
const competing = { sqlite: [1], postgres: sized([1, 2, 4], [2]), mysql: sized([1, 2, 4], [2]) };
const budgetFaults = sized(20, 2);
/** An hour takes two seconds. */
const rate = 1_800;
/** About ten calls, so that each hour is used up. */
const perHour = 1_000;
const tokensPerHour = 300;
const [callsPerHour, perDay, perRun] = [2, 6_000, 2_000];

eachDialect('processes', (database) => {
  it.each(competing[database.kind])(
    'that are killed and frozen begin each window of shared budgets once, and pass none by a unit: %i',
    { timeout: 1_800_000 },
    async (count) => {
      const store = await database.open();
      const from = Date.now();
      const ledger = openLedger(store, { node: 'observer', clock: () => from + (Date.now() - from) * rate });
      const [hour, calls, anyHour, day, tokens, anyTokens, run, search, write] = [
        await addBudget(store, perHour, { period: 'hour' }),
        await addBudget(store, 0, { period: 'hour', mode: 'soft', max_calls: callsPerHour }),
        await addBudget(store, perHour, { period: 'hour', parts: '' }),
        await addBudget(store, perDay, { time_zone: 'Asia/Kolkata' }),
        await addBudget(store, tokensPerHour, { period: 'hour', unit: 'tokens' }),
        await addBudget(store, tokensPerHour, { period: 'hour', unit: 'tokens', parts: '' }),
        ...(await addRuns(store, Math.floor(from / 1_000))),
      ];
      const places = [
        [hour, run, search],
        [hour, run, write],
        [hour, calls, tokens],
        [hour, day],
        [anyHour, anyTokens],
        [anyHour, day],
      ];
      const people = await Promise.all(
        places.map(async (budgets) => ({
          ...(await addPerson(store, ledger, { balance: 1_000_000_000 })),
          budgets: budgets.map((id) => id!),
        })),
      );
      const reported: Reported = { settled: new Map(), wrong: [] };
      const task = { url: database.url(), workers: sized(6, 4), people, clock: { from, rate } };
      const nodes = await startNodes(count, task, reported);
      const struck = await strike(store, nodes, reported, { times: budgetFaults, calls: 30 });
      await ledger.recover();
      const windows = await readWindows(store);
      const of = (id: number | undefined) => [...windows.values()].filter((each) => each.id === id);
      const drift = await checkBooks(store.db, { atRest: true });
      const full = of(hour).filter(({ used }) => used > perHour - 200).length;
      console.log(
        `${database.kind}: ${count} processes, ${struck.kills} kills, ${struck.freezes} freezes, ` +
          `${reported.settled.size} acknowledged, ${of(hour).length} hours, ${full} of them full, ` +
          `${drift.length} drift, ${reported.wrong.length} wrong`,
      );
      expect(reported.wrong).toEqual([]);
      expect(drift).toEqual([]);
      expect(of(hour).filter(({ used }) => used > perHour)).toEqual([]);
      expect(of(calls).filter((each) => each.calls > callsPerHour)).toEqual([]);
      expect(inAnyHour(of(anyHour)).filter((used) => used > perHour)).toEqual([]);
      expect(of(tokens).filter(({ used }) => used > tokensPerHour)).toEqual([]);
      expect(inAnyHour(of(anyTokens)).filter((used) => used > tokensPerHour)).toEqual([]);
      expect(of(tokens).some(({ used }) => used > tokensPerHour - 200)).toBe(true);
      expect(of(day).filter(({ used }) => used > perDay)).toEqual([]);
      expect(of(run).filter(({ used }) => used > perRun)).toEqual([]);
      const inParts = [...of(search), ...of(write)].reduce((sum, { used }) => sum + used, 0);
      expect(of(run).map(({ used }) => used)).toEqual([inParts]);
      // A window that began twice shows only where it was full before.
      expect(full).toBeGreaterThan(0);
      expect(Math.max(...inAnyHour(of(anyHour)))).toBeGreaterThan(perHour - 200);
      expect(of(hour).every(({ start }) => start % 3_600 === 0)).toBe(true);
      await ledger.close();
    },
  );
});

/** Use of a sliding hour at the end of each of its parts of five minutes: an hour that begins within a part counts it. */
const inAnyHour = (parts: readonly Window[]): number[] =>
  parts.map(({ start: newest }) =>
    parts
      .filter(({ start }) => start <= newest && start >= newest - 3_600)
      .reduce((sum, { used }) => sum + used, 0),
  );

/** A run and two parts of it, which have more than it leaves. */
async function addRuns(store: Store, at: number): Promise<number[]> {
  const open = { period: 'run', window_start: at, window_end: at + 10_000_000, max_calls: 1_000_000 };
  const run = await addBudget(store, perRun, { ...open, run: 'agent' });
  const parts = ['agent/search', 'agent/write'].map((name) =>
    addBudget(store, perRun, { ...open, run: name, parent: run }),
  );
  return [run, ...(await Promise.all(parts))];
}

interface Window {
  id: number;
  start: number;
  used: number;
  calls: number;
}

/** The charges and calls of each window of each budget, by the entries of the ledger. */
async function readWindows({ db }: Store): Promise<Map<string, Window>> {
  const rows = await db
    .selectFrom('ledger')
    .select(['txn', 'account_delta', 'budgets'])
    .where('kind', '=', 'usage')
    .execute();
  const windows = new Map<string, Window>();
  for (const { txn, account_delta: delta, budgets } of rows)
    for (const { id, start, tokens } of linesOf(budgets)) {
      const window = windows.get(`${id}@${start}`) ?? { id, start, used: 0, calls: 0 };
      window.used += tokens ?? -delta;
      if (!txn.startsWith('late:')) window.calls += 1;
      windows.set(`${id}@${start}`, window);
    }
  return windows;
}

const giftTo = (person: Person, fault: number) => ({
  txn: `top-up-${fault}`,
  kind: 'gift' as const,
  accountId: person.accountId,
  userId: person.userId,
  amount: topUpAmount,
});

async function startNodes(
  count: number,
  task: Omit<NodeTask, 'node' | 'life'>,
  reported: Reported,
): Promise<Node[]> {
  const nodes = Array.from({ length: count }, (_, i) => new Node(`node-${i}`, task, reported));
  running.push(...nodes);
  for (const node of nodes) node.start();
  await Promise.all(nodes.map((node) => node.ready));
  return nodes;
}

interface Strikes {
  /** Number of faults. */
  times: number;
  /** Acknowledged calls before each. */
  calls: number;
  before?: (fault: number) => Promise<unknown>;
}

/** Kills and freezes the processes in turn under load, then lets them finish. A single one is only killed. */
async function strike(
  store: Store,
  nodes: readonly Node[],
  reported: Reported,
  { times, calls, before }: Strikes,
): Promise<{ kills: number; freezes: number }> {
  const counted = { kills: 0, freezes: 0 };
  for (let fault = 0; fault < times; fault += 1) {
    const node = nodes[fault % nodes.length]!;
    await node.ready;
    await before?.(fault);
    const known = reported.settled.size;
    await vi.waitUntil(() => reported.settled.size >= known + calls, { timeout: 60_000, interval: 5 });
    if (nodes.length > 1 && fault % freezeEvery === 1) {
      await outlast(store, node, reported);
      counted.freezes += 1;
    } else {
      await node.kill();
      node.start();
      counted.kills += 1;
    }
  }
  await Promise.all(nodes.map((node) => node.ready));
  await Promise.all(nodes.map((node) => node.stop()));
  return counted;
}

/** Freezes a process until the others have ended its holds, then resumes it: it is fenced and continues anyway. */
async function outlast(store: Store, node: Node, reported: Reported): Promise<void> {
  node.freeze();
  const own = () => [...reported.settled.keys()].filter((id) => id.startsWith(`${node.name}-`)).length;
  await sleep(50);
  const before = own();
  const all = reported.settled.size;
  await vi.waitUntil(async () => (await readHolds(store, node.name)).length === 0, {
    timeout: 60_000,
    interval: 50,
  });
  // The others have continued: no lock of the frozen process blocks them.
  await vi.waitUntil(() => reported.settled.size >= all + 20, { timeout: 60_000, interval: 20 });
  node.resume();
  await vi.waitUntil(() => own() > before, { timeout: 60_000, interval: 20 });
}
