import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultPoint } from '../../lib/fault-point.ts';
import { openStore, type Store } from '../../store/index.ts';
import type { CallRecord } from './calls.ts';
import { type Child, EndedEarly, startChild } from './child.ts';
import { judge } from './judge.ts';
import { startTraffic, type Traffic } from './traffic.ts';
import type { World } from './world.ts';

/** Result of one kind of fault over all its runs. */
export interface Row {
  fault: string;
  runs: number;
  calls: number;
  /** Calls whose end a client saw. */
  acknowledged: number;
  /** Calls cut off by the fault. */
  cutOff: number;
  /** Of those, calls that recovery charged for the delivered part up to their last mark. */
  recovered: number;
  /** Faults in the books or in the clients' records; empty without any. */
  wrong: string[];
}

/** Time limit to reach a point, in ms. A point not reached by then is an error of the campaign and is reported as one. */
const reachWithinMs = 60_000;
/** Upper limit for any stop, whatever the database does. */
const stopWithinMs = 60_000;

/**
 * Runs one Tollgate on one database through all faults. Each process continues from the state of the previous one: it
 * recovers, the books are compared with all client records, then the next fault is prepared.
 */
export class Campaign {
  readonly world: World;
  readonly records: CallRecord[] = [];
  readonly rows = new Map<string, Row>();
  readonly clients: number;
  private opened: Store | undefined;
  /** The fault that has not been judged yet. */
  private unjudged: string | undefined;
  private recovered = 0;

  constructor(world: World, clients: number) {
    this.world = world;
    this.clients = clients;
  }

  async store(): Promise<Store> {
    const { DATABASE_URL: url = '', DATA_DIR: dataDir = '' } = this.world.env;
    this.opened ??= await openStore({ url, dataDir });
    return this.opened;
  }

  row(fault: string): Row {
    let row = this.rows.get(fault);
    if (!row)
      this.rows.set(
        fault,
        (row = { fault, runs: 0, calls: 0, acknowledged: 0, cutOff: 0, recovered: 0, wrong: [] }),
      );
    return row;
  }

  /** All errors, each with the fault before it. */
  get wrong(): string[] {
    return [...this.rows.values()].flatMap(({ fault, wrong }) => wrong.map((text) => `${fault}: ${text}`));
  }

  /**
   * Starts a process on the state of the previous one. It recovers before it listens. Then, while no call runs, the
   * books are judged, and errors count against the previous fault.
   */
  async start(env: Record<string, string> = {}): Promise<Child> {
    const child = await startChild({ ...this.world.env, ...env });
    await this.judgeLast();
    return child;
  }

  traffic(child: Child, clients = this.clients): Traffic {
    return startTraffic(this.world, child.url, clients);
  }

  /** Adds the client records to the fault's row. They are judged after the recovery of the next process. */
  note(fault: string, made: readonly CallRecord[]): void {
    const records = made.filter(({ end }) => end !== 'unreached');
    const row = this.row(fault);
    row.runs += 1;
    row.calls += records.length;
    row.acknowledged += records.filter(({ end }) => end === 'whole').length;
    row.cutOff += records.filter(({ end }) => end === 'broken' || end === 'failed').length;
    // The bodies were needed to detect the end. The judge compares only figures.
    for (const record of records) this.records.push({ ...record, body: '' });
    this.unjudged = fault;
  }

  /** Compares books and client records while no call runs. Errors count against the last noted fault. */
  async judgeLast(): Promise<void> {
    const fault = this.unjudged;
    if (fault === undefined) return;
    this.unjudged = undefined;
    const store = await this.store();
    const row = this.row(fault);
    row.wrong.push(...(await judge(store, this.world, this.records)));
    const recovered = await chargedByRecovery(store);
    row.recovered += recovered - this.recovered;
    this.recovered = recovered;
  }

  /**
   * Kills the process, or one of its workers, at the n-th pass of a point, under traffic. `trigger` starts the work
   * that reaches the point.
   */
  async killAt(point: FaultPoint, nth: number, trigger?: (child: Child) => Promise<void>): Promise<void> {
    const child = await this.startUntil({ FAULTS: `${point}:kill:${nth}` });
    // Recovery passes some points itself, so the kill may have been during recovery.
    if (!child) return this.note(point, []);
    const traffic = this.traffic(child);
    await trigger?.(child);
    const signal = await withinMs(child.struck, reachWithinMs);
    // If the point killed a worker, the writing process dies next, in the middle of the work that follows.
    child.kill('SIGKILL');
    await child.ended;
    await traffic.stop();
    this.note(point, traffic.records);
    if (signal !== 'SIGKILL') this.row(point).wrong.push(`the point was not reached: ${child.printed()}`);
  }

  /** Asks a process to stop, and waits for its end. */
  async stop(fault: string, child: Child): Promise<void> {
    child.kill('SIGTERM');
    const ending = await withinMs(child.ended, stopWithinMs);
    if (ending?.code === 0) return;
    child.kill('SIGKILL');
    const { code } = await child.ended;
    const how = ending ? `ended with ${code}` : `took more than ${stopWithinMs} ms`;
    this.row(fault).wrong.push(`the stop ${how}: ${child.printed()}`);
  }

  /** The last recovery, and a normal stop. */
  async finish(): Promise<void> {
    const child = await this.start();
    await this.stop('an ordinary stop', child);
  }

  /** Same as `start`; undefined when the process was killed during recovery. */
  private async startUntil(env: Record<string, string>): Promise<Child | undefined> {
    try {
      return await this.start(env);
    } catch (error) {
      if (error instanceof EndedEarly && error.ending.signal === 'SIGKILL') return undefined;
      throw error;
    }
  }

  /** A start with a kill during recovery; true when it was killed. */
  async diesAtStart(env: Record<string, string>): Promise<boolean> {
    const child = await this.startUntil(env);
    child?.kill('SIGKILL');
    await child?.ended;
    return child === undefined;
  }

  async close(): Promise<void> {
    await this.opened?.close();
    await this.world.close();
  }
}

/** Number of settlements in the ledger by recovery. */
async function chargedByRecovery({ db }: Store): Promise<number> {
  const { count } = await db
    .selectFrom('ledger')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('note', 'like', '%"recovered":true%')
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Result of `work`, or undefined after the time limit. */
export async function withinMs<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  const timer = new AbortController();
  const late = sleep(ms, undefined, { signal: timer.signal }).catch(() => undefined);
  const first = await Promise.race([work, late]);
  timer.abort();
  return first;
}
