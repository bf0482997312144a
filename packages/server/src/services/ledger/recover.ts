import { logType } from '@tollgate/contract';
import { type HoldTable, holds, nodeBeats, type Store } from '../../store/index.ts';
import { faultPoint } from '../../lib/fault-point.ts';
import type { Log } from '../../lib/log.ts';
import type { Engine } from './engine.ts';
import { type SettlementLog, UnknownHold } from './types.ts';

/** What recovery did. */
export interface Recovery {
  /** Charged for what was delivered before the crash. */
  settled: number;
  /** Given back, because nothing had been delivered. */
  released: number;
  /** Quota units charged. */
  charged: number;
}

/** A process is taken for dead when its sign of life has not moved for this long by the clock of the one who looks. */
const silenceMs = 30_000;
/** Holds ended at a time. */
const atOnce = 500;

/** What the gateway notes beside a hold (JSON); every part may be missing. */
interface HoldNotes {
  model?: string;
  group?: string;
  username?: string;
  token?: string;
  stream?: boolean;
  /** Unix seconds of the request's start. */
  at?: number;
}

/**
 * Ends the holds that dead processes left: charged at their progress mark, or given back when nothing was delivered.
 * Whose holds are dead: on SQLite all that this process does not run itself (one process owns the file); on a server
 * also those of other processes whose sign of life has stood still for half a minute, by a clock that only runs
 * forward. Safe to run at any time and any number of times; at start before the first request, then by a job.
 */
export class RecoverHolds {
  readonly #store: Store;
  readonly #engine: Engine;
  readonly #log: Log;
  readonly #node: string;
  readonly #now: () => number;
  /** Other processes: their last sign, and since when it stands. */
  readonly #seen = new Map<string, { beat: number | undefined; since: number }>();

  constructor(parts: { store: Store; engine: Engine; log: Log; node: string; now: () => number }) {
    this.#store = parts.store;
    this.#engine = parts.engine;
    this.#log = parts.log;
    this.#node = parts.node;
    this.#now = parts.now;
  }

  async run(): Promise<Recovery> {
    const all = await holds.listHolds(this.#store.db);
    const foreign = all.filter((hold) => !this.#engine.holds(hold.request_id));
    const dead = await this.#deadNodes(new Set(foreign.map((hold) => hold.node)));
    const left = foreign.filter((hold) => dead.has(hold.node));
    const done: Recovery = { settled: 0, released: 0, charged: 0 };
    const ordered = left.toSorted((a, b) => a.at - b.at || (a.request_id < b.request_id ? -1 : 1));
    // What is given back may pay for what another request delivered beyond its hold; among those the oldest is first.
    await this.#endAll(
      ordered.filter((hold) => hold.progress === 0),
      done,
    );
    await this.#endAll(
      ordered.filter((hold) => hold.progress > 0),
      done,
    );
    if (left.length > 0) this.#log.warn({ ...done }, 'ended the holds that a crash left');
    return done;
  }

  async #endAll(list: readonly HoldTable[], done: Recovery): Promise<void> {
    for (let start = 0; start < list.length; start += atOnce) {
      await Promise.all(list.slice(start, start + atOnce).map((hold) => this.#end(hold, done)));
    }
  }

  /** A name of our own among holds that we do not run is our own former life. */
  async #deadNodes(nodes: Set<string>): Promise<Set<string>> {
    if (this.#store.sqlite) return nodes;
    const dead = new Set<string>();
    const beats = await nodeBeats.lastBeats(this.#store.db, [...nodes]);
    const now = this.#now();
    for (const node of nodes) {
      if (node === this.#node) {
        dead.add(node);
        continue;
      }
      const beat = beats.get(node);
      const seen = this.#seen.get(node);
      if (!seen || seen.beat !== beat) this.#seen.set(node, { beat, since: now });
      else if (now - seen.since >= silenceMs) dead.add(node);
    }
    for (const node of this.#seen.keys()) if (!nodes.has(node)) this.#seen.delete(node);
    return dead;
  }

  async #end(hold: HoldTable, done: Recovery): Promise<void> {
    const requestId = hold.request_id;
    faultPoint('K15');
    try {
      if (hold.progress === 0) {
        await this.#engine.release(requestId);
        done.released += 1;
        return;
      }
      const settled = await this.#engine.settle(settlementOf(hold), { recovered: true });
      done.settled += 1;
      done.charged += settled.charged;
    } catch (error) {
      // Its process was not dead after all and ended it meanwhile.
      if (!(error instanceof UnknownHold)) throw error;
    }
  }
}

function settlementOf(hold: HoldTable) {
  const notes = readNotes(hold.request);
  const username = notes.username ?? '';
  const modelName = notes.model ?? '';
  return {
    requestId: hold.request_id,
    amount: hold.progress,
    channelId: hold.channel_id,
    counts: true,
    log: crashLog(hold, notes),
    hourly: { username, modelName, tokens: 0, at: hold.at },
  };
}

const crashLog = (hold: HoldTable, notes: HoldNotes): SettlementLog => ({
  user_id: hold.user_id,
  created_at: hold.at,
  type: logType.consume,
  content: '网关中断，按已送达内容的估算计费',
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
});

/** Notes are ours, but a hold must be ended whatever they say. */
function readNotes(text: string): HoldNotes {
  try {
    const notes: unknown = JSON.parse(text);
    return typeof notes === 'object' && notes !== null ? notes : {};
  } catch {
    return {};
  }
}
