import { keptText } from '@tollgate/contract';
import { faultPoint } from '../../lib/fault-point.ts';
import {
  type BatchVendor,
  type Channel,
  type Provider,
  RelayError,
  type TaskUpdate,
  type VideoVendor,
} from '../../relay/types/index.ts';
import type { Task } from '../../services/tasks/index.ts';
import { askVendor } from './ask-vendor.ts';
import type { TaskDeps } from './deps.ts';

/** Tasks taken at once. */
const claimedAtOnce = 1_000;
/** A process that has taken tasks and says nothing more of them loses them after this. */
const leaseMs = 60_000;
/** A vendor that does not answer for so long is asked again later. */
const pollTimeoutMs = 15_000;
/** Vendors asked at the same time, and videos of one channel. */
const channelsAtOnce = 8;
const videosAtOnce = 4;

const usualPauseMs = 15_000;
/** Of a task that takes long, news are rare. */
const longPauseMs = 60_000;
const longAfterMs = 600_000;
const maxPauseMs = 300_000;

/** A channel that still exists, and what it is of. */
interface Asked {
  provider: Provider;
  channel: Channel;
}

/**
 * Asks vendors what became of tasks. Any number of processes may run one: each task is taken by its row, for a minute at
 * most, so that one of them asks for it, and another one goes on where it dies.
 */
export class TaskPoller {
  readonly #deps: TaskDeps;
  #running: Promise<void> | undefined;
  #isWanted = false;

  constructor(deps: TaskDeps) {
    this.#deps = deps;
  }

  /** Looks at everything that is due. A call while it runs has it look once more. */
  run(): Promise<void> {
    this.#isWanted = true;
    this.#running ??= this.#all().finally(() => (this.#running = undefined));
    return this.#running;
  }

  /** The same for somebody who does not wait: a vendor has hinted that something is new. */
  soon(): void {
    this.run().catch((error: unknown) => {
      this.#deps.gateway.log.error({ err: error }, 'tasks could not be polled');
    });
  }

  async #all(): Promise<void> {
    while (this.#isWanted) {
      this.#isWanted = false;
      for (;;) {
        const due = await this.#deps.tasks.claimDue(claimedAtOnce, leaseMs);
        await inTurns([...byChannel(due)], channelsAtOnce, ([id, some]) => this.#channel(id, some));
        if (due.length < claimedAtOnce) break;
      }
    }
  }

  async #channel(channelId: number, due: readonly Task[]): Promise<void> {
    const { gateway, provider: providerOf } = this.#deps;
    const live = await this.#withoutLost(due);
    const channel = gateway.routing.byId(channelId)?.channel;
    const provider = channel && providerOf(channel.type);
    if (!channel || !provider?.tasks) {
      for (const task of live) await this.#fail(task, keptText('taskChannelGone', { id: channelId }));
      return;
    }
    const asked = { channel, provider };
    const { drawing, music, video } = provider.tasks;
    await this.#batches(
      asked,
      drawing,
      live.filter(({ platform }) => platform === 'mj'),
    );
    await this.#batches(
      asked,
      music,
      live.filter(({ platform }) => platform === 'suno'),
    );
    await this.#videos(
      asked,
      video,
      live.filter(({ platform }) => platform === 'video'),
    );
  }

  /** Ends those that nobody will ever tell of, and answers the others. */
  async #withoutLost(due: readonly Task[]): Promise<Task[]> {
    const now = this.#deps.gateway.clock();
    const live: Task[] = [];
    for (const task of due) {
      if (task.state === 'submitting' || task.vendorId === '') {
        await this.#fail(task, keptText('taskInterrupted'));
      } else if (now >= task.deadline) {
        const hours = Math.max(1, Math.round((task.deadline - task.submitTime) / 3_600_000));
        await this.#fail(task, keptText('taskTimedOut', { hours }));
      } else live.push(task);
    }
    return live;
  }

  async #fail(task: Task, reason: string): Promise<void> {
    await this.#deps.tasks.fail(task, reason);
    faultPoint('task-refunded');
  }

  async #batches(asked: Asked, vendor: BatchVendor | undefined, live: readonly Task[]): Promise<void> {
    if (!vendor) return this.#notPossible(asked, live);
    for (let start = 0; start < live.length; start += vendor.mostIds) {
      const some = live.slice(start, start + vendor.mostIds);
      const question = vendor.poll([...new Set(some.map(({ vendorId }) => vendorId))], asked.channel);
      const read = await this.#learn(asked, async () => {
        const { status, body } = await askVendor(this.#deps, {
          ...asked,
          question,
          timeoutMs: pollTimeoutMs,
        });
        return vendor.readPoll(status, body);
      });
      if (!read) await this.#putOff(some, true);
      else await this.#apply(some, (task) => read.get(task.vendorId));
    }
  }

  async #videos(asked: Asked, vendor: VideoVendor | undefined, live: readonly Task[]): Promise<void> {
    if (!vendor) return this.#notPossible(asked, live);
    const tools = this.#deps.toolsFor(asked.provider, asked.channel);
    await inTurns(live, videosAtOnce, async (task) => {
      const { vendorId, upstreamModel: model, result } = task;
      const update = await this.#learn(asked, async () => {
        const question = await vendor.poll({ vendorId, model, result }, asked.channel, tools);
        const { status, body } = await askVendor(this.#deps, {
          ...asked,
          question,
          timeoutMs: pollTimeoutMs,
        });
        return vendor.readPoll(status, body);
      });
      if (update) await this.#apply([task], () => update);
      else await this.#putOff([task], true);
    });
  }

  /** The channel is of another vendor by now. */
  async #notPossible({ channel }: Asked, live: readonly Task[]): Promise<void> {
    for (const task of live) await this.#fail(task, keptText('taskChannelGone', { id: channel.id }));
  }

  /** What a vendor answers; undefined where nothing was learnt. */
  async #learn<T>({ channel }: Asked, ask: () => Promise<T | RelayError>): Promise<T | undefined> {
    try {
      const read = await ask();
      faultPoint('task-polled');
      if (!(read instanceof RelayError)) return read;
      this.#deps.gateway.log.warn(
        { channel: channel.id, status: read.status, code: read.code },
        'a poll of tasks was refused',
      );
    } catch (error) {
      this.#deps.gateway.log.warn({ channel: channel.id, err: error }, 'a poll of tasks had no answer');
    }
    return undefined;
  }

  /** Writes down what is new; of all others only when they are looked at next. */
  async #apply(some: readonly Task[], updateOf: (task: Task) => TaskUpdate | undefined): Promise<void> {
    const same: Task[] = [];
    for (const task of some) {
      const update = updateOf(task);
      if (!update || !isNews(task, update)) {
        same.push(task);
        continue;
      }
      await this.#deps.tasks.advance(task, update, this.#nextLook(task, 0));
      if (update.state === 'failed') faultPoint('task-refunded');
    }
    await this.#putOff(same, false);
  }

  async #putOff(some: readonly Task[], failed: boolean): Promise<void> {
    const byLook = Map.groupBy(some, (task) => this.#nextLook(task, failed ? task.pollFailures + 1 : 0));
    for (const [at, each] of byLook) await this.#deps.tasks.putOff(each, at, failed);
  }

  #nextLook(task: Task, failures: number): number {
    const now = this.#deps.gateway.clock();
    const usual = now - task.submitTime > longAfterMs ? longPauseMs : usualPauseMs;
    return now + Math.min(maxPauseMs, usual * 2 ** Math.min(failures, 8));
  }
}

/** True where an update tells something that the row does not have. */
const isNews = (task: Task, update: TaskUpdate): boolean =>
  update.state !== task.state ||
  (update.vendorStatus ?? task.vendorStatus) !== task.vendorStatus ||
  Math.min(99, Math.round(update.progress ?? task.progress)) !== task.progress ||
  (update.result !== undefined && JSON.stringify(update.result) !== JSON.stringify(task.result));

const byChannel = (due: readonly Task[]): Map<number, Task[]> => Map.groupBy(due, (task) => task.channelId);

/** Does something for each, so many at a time. */
async function inTurns<T>(
  items: readonly T[],
  atOnce: number,
  each: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const line = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await each(next);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, line));
}
