import { type Clock, seconds } from '../../../lib/clock.ts';
import { faultPoint } from '../../../lib/fault-point.ts';
import { sha256 } from '../../../lib/hash.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { randomText } from '../../../lib/random.ts';
import { batchItems, type Db, keptParts, tasks, vendorObjects } from '../../../store/index.ts';
import {
  holdForTask,
  type Ledger,
  releaseTask,
  type ReserveRequest,
  settleParts,
  type Settlement,
  type VerbContext,
} from '../../money/ledger/index.ts';
import { keptSeconds, type SealedPart, uploadKey, vendorFileRow } from '../routing/index.ts';
import { taskOf } from './row.ts';
import { runningStates } from './states.ts';
import type { Task, TaskBill } from './types.ts';

export interface BatchesDeps {
  db: Db;
  ledger: Pick<Ledger, 'change'>;
  clock: Clock;
  /** As for tasks. */
  node: string;
}

/** The stored name of an item: callers' names may have any length. */
export const itemName = (name: string): string => sha256(name);

/** An item before its batch is sent. */
export interface NewItem {
  /** `itemName` of the caller's name of it, unique in its batch. */
  name: string;
  /** Number of its line, from 1. */
  place: number;
  /** Index of its price in the bill. */
  price: number;
  /** Estimated input tokens. */
  tokens: number;
}

/** A batch before its vendor is called. */
export interface NewBatch {
  /** The id for callers begins with this. */
  idStart: string;
  /** The vendor that shaped its calls. */
  api: string;
  model: string;
  request: JsonObject;
  bill: TaskBill;
  /** The most that all items may cost, as estimated. */
  hold: Omit<ReserveRequest, 'deferrable' | 'upTo'>;
  items: readonly NewItem[];
  /** What its caller sees of it before its vendor answers. */
  result?: JsonObject;
  /** Ms after its submission at which it counts as failed. */
  limitMs: number;
}

/** An item whose result has arrived. */
export interface OpenItem extends Omit<NewItem, 'name'> {
  id: number;
}

/** An item that this process may send. */
type ClaimedItem = OpenItem & Pick<batchItems.BatchItemRow, 'due_at' | 'tries'>;

/** The end of an item: its charge, null if it costs nothing, and the result that the gateway keeps. */
export interface EndedItem {
  item: OpenItem;
  settlement: Settlement | null;
  kept?: SealedPart;
}

/** The vendor's id of a batch whose calls the gateway makes itself. */
const ownVendorId = 'own';

export type Batches = ReturnType<typeof createBatches>;

/** Timeout of a submission, which uploads a file. */
const submitLimitMs = 60 * 60_000;

/**
 * Batches and their money: tasks with a hold from which each item is charged once, by the state of its row. The row of
 * the batch is changed first in every transaction, so that two of them never decide at the same time.
 */
export function createBatches({ db, ledger, clock, node }: BatchesDeps) {
  return {
    /** Takes the hold and writes the batch with its items. Throws InsufficientQuota. */
    async begin(batch: NewBatch): Promise<Task> {
      const row = newRow(batch, clock(), node);
      const id = await ledger.change(async (context) => {
        // A repeated transaction may have been committed before.
        const before = context.repeated ? await tasks.find(context.db, row.task_id) : undefined;
        if (before) return before.id;
        await holdForTask(context, { ...batch.hold, calls: batch.items.length });
        if (batch.bill.own) {
          const until = seconds(clock) + keptSeconds;
          await keptParts.extend(context.db, batch.bill.own.calls, until);
          await vendorObjects.update(context.db, uploadKey(batch.hold), { expires_at: until });
        }
        const made = await tasks.create(context.db, row);
        await batchItems.create(
          context.db,
          batch.items.map((item) => ({ ...item, task_id: made })),
        );
        return made;
      });
      return taskOf({ ...row, id });
    },
    /** Called after the vendor has accepted the batch. False if it was ended in the meantime. */
    accept: (
      batch: Task,
      { vendorId, result, keyId, nextPoll }: Pick<Task, 'vendorId' | 'result'> & AcceptedAt,
    ): Promise<boolean> =>
      tasks.moveOn(db, batch.id, ['submitting'], {
        state: 'submitted',
        vendor_id: vendorId,
        result: JSON.stringify(result),
        bill: JSON.stringify({ ...batch.bill, keyId, settledAt: seconds(clock) }),
        next_poll: nextPoll,
      }),
    /** Called after the vendor has refused the batch: releases the hold and deletes it. */
    refuse: (batch: Task): Promise<void> =>
      ledger.change(async (context) => {
        if (!(await tasks.remove(context.db, batch.id, 'submitting'))) return;
        await endItems(context, batch);
      }),
    /** The items with these names that are not charged, by name. */
    async findOpen(batch: Task, names: readonly string[]): Promise<Map<string, OpenItem>> {
      const byHash = new Map(names.map((name) => [itemName(name), name]));
      const rows = await batchItems.findOpen(db, batch.id, [...byHash.keys()]);
      return new Map(rows.map(({ name, ...item }) => [byHash.get(name) ?? '', item]));
    },
    /** The next item of a batch that is due, for this process until a moment (Unix ms); undefined without one. */
    claim: (batch: Task, until: number): Promise<ClaimedItem | undefined> =>
      batchItems.claim(db, batch.id, clock(), until),
    /** Lets a claimed item wait until a moment (Unix ms). */
    async postponeItem(item: ClaimedItem, until: number, failed: boolean): Promise<void> {
      await batchItems.setDue(db, item, { due_at: until, tries: item.tries + (failed ? 1 : 0) });
    },
    /** Items that are not ended, those due first. */
    rest: (batch: Task, limit: number): Promise<ClaimedItem[]> => batchItems.rest(db, batch.id, limit),
    /** Asks for the end of a running batch. */
    cancel: (batch: Task) => requestCancel(db, batch.userId, batch.id, clock()),
    countOpen: (batch: Task): Promise<number> => batchItems.countOpen(db, batch.id),
    /** The batch as it is now; undefined if it was deleted. */
    async read(batch: Pick<Task, 'id'>): Promise<Task | undefined> {
      const row = await tasks.findById(db, batch.id);
      return row && taskOf(row);
    },
    /**
     * Charges items that are not charged yet, each with its own row in the log, and keeps their results. Returns the charged
     * quota units of all; 0 if the batch is over.
     */
    charge: (batch: Task, parts: readonly EndedItem[]): Promise<number> =>
      ledger.change(async (context) => {
        if (!(await tasks.moveOn(context.db, batch.id, runningStates, { poll_failures: 0 }))) return 0;
        const ids = await batchItems.take(
          context.db,
          parts.map(({ item }) => item.id),
        );
        const ended = parts.filter(({ item }) => ids.has(item.id));
        for (const { kept } of ended) if (kept) await keptParts.add(context.db, kept);
        const due = ended.flatMap(({ settlement }) => settlement ?? []);
        if (due.length === 0) return 0;
        const { isCeiled = false } = batch.bill;
        const settled = await settleParts(context, batch.requestId, due, isCeiled);
        const charged = settled.reduce((sum, each) => sum + each.charged, 0);
        await tasks.addQuota(context.db, batch.id, charged);
        faultPoint('batch-charging');
        return charged;
      }),
    /**
     * Ends a batch whose results are charged: returns the rest of its hold and gives the files to its user. False if it
     * is already over.
     */
    finish: (
      batch: Task,
      { state, reason = '', result }: { state: 'succeeded' | 'failed'; reason?: string; result: JsonObject },
      files: readonly JsonObject[] = [],
    ): Promise<boolean> =>
      ledger.change(async (context) => {
        const change = { ...endOf(state, reason, clock()), result: JSON.stringify(result) };
        if (!(await tasks.moveOn(context.db, batch.id, runningStates, change))) return false;
        await endItems(context, batch);
        const { userId, channelId, bill } = batch;
        if (bill.own) await keptParts.remove(context.db, bill.own.calls);
        for (const file of files) {
          const row = vendorFileRow(
            { userId, api: batch.action === 'gemini' ? 'gemini' : 'openai' },
            { id: channelId, keyId: bill.keyId ?? '' },
            file,
          );
          await vendorObjects.remove(context.db, row);
          await vendorObjects.create(context.db, row);
        }
        faultPoint('batch-finishing');
        return true;
      }),
  };
}

/**
 * Marks a running batch of a user, in the caller's transaction: the next poll cancels it at its vendor. Returns its id for
 * callers; undefined if there is none.
 */
export async function requestCancel(
  db: Db,
  userId: number,
  id: number,
  now: number,
): Promise<string | undefined> {
  const row = await tasks.findById(db, id);
  if (row?.user_id !== userId || row.platform !== 'batch') return undefined;
  const request = JSON.stringify({ ...(JSON.parse(row.request) as JsonObject), cancel: true });
  return (await tasks.moveOn(db, id, runningStates, { request, next_poll: now })) ? row.task_id : undefined;
}

/** The moment of acceptance. */
interface AcceptedAt {
  /** The key of the vendor's call, for a channel with several keys. */
  keyId: string | undefined;
  /** Unix ms. */
  nextPoll: number;
}

/** Returns the rest of a batch's hold, in the transaction that ends it. Its items are no longer needed. */
export async function endItems(context: VerbContext, batch: Pick<Task, 'id' | 'requestId'>): Promise<void> {
  await releaseTask(context, batch.requestId);
  await batchItems.removeAll(context.db, batch.id);
}

const endOf = (state: string, reason: string, now: number): tasks.TaskChange => ({
  state,
  progress: 100,
  reason: reason.slice(0, 2_000),
  finish_time: now,
  next_poll: 0,
  poll_failures: 0,
});

function newRow(batch: NewBatch, now: number, node: string): tasks.NewTask {
  const { hold, bill } = batch;
  return {
    task_id: `${batch.idStart}${randomText(32)}`,
    platform: 'batch',
    action: batch.api,
    user_id: hold.userId,
    team_id: bill.team?.id ?? 0,
    // No channel is polled for calls that the gateway makes itself.
    channel_id: bill.own ? 0 : hold.channelId,
    model: batch.model,
    upstream_model: bill.prices?.[0]?.upstreamModel ?? batch.model,
    vendor_id: bill.own ? ownVendorId : '',
    state: bill.own ? 'submitted' : 'submitting',
    vendor_status: '',
    progress: 0,
    quota: 0,
    request_id: hold.requestId,
    bill: JSON.stringify(bill),
    request: JSON.stringify(batch.request),
    result: JSON.stringify(batch.result ?? {}),
    reason: '',
    node,
    submit_time: now,
    start_time: 0,
    finish_time: 0,
    next_poll: bill.own ? now : now + submitLimitMs,
    poll_failures: 0,
    deadline: now + batch.limitMs,
  };
}
