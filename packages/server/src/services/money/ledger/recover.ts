import { keptText, logType, type Tags } from '@tollgate/contract';
import { type HoldTable, holds, heartbeats, type Store } from '../../../store/index.ts';
import { faultPoint } from '../../../lib/fault-point.ts';
import type { Log } from '../../../lib/log.ts';
import type { Engine } from './engines/engine.ts';
import { countsTokens } from './plan/plan.ts';
import { type SettlementLog, UnknownHold } from './plan/types.ts';

/** Result of a recovery. */
export interface Recovery {
  /** Charges for output that was delivered before the crash. */
  settled: number;
  /** Returned holds, because nothing had been delivered. */
  released: number;
  /** Quota units charged. */
  charged: number;
}

/** A process is considered dead if its heartbeat has not changed for this long, by the clock of the observer. */
const heartbeatTimeoutMs = 10_000;
/**
 * After a longer gap between two checks the observation is invalid: the observer was frozen, or the database was
 * unavailable to all processes. The time without a heartbeat is then measured from zero.
 */
const maxCheckGapMs = 5_000;
/** Holds ended per transaction. */
const atOnce = 500;

/** The consumption row of a hold after a crash, and its tokens for the hourly sums. */
export interface CrashRow {
  log: SettlementLog;
  tokens: number;
}
export type CrashRowOf = (hold: HoldTable) => CrashRow | undefined;

/** Note that the gateway writes beside a hold (JSON). Every member is optional. */
interface HoldNotes {
  model?: string;
  group?: string;
  username?: string;
  token?: string;
  stream?: boolean;
  /** Unix seconds of the request's start. */
  at?: number;
  /** The team with the wallet that pays. */
  team?: number;
  tags?: Tags;
  /** What was delivered up to the last mark. */
  used?: unknown;
}

/**
 * Ends the holds of dead processes: charges them at their progress mark, or returns them if nothing was delivered. On
 * SQLite, every hold that this process does not own is dead. On a server, a process is dead when its heartbeat has not
 * changed for ten seconds of a monotonic clock. A process that was only frozen cannot extend its former holds; its
 * settlements charge the cost beyond the mark, up to the former hold. Safe to run at any time and repeatedly: at the
 * start before the first request, then by a job.
 */
export class RecoverHolds {
  private readonly store: Store;
  private readonly engine: Engine;
  private readonly log: Log;
  private readonly node: string;
  private readonly now: () => number;
  private readonly crashRow: CrashRowOf | undefined;
  /** Other processes: the count of their last heartbeat, and since when it has not changed. */
  private readonly seen = new Map<string, { count: number | undefined; since: number }>();
  private checkedAt = -Infinity;

  constructor(parts: {
    store: Store;
    engine: Engine;
    log: Log;
    node: string;
    now: () => number;
    crashRow?: CrashRowOf | undefined;
  }) {
    this.store = parts.store;
    this.engine = parts.engine;
    this.log = parts.log;
    this.node = parts.node;
    this.now = parts.now;
    this.crashRow = parts.crashRow;
  }

  /** Ends the holds of an earlier run of this process, and those of dead processes. */
  async run(): Promise<Recovery> {
    const nodes = await holds.nodesWithHolds(this.store.db);
    const dead = await this.findDeadNodes(nodes.filter((node) => !this.isOwn(node)));
    return this.endHoldsOf([...nodes.filter((node) => this.isOwn(node)), ...dead]);
  }

  /** Ends the holds of dead processes. Cheap enough to call every second; does nothing without other processes. */
  async runForOtherNodes(): Promise<Recovery> {
    const nodes = this.store.sqlite ? [] : await holds.nodesWithHolds(this.store.db);
    return this.endHoldsOf(await this.findDeadNodes(nodes.filter((node) => !this.isOwn(node))));
  }

  /**
   * Ends the holds of a process that the caller has seen end, without waiting for its heartbeat. On SQLite this process
   * owned those holds, so its memory is written to rows first.
   */
  async runForDead(node: string): Promise<Recovery> {
    const isCarried = this.store.sqlite !== undefined;
    if (isCarried) await this.engine.flush();
    const done = await this.endHoldsOf([node], isCarried);
    await heartbeats.forget(this.store.db, node);
    return done;
  }

  /** Holds under our own name that we do not run belong to an earlier run of this process. */
  private isOwn(node: string): boolean {
    return this.store.sqlite !== undefined || node === this.node;
  }

  /** `areDead`: whether the holds in the engine are dead, too. */
  private async endHoldsOf(nodes: readonly string[], areDead = false): Promise<Recovery> {
    const all = await holds.holdsOfNodes(this.store.db, nodes);
    const left = areDead ? all : all.filter((hold) => this.engine.accountOf(hold.request_id) === undefined);
    const done: Recovery = { settled: 0, released: 0, charged: 0 };
    const ordered = left.toSorted((a, b) => a.at - b.at || (a.request_id < b.request_id ? -1 : 1));
    // A returned hold may pay for output that another request delivered beyond its hold. The oldest such request
    // comes first.
    const [returned, charged] = [ordered.filter(isReturned), ordered.filter((hold) => !isReturned(hold))];
    await this.endAll(returned, done);
    await this.endAll(charged, done);
    if (left.length > 0) this.log.warn({ ...done }, 'ended the holds that a crash left');
    return done;
  }

  private async endAll(list: readonly HoldTable[], done: Recovery): Promise<void> {
    for (let start = 0; start < list.length; start += atOnce) {
      await Promise.all(list.slice(start, start + atOnce).map((hold) => this.end(hold, done)));
    }
  }

  /** Other processes with a heartbeat that is too old. */
  private async findDeadNodes(nodes: readonly string[]): Promise<string[]> {
    const dead: string[] = [];
    const counts = await heartbeats.lastCounts(this.store.db, nodes);
    const now = this.now();
    if (now - this.checkedAt > maxCheckGapMs) this.seen.clear();
    this.checkedAt = now;
    for (const node of nodes) {
      const count = counts.get(node);
      const seen = this.seen.get(node);
      if (!seen || seen.count !== count) this.seen.set(node, { count, since: now });
      else if (now - seen.since >= heartbeatTimeoutMs) dead.push(node);
    }
    for (const node of this.seen.keys()) if (!nodes.includes(node)) this.seen.delete(node);
    return dead;
  }

  private async end(hold: HoldTable, done: Recovery): Promise<void> {
    const requestId = hold.request_id;
    faultPoint('recovering');
    try {
      if (isReturned(hold)) {
        await this.engine.release(requestId);
        done.released += 1;
        return;
      }
      const row = this.crashRow?.(hold);
      const settled = await this.engine.settle(settlementOf(hold, row), {
        recovered: true,
        hold: hold.amount,
        at: hold.at,
        tokens: row?.tokens ?? 0,
      });
      done.settled += 1;
      done.charged += settled.charged;
    } catch (error) {
      // Its process was not dead after all and ended it in the meantime.
      if (!(error instanceof UnknownHold)) throw error;
    }
  }
}

/** True if nothing was delivered. Free output has no progress, but the mark of its tokens has a usage. */
const isReturned = (hold: HoldTable): boolean =>
  hold.progress === 0 && !(countsTokens(hold) && readNotes(hold.request).used !== undefined);

function settlementOf(hold: HoldTable, row: CrashRow | undefined) {
  const notes = readNotes(hold.request);
  const username = notes.username ?? '';
  const modelName = notes.model ?? '';
  return {
    requestId: hold.request_id,
    amount: hold.progress,
    tokens: row?.tokens ?? 0,
    channelId: hold.channel_id,
    counts: true,
    log: row ? { ...row.log, content: crashContent } : crashLog(hold, notes),
    hourly: { username, modelName: row?.log.model_name ?? modelName, tokens: row?.tokens ?? 0, at: hold.at },
  };
}

const crashContent = keptText('crashed');

/** For marks without terms. */
const crashLog = (hold: HoldTable, notes: HoldNotes): SettlementLog => ({
  user_id: hold.user_id,
  created_at: hold.at,
  type: logType.consume,
  content: crashContent,
  username: notes.username ?? '',
  token_name: notes.token ?? '',
  model_name: notes.model ?? '',
  prompt_tokens: 0,
  completion_tokens: 0,
  use_time: 0,
  is_stream: notes.stream ? 1 : 0,
  channel_id: hold.channel_id,
  token_id: hold.token_id,
  group: notes.group ?? '',
  other: JSON.stringify({ end_reason: 'crash', usage_source: 'progress', hold: hold.amount }),
  request_id: hold.request_id,
  team_id: notes.team ?? 0,
  cost: null,
  tags: notes.tags ? JSON.stringify(notes.tags) : null,
});

/** Tollgate wrote the notes, but a hold must be ended regardless of their content. */
function readNotes(text: string): HoldNotes {
  try {
    const notes: unknown = JSON.parse(text);
    return typeof notes === 'object' && notes !== null ? notes : {};
  } catch {
    return {};
  }
}
