import { keptText } from '@tollgate/contract';
import pLimit from 'p-limit';
import { faultPoint } from '../../lib/fault-point.ts';
import {
  type BatchVendor,
  type Channel,
  type Provider,
  RelayError,
  type TaskUpdate,
  type VideoVendor,
} from '../../relay/types/index.ts';
import { isOver, type Task, type TaskReport } from '../../services/calls/tasks/index.ts';
import { askVendor } from './ask-vendor.ts';
import { askAbout, conclude } from './background.ts';
import { taskChannel } from './choose.ts';
import { type AskedBatch, askBatch, type BatchAt, cancelAtVendor, collectBatch } from './batch-results.ts';
import type { TaskDeps } from './deps.ts';
import { OwnBatches } from './own-batches.ts';

/** Tasks read at once, and rounds in one run; tasks that are still due wait for the next run. */
const maxRead = 1_000;
const maxReadsPerRun = 100;
/** Timeout of a poll; the vendor is polled again later. */
const pollTimeoutMs = 15_000;
/** Vendors polled at the same time, and videos or responses of one channel. */
const maxChannelsAtOnce = 8;
const maxAskedAtOnce = 4;
/** Batches whose results are read at the same time. */
const maxCollectors = 4;

const defaultIntervalMs = 15_000;
/** A young task may be done soon: it is polled after half its age, at the earliest with the next run of the job. */
const minIntervalMs = 2_000;
/** Tasks that run long change rarely. */
const longIntervalMs = 60_000;
const longAfterMs = 600_000;
const maxIntervalMs = 300_000;

/** A channel that still exists, and its provider. */
interface PolledChannel {
  provider: Provider;
  channel: Channel;
}

/**
 * Polls vendors for the state of tasks. Any number of processes may run one: a lease gives each channel to one
 * process, for a minute at most, so that another one continues if it dies.
 */
export class TaskPoller {
  private readonly deps: TaskDeps;
  private running: Promise<void> | undefined;
  private isWanted = false;
  private isClosed = false;
  /** Batches whose results are being charged. */
  private readonly collecting = new Map<number, Promise<void>>();
  private readonly collectors = pLimit(maxCollectors);
  private readonly own: OwnBatches;

  constructor(deps: TaskDeps) {
    this.deps = deps;
    this.own = new OwnBatches(deps);
  }

  /** Polls everything that is due. If it is called while it runs, it runs once more. */
  run(): Promise<void> {
    if (this.isClosed) return Promise.resolve();
    this.isWanted = true;
    this.running ??= this.pollAllDue().finally(() => (this.running = undefined));
    return this.running;
  }

  /** Starts a run without waiting for it: a vendor's callback has announced a change. */
  requestRun(): void {
    this.run().catch((error: unknown) => {
      this.deps.gateway.log.error({ err: error }, 'tasks could not be polled');
    });
  }

  /** Stops polling; channels that this process polled are released at once. Resolves when a current run is over. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.running?.catch(() => undefined);
    await Promise.all([this.own.close(), ...this.collecting.values()]);
    await this.deps.tasks.stopPolling();
  }

  private async pollAllDue(): Promise<void> {
    while (this.isWanted) {
      this.isWanted = false;
      for (let reads = 0; reads < maxReadsPerRun && !this.isClosed; reads += 1) {
        const due = await this.deps.tasks.due(maxRead);
        await pLimit(maxChannelsAtOnce).map(byChannel(due), ([, some]) => this.pollKeys(some));
        if (due.length < maxRead) break;
      }
    }
  }

  /** Each task is looked up with the key that it was made with. */
  private async pollKeys(due: readonly Task[]): Promise<void> {
    const keyOf = ({ platform, bill }: Task): string =>
      `${platform === 'batch'} ${bill.own !== undefined} ${bill.keyId ?? ''}`;
    for (const some of Map.groupBy(due, keyOf).values()) await this.pollChannel(some);
  }

  private async pollChannel(due: readonly Task[]): Promise<void> {
    const live = await this.liveTasks(due);
    const { channelId, bill } = due[0]!;
    if (bill.own) return this.goOnWith(live);
    const channel = taskChannel(this.deps, due[0]!);
    const provider = channel && this.deps.provider(channel.type);
    const responses = live.filter(({ platform }) => platform === 'response');
    const isBatch = due[0]!.platform === 'batch';
    if (channel && provider) await this.pollResponses({ channel, provider }, responses);
    if (!channel || !provider || !(isBatch ? provider.batches : provider.tasks)) {
      for (const task of channel ? live.filter((each) => !responses.includes(each)) : live)
        await this.fail(task, keptText('taskChannelGone', { id: channelId }));
      return;
    }
    const polled = { channel, provider };
    if (isBatch) return this.pollCallBatches(polled, live);
    const { drawing, music, video } = provider.tasks ?? {};
    await this.pollBatches(
      polled,
      drawing,
      live.filter(({ platform }) => platform === 'mj'),
    );
    await this.pollBatches(
      polled,
      music,
      live.filter(({ platform }) => platform === 'suno'),
    );
    await this.pollVideos(
      polled,
      video,
      live.filter(({ platform }) => platform === 'video'),
    );
  }

  /** Goes on with batches whose calls the gateway makes itself, beside the polls of other tasks. */
  private async goOnWith(live: readonly Task[]): Promise<void> {
    await this.postpone(live, false);
    for (const batch of live)
      this.own.run(batch, async () => !this.isClosed && (await this.deps.tasks.mayPoll(batch.channelId)));
  }

  /** Polls batches of calls. The results of one that is over are read beside the polls of other tasks. */
  private async pollCallBatches(polled: PolledChannel, live: readonly Task[]): Promise<void> {
    await pLimit(maxAskedAtOnce).map(live, async (batch) => {
      if (!(await this.mayPoll(polled))) return;
      const asked = await this.pollSafely(polled, () => askOrCancel(this.deps, { ...polled, batch }));
      if (!asked) return this.postpone([batch], true);
      const { object, report } = asked;
      const progress = report.total > 0 ? (report.ended * 100) / report.total : 0;
      const result = { ...batch.result, batch: object };
      const update = { state: 'in_progress', vendorStatus: report.status, progress, result } as const;
      await this.apply([batch], () => update);
      if (report.isOver) this.collect({ ...polled, batch: { ...batch, result } }, asked);
    });
  }

  /** Charges the results of a batch, once at a time. */
  private collect(at: BatchAt, asked: AskedBatch): void {
    const { id, taskId } = at.batch;
    if (this.collecting.has(id)) return;
    const work = this.collectors(async () => {
      await collectBatch(this.deps, at, asked, () => this.mayPoll(at));
    })
      .catch(async (err: unknown) => {
        this.deps.gateway.log.warn({ batch: taskId, err }, 'the results of a batch could not be charged yet');
        await this.postpone([at.batch], true);
      })
      .catch((err: unknown) => this.deps.gateway.log.error({ batch: taskId, err }, 'a batch stays as it is'))
      .finally(() => this.collecting.delete(id));
    this.collecting.set(id, work);
  }

  /** Ends the tasks without any further report from a vendor, and returns the others. */
  private async liveTasks(due: readonly Task[]): Promise<Task[]> {
    const now = this.deps.gateway.clock();
    const live: Task[] = [];
    for (const task of due) {
      if (task.state === 'submitting' || task.vendorId === '') {
        await this.fail(task, keptText('taskInterrupted'));
      } else if (now >= task.deadline) {
        const hours = Math.max(1, Math.round((task.deadline - task.submitTime) / 3_600_000));
        await this.fail(task, keptText('taskTimedOut', { hours }));
      } else live.push(task);
    }
    return live;
  }

  private fail(task: Task, reason: string): Promise<void> {
    return this.isolateErrors(task, async () => {
      await this.deps.tasks.fail(task, reason);
      faultPoint('task-refunded');
    });
  }

  /** Runs `work` on one task: an error affects only this task, which is retried later. */
  private async isolateErrors(task: Task, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.deps.gateway.log.error({ task: task.taskId, err: error }, 'a task could not be moved on');
      await this.postpone([task], true);
    }
  }

  private async pollBatches(
    polled: PolledChannel,
    vendor: BatchVendor | undefined,
    live: readonly Task[],
  ): Promise<void> {
    if (!vendor) return this.failAll(polled, live);
    for (let start = 0; start < live.length; start += vendor.maxIds) {
      if (!(await this.mayPoll(polled))) return;
      const some = live.slice(start, start + vendor.maxIds);
      const question = vendor.poll([...new Set(some.map(({ vendorId }) => vendorId))], polled.channel);
      const read = await this.pollSafely(polled, async () => {
        const { status, body } = await askVendor(this.deps, {
          ...polled,
          question,
          timeoutMs: pollTimeoutMs,
        });
        return vendor.readPoll(status, body);
      });
      if (!read) await this.postpone(some, true);
      else await this.apply(some, (task) => read.get(task.vendorId));
    }
  }

  /** A response that has ended is charged; an answer without one, or an error, is no end. */
  private async pollResponses(polled: PolledChannel, live: readonly Task[]): Promise<void> {
    await pLimit(maxAskedAtOnce).map(live, async (task) => {
      if (!(await this.mayPoll(polled))) return;
      const answer = await this.pollSafely(polled, () => askAbout(this.deps, task, polled.channel));
      await this.isolateErrors(task, async () => {
        if (answer) await conclude(this.deps, task, answer);
        // This changes nothing in a row that is over.
        await this.postpone([task], answer === undefined);
      });
    });
  }

  private async pollVideos(
    polled: PolledChannel,
    vendor: VideoVendor | undefined,
    live: readonly Task[],
  ): Promise<void> {
    if (!vendor) return this.failAll(polled, live);
    const tools = this.deps.toolsFor(polled.provider, polled.channel);
    await pLimit(maxAskedAtOnce).map(live, async (task) => {
      if (!(await this.mayPoll(polled))) return;
      const { vendorId, upstreamModel: model, result } = task;
      const update = await this.pollSafely(polled, async () => {
        const question = await vendor.poll({ vendorId, model, result }, polled.channel, tools);
        const { status, body } = await askVendor(this.deps, {
          ...polled,
          question,
          timeoutMs: pollTimeoutMs,
        });
        return vendor.readPoll(status, body);
      });
      if (update) await this.apply([task], () => update);
      else await this.postpone([task], true);
    });
  }

  /** False if another process has the channel by now, or this one is stopping. */
  private async mayPoll({ channel }: PolledChannel): Promise<boolean> {
    return !this.isClosed && (await this.deps.tasks.mayPoll(channel.id));
  }

  /** The channel belongs to another vendor by now. */
  private async failAll({ channel }: PolledChannel, live: readonly Task[]): Promise<void> {
    for (const task of live) await this.fail(task, keptText('taskChannelGone', { id: channel.id }));
  }

  /** A vendor's answer; undefined after an error, which is logged. */
  private async pollSafely<T>(
    { channel }: PolledChannel,
    ask: () => Promise<T | RelayError>,
  ): Promise<T | undefined> {
    try {
      const read = await ask();
      faultPoint('task-polled');
      if (!(read instanceof RelayError)) return read;
      this.deps.gateway.log.warn(
        { channel: channel.id, status: read.status, code: read.code },
        'a poll of tasks was refused',
      );
    } catch (error) {
      this.deps.gateway.log.warn({ channel: channel.id, err: error }, 'a poll of tasks had no answer');
    }
    return undefined;
  }

  /** Stores changes; for all other tasks only the time of the next poll. */
  private async apply(
    some: readonly Task[],
    updateOf: (task: Task) => TaskUpdate | undefined,
  ): Promise<void> {
    const same: Task[] = [];
    const reports: TaskReport[] = [];
    for (const task of some) {
      const update = updateOf(task);
      if (update && isChange(task, update)) reports.push({ task, update });
      else same.push(task);
    }
    for (const { task, update } of reports.filter(({ update: { state } }) => isOver(state))) {
      await this.isolateErrors(task, async () => {
        await this.deps.tasks.advance(task, update, this.nextPollAt(task, 0));
        if (update.state === 'failed') faultPoint('task-refunded');
      });
    }
    await this.recordProgress(reports.filter(({ update: { state } }) => !isOver(state)));
    await this.postpone(same, false);
  }

  private async recordProgress(reports: readonly TaskReport[]): Promise<void> {
    const byNextPoll = Map.groupBy(reports, ({ task }) => this.nextPollAt(task, 0));
    for (const [at, each] of byNextPoll) await this.deps.tasks.recordProgress(each, at);
  }

  private async postpone(some: readonly Task[], failed: boolean): Promise<void> {
    const byNextPoll = Map.groupBy(some, (task) => this.nextPollAt(task, failed ? task.pollFailures + 1 : 0));
    for (const [at, each] of byNextPoll) await this.deps.tasks.postpone(each, at, failed);
  }

  /** Rounded to seconds, so that the tasks of one answer are due together. */
  private nextPollAt(task: Task, failures: number): number {
    const now = this.deps.gateway.clock();
    const age = now - task.submitTime;
    const pause = failures > 0 ? backOff(defaultInterval(age), failures) : intervalAt(age);
    return Math.ceil((now + pause) / 1_000) * 1_000;
  }
}

const defaultInterval = (age: number): number => (age > longAfterMs ? longIntervalMs : defaultIntervalMs);
const intervalAt = (age: number): number => Math.min(defaultInterval(age), Math.max(minIntervalMs, age / 2));
const backOff = (pause: number, failures: number): number =>
  Math.min(maxIntervalMs, pause * 2 ** Math.min(failures, 8));

/** True if an update has something that the row does not have. */
const isChange = (task: Task, update: TaskUpdate): boolean =>
  update.state !== task.state ||
  (update.vendorStatus ?? task.vendorStatus) !== task.vendorStatus ||
  Math.min(99, Math.round(update.progress ?? task.progress)) !== task.progress ||
  (update.result !== undefined && JSON.stringify(update.result) !== JSON.stringify(task.result));

const byChannel = (due: readonly Task[]): Map<number, Task[]> => Map.groupBy(due, (task) => task.channelId);

/** Cancels a batch if its user has asked for that. A vendor refuses to cancel one that is over. */
function askOrCancel(deps: TaskDeps, at: BatchAt): Promise<AskedBatch> {
  const { request, vendorStatus } = at.batch;
  if (request['cancel'] !== true || vendorStatus.startsWith('cancel')) return askBatch(deps, at);
  return cancelAtVendor(deps, at).catch(() => askBatch(deps, at));
}
