import { keptText } from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { faultPoint } from '../../../lib/fault-point.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { randomText } from '../../../lib/random.ts';
import type { TaskUpdate } from '../../../relay/types/index.ts';
import { type Db, inTransaction, tasks } from '../../../store/index.ts';
import {
  holdForTask,
  type Ledger,
  releaseTask,
  type ReserveRequest,
  settleTask,
  type Settled,
  type Settlement,
} from '../../money/ledger/index.ts';
import { endItems } from './batches.ts';
import { ChannelLeases } from './leases.ts';
import { pageOfTasks, type TaskFilter } from './page.ts';
import { type RefundDeps, refundTask } from './refund.ts';
import { taskOf } from './row.ts';
import { isOver, moves, runningStates } from './states.ts';
import type { ResponseBill, Task, TaskBill, TaskPlatform } from './types.ts';

/** Dependencies of the task service. */
export interface TasksDeps extends RefundDeps {
  db: Db;
  ledger: Pick<Ledger, 'change'>;
  clock: Clock;
  /** The name of this process among others on the same database; unchanged by a restart. */
  node: string;
  /** True if no other process runs at the recovery of this one: tasks being submitted then belong to a dead process. */
  isFirst?: boolean;
}

/** A task before its vendor is called. */
export interface NewTask {
  platform: TaskPlatform;
  action: string;
  model: string;
  request: JsonObject;
  bill: TaskBill;
  /** Its hold: the whole cost of the task. */
  hold: Omit<ReserveRequest, 'deferrable' | 'upTo'>;
  /** Timeout in ms after its submission; then the task has failed. */
  limitMs: number;
}

/** Data of a task after its vendor has accepted it. */
export interface Acceptance {
  vendorId: string;
  upstreamModel: string;
  update: TaskUpdate;
  settlement: Settlement;
  /** The key of the vendor's call, for a channel with several keys. */
  keyId?: string | undefined;
  /** Unix ms of the first poll. */
  nextPoll: number;
}

/** Data of a response in the background after its vendor has begun it. */
export interface BegunResponse extends Pick<Acceptance, 'vendorId' | 'upstreamModel' | 'keyId' | 'nextPoll'> {
  channelId: number;
  response: ResponseBill;
}

/** A vendor's report about a task. */
export interface TaskReport {
  task: Task;
  update: TaskUpdate;
}

/** Timeout of a submission; a process that takes longer counts as dead. */
const submitLimitMs = 15 * 60_000;

/** Another process ended the task before the vendor's answer could be stored. */
export class TaskLost extends Error {
  constructor(taskId: string) {
    super(`task ${taskId} was ended while its vendor was asked`);
    this.name = 'TaskLost';
  }
}

export type Tasks = ReturnType<typeof createTasks>;

/**
 * Tasks and their money. Every step is one transaction over the row and the ledger, decided by the state of the row:
 * a second attempt, in this process or another one, changes nothing.
 */
export function createTasks(deps: TasksDeps) {
  const { db, ledger, clock } = deps;
  const leases = new ChannelLeases(deps);
  return {
    /** Takes the hold and writes the task's row. Throws InsufficientQuota. */
    begin: (task: NewTask) => begin(deps, task),
    /**
     * Called after the vendor has accepted the task: settles the hold. Throws TaskLost if the task was ended in the
     * meantime.
     */
    accept: (task: Task, acceptance: Acceptance) => accept(deps, task, acceptance),
    /** Called after the vendor has refused the task: releases the hold and deletes the task. */
    refuse: (task: Task): Promise<void> =>
      ledger.change(async (context) => {
        if (await tasks.remove(context.db, task.id, 'submitting')) {
          await releaseTask(context, task.requestId);
        }
      }),
    /**
     * Called after the vendor has begun a response in the background: its hold stays until it ends. Throws TaskLost if the
     * task was ended in the meantime.
     */
    begun: (task: Task, response: BegunResponse) => begun(deps, task, response),
    /** Ends a response in the background with its cost; undefined if it is already over. */
    settle: (task: Task, settlement: Settlement) => settle(deps, task, settlement),
    /** A user's response in the background at a channel's vendor; undefined for an unknown one. */
    findResponse: async (userId: number, channelId: number, vendorId: string): Promise<Task | undefined> => {
      const row = await tasks.findResponse(db, userId, channelId, vendorId);
      return row && taskOf(row);
    },
    /** Stores a vendor's report about a task. Returns false if the task is already over. */
    advance: (task: Task, update: TaskUpdate, nextPoll: number) => advance(deps, task, update, nextPoll),
    /** Stores vendors' reports about running tasks: one transaction for all of them, since no money moves. */
    recordProgress: (reports: readonly TaskReport[], nextPoll: number) =>
      recordProgress(deps, reports, nextPoll),
    /** Marks a task as failed and refunds its charge. Returns false if it is already over. */
    fail: (task: Task, reason: string) => advance(deps, task, { state: 'failed', reason }, 0),
    /** At a start: ends the tasks that this process was submitting before a restart; the vendors' answers are lost. */
    recover: () => recover(deps),
    /** Hides a finished task from its owner; its cost stays in the books and the log. */
    forget: async (task: Task): Promise<boolean> =>
      isOver(task.state) && tasks.remove(db, task.id, task.state),
    find: async (taskId: string): Promise<Task | undefined> => {
      const row = await tasks.find(db, taskId);
      return row && !tasks.isHidden(row) ? taskOf(row) : undefined;
    },
    /** A task of this user; undefined for a task of another user. */
    findOwn: async (userId: number, taskId: string): Promise<Task | undefined> => {
      const [row] = await tasks.findMany(db, userId, [taskId]);
      return row && taskOf(row);
    },
    findMany: async (userId: number, taskIds: readonly string[]): Promise<Task[]> =>
      (await tasks.findMany(db, userId, taskIds)).map(taskOf),
    page: (filter: TaskFilter, slice: { offset: number; limit: number }): Promise<Task[]> =>
      pageOfTasks(db, filter, slice),
    /** Due tasks of the channels that this process polls, the longest waiting first. */
    async due(limit: number): Promise<Task[]> {
      const ours: number[] = [];
      for (const id of await tasks.dueChannels(db, clock())) if (await leases.hold(id)) ours.push(id);
      return ours.length === 0 ? [] : (await tasks.due(db, clock(), ours, limit)).map(taskOf);
    },
    /**
     * True while this process may poll a channel, for at least half a minute; no other process polls it during that
     * time.
     */
    mayPoll: (channelId: number): Promise<boolean> => leases.hold(channelId),
    /** Releases the channels of this process, so that other processes can poll them. */
    stopPolling: (): Promise<void> => leases.release(),
    /** Sets the next poll of open tasks; `failed` for a poll without a result. */
    postpone: (some: readonly Task[], until: number, failed: boolean): Promise<void> =>
      tasks.postpone(
        db,
        some.map(({ id }) => id),
        until,
        failed,
      ),
    /** Called for a vendor's callback: its task is polled now. The callback's content is not trusted. */
    hint: (userId: number, vendorId: string): Promise<number> => tasks.makeDue(db, userId, vendorId, clock()),
  };
}

/** Returns the number of ended tasks. */
async function recover(deps: TasksDeps): Promise<number> {
  const left = await tasks.findSubmitting(deps.db, deps.isFirst ? undefined : deps.node);
  for (const row of left)
    await advance(deps, taskOf(row), { state: 'failed', reason: keptText('taskInterrupted') }, 0);
  return left.length;
}

async function begin(deps: TasksDeps, task: NewTask): Promise<Task> {
  const now = deps.clock();
  const row: tasks.NewTask = {
    task_id: `task_${randomText(32)}`,
    platform: task.platform,
    action: task.action,
    user_id: task.hold.userId,
    team_id: task.bill.team?.id ?? 0,
    channel_id: task.hold.channelId,
    model: task.model,
    upstream_model: task.model,
    vendor_id: '',
    state: 'submitting',
    vendor_status: '',
    progress: 0,
    quota: task.hold.amount,
    request_id: task.hold.requestId,
    bill: JSON.stringify(task.bill),
    request: JSON.stringify(task.request),
    result: '{}',
    reason: '',
    node: deps.node,
    submit_time: now,
    start_time: 0,
    finish_time: 0,
    next_poll: now + submitLimitMs,
    poll_failures: 0,
    deadline: now + task.limitMs,
  };
  const id = await deps.ledger.change(async (context) => {
    // A repeated transaction may have been committed before.
    const before = context.repeated ? await tasks.find(context.db, row.task_id) : undefined;
    if (before) return before.id;
    await holdForTask(context, task.hold);
    return tasks.create(context.db, row);
  });
  return taskOf({ ...row, id });
}

async function accept(
  { ledger, clock }: TasksDeps,
  task: Task,
  { vendorId, upstreamModel, update, settlement, keyId, nextPoll }: Acceptance,
): Promise<{ task: Task; settled: Settled }> {
  const now = clock();
  const bill: TaskBill = { ...task.bill, keyId, settledAt: seconds(clock) };
  const change = {
    ...changeOf(task, update, now, nextPoll),
    channel_id: settlement.channelId,
    upstream_model: upstreamModel,
    vendor_id: vendorId,
    quota: settlement.amount,
    bill: JSON.stringify(bill),
  };
  const settled = await ledger.change(async (context) => {
    const moved = await tasks.moveOn(context.db, task.id, ['submitting'], change);
    if (!moved && !context.repeated) throw new TaskLost(task.taskId);
    const done = await settleTask(context, settlement);
    faultPoint('task-in-transaction');
    return done;
  });
  const accepted = { ...task, bill, vendorId, upstreamModel, channelId: settlement.channelId };
  return { task: updated({ ...accepted, quota: settled.charged }, update, now), settled };
}

async function begun(
  { db, clock }: TasksDeps,
  task: Task,
  { vendorId, upstreamModel, keyId, channelId, response, nextPoll }: BegunResponse,
): Promise<Task> {
  const now = clock();
  const bill: TaskBill = { ...task.bill, keyId, response };
  const change = {
    ...changeOf(task, { state: 'in_progress' }, now, nextPoll),
    channel_id: channelId,
    upstream_model: upstreamModel,
    vendor_id: vendorId,
    bill: JSON.stringify(bill),
  };
  if (!(await tasks.moveOn(db, task.id, ['submitting'], change))) throw new TaskLost(task.taskId);
  return updated({ ...task, bill, vendorId, upstreamModel, channelId }, { state: 'in_progress' }, now);
}

function settle(
  { ledger, clock }: TasksDeps,
  task: Task,
  settlement: Settlement,
): Promise<Settled | undefined> {
  const change = {
    ...changeOf(task, { state: 'succeeded' }, clock(), 0),
    quota: settlement.amount,
  };
  return ledger.change(async (context) => {
    if (!(await tasks.moveOn(context.db, task.id, runningStates, change))) return undefined;
    const settled = await settleTask(context, settlement);
    faultPoint('task-in-transaction');
    return settled;
  });
}

async function advance(deps: TasksDeps, task: Task, update: TaskUpdate, nextPoll: number): Promise<boolean> {
  if (!moves[task.state].includes(update.state)) return false;
  const change = changeOf(task, update, deps.clock(), nextPoll);
  const unused = update.state === 'succeeded' ? unusedOf(task, update) : 0;
  if (update.state !== 'failed' && unused === 0) {
    return tasks.moveOn(deps.db, task.id, runningStates, change);
  }
  // Whether a task in this state has a hold or a charge depends only on this; a response is charged at its end.
  const isHeld = task.state === 'submitting' || task.platform === 'response';
  const from = task.state === 'submitting' ? ['submitting'] : runningStates;
  const isWhole = update.state === 'failed';
  const isBatch = task.platform === 'batch';
  // What was charged for items of a batch was delivered by its vendor.
  const quota = isBatch ? {} : { quota: isWhole ? 0 : task.quota - unused };
  return deps.ledger.change(async (context) => {
    if (!(await tasks.moveOn(context.db, task.id, from, { ...change, ...quota }))) return false;
    if (isBatch) await endItems(context, task);
    else if (isHeld) await releaseTask(context, task.requestId);
    else {
      const reason = update.reason ?? '';
      await refundTask(deps, context, task, isWhole ? { reason } : { reason, amount: unused });
    }
    faultPoint('task-refunding');
    return true;
  });
}

function recordProgress(
  { db, clock }: TasksDeps,
  reports: readonly TaskReport[],
  nextPoll: number,
): Promise<void> {
  const now = clock();
  return inTransaction(db, async (trx) => {
    for (const { task, update } of reports) {
      if (!isOver(update.state) && moves[task.state].includes(update.state))
        await tasks.moveOn(trx, task.id, runningStates, changeOf(task, update, now, nextPoll));
    }
  });
}

/** The charge for seconds of video that were not produced, rounded so that the produced seconds are paid in full. */
function unusedOf({ bill, quota }: Task, { seconds: made }: TaskUpdate): number {
  const { seconds: paid = 0 } = bill;
  if (made === undefined || made <= 0 || made >= paid) return 0;
  return quota - Math.ceil((quota * made) / paid);
}

/** The task after an update. */
function updated(task: Task, update: TaskUpdate, now: number): Task {
  const row = changeOf(task, update, now, 0);
  return {
    ...task,
    state: update.state,
    vendorStatus: row.vendor_status,
    progress: row.progress,
    result: update.result ?? task.result,
    reason: row.reason,
    startTime: row.start_time,
    finishTime: row.finish_time,
  };
}

/** The columns that an update changes. */
function changeOf(task: Task, update: TaskUpdate, now: number, nextPoll: number) {
  const { state, progress, result, reason, vendorStatus } = update;
  const over = isOver(state);
  const hasStarted = task.startTime > 0 || state === 'in_progress' || over;
  return {
    state,
    vendor_status: (vendorStatus ?? task.vendorStatus).slice(0, 64),
    progress: over ? 100 : Math.min(99, Math.max(0, Math.round(progress ?? task.progress))),
    result: JSON.stringify(result ?? task.result),
    reason: (reason ?? task.reason).slice(0, 2_000),
    start_time: hasStarted ? task.startTime || now : 0,
    finish_time: over ? now : 0,
    next_poll: over ? 0 : nextPoll,
    poll_failures: 0,
  };
}
