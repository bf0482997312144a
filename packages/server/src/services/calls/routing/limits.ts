import { randomUUID } from 'node:crypto';
import { type Cache, callLeaseMs, type CallLimit, type ReachedLimit } from '../../../cache/index.ts';
import { type Clock, seconds } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { CallLimits, Channel } from '../../../relay/types/index.ts';
import type { HealthId } from './health.ts';
import type { Spends } from './spends.ts';

/** A call that counts against the limits of its channel and key. */
export interface Reservation {
  /** Ends the call. `used` is the number of its tokens; without it the expected ones count. */
  end(used?: number): void;
}

/** Reason why a channel, or one of its keys, takes no further call now. */
export interface FullChannel {
  channel: Channel;
  /** The channel, or the key that has reached its limit. */
  id: HealthId;
  reason: LimitReason;
  /** Earliest start in ms from now; 0 if it depends on the end of another call. */
  waitMs: number;
}

/** Reason in the log: whose limit, and which. */
type LimitReason = `${'channel' | 'key'}_${ReachedLimit['by'] | 'spend'}_limit`;
const reasonPattern = /^(?:channel|key)_(?:requests|tokens|calls|spend)_limit$/;

/** True for the reason of a channel that was skipped for its limits: it was not asked. */
export const isLimitReason = (reason: string): boolean => reasonPattern.test(reason);

/** A reserved channel. */
interface Reserved {
  channel: Channel;
  reservation: Reservation;
}

/** A call that waits until one of several channels is free. */
interface WaitingCall {
  channels: readonly FullChannel[];
  /** Expected tokens. */
  tokens: number;
  /** True if nobody waits for the call any more. */
  isOver(): boolean;
}

/**
 * Limits of channels and keys: requests and tokens a minute, calls at once, spend a day. All processes that share a
 * cache count together.
 */
export interface Limits {
  /** Counts a call on a channel with limits. Calls that wait for the channel in this process come first. */
  reserve(channel: Channel, tokens: number): Promise<Reservation | FullChannel>;
  /** The limit that a channel, or a channel with a chosen key, has reached now; nothing is counted. */
  reached(channel: Channel): Promise<FullChannel | undefined>;
  /**
   * Waits until one of the channels is free, in order of arrival, at most for the longest wait of these channels.
   * Undefined if none becomes free in time, or if too many calls wait.
   */
  waitFor(call: WaitingCall): Promise<Reserved | undefined>;
}

interface LimitDeps {
  cache: Pick<Cache, 'enter' | 'leave' | 'renew'>;
  spends: Pick<Spends, 'today'>;
  clock: Clock;
  /** Quota units in a US dollar. */
  unitsPerDollar(): number;
  log: Pick<Log, 'warn'>;
}

/** Calls of a process that may wait. */
const mostWaiting = 1_000;
/** Pause between two looks for places that calls of other processes have left. */
const lookMs = 200;
const renewMs = callLeaseMs / 3;
const dayMs = 86_400_000;

export const isFull = (found: Reservation | FullChannel): found is FullChannel => 'reason' in found;

export function createLimits(deps: LimitDeps): Limits {
  const running = new RunningCalls(deps);
  const waiting = new Set<Waiter>();
  let look: NodeJS.Timeout | undefined;
  let isLooking = false;

  const enter = async (channel: Channel, tokens: number): Promise<Reservation | FullChannel> => {
    const spent = await reachedSpend(deps, channel);
    if (spent) return spent;
    const limits = countedLimits(channel);
    if (limits.length === 0) return { end: () => undefined };
    const found = await running.start(limits, tokens, () => void assign());
    return 'by' in found ? fullBy(channel, found) : found;
  };

  const leaveQueue = (waiter: Waiter, found: Reserved | undefined): void => {
    clearTimeout(waiter.timer);
    waiting.delete(waiter);
    waiter.resolve(found);
  };

  /** Gives free places to waiting calls, the oldest first. */
  const assign = async (): Promise<void> => {
    if (isLooking || waiting.size === 0) return;
    isLooking = true;
    clearTimeout(look);
    const full = new Set<HealthId>();
    try {
      for (const waiter of waiting) {
        if (waiter.call.isOver()) leaveQueue(waiter, undefined);
        else await assignTo(waiter, full);
      }
    } catch (err) {
      deps.log.warn({ err }, 'places of waiting calls were not looked for');
    }
    isLooking = false;
    if (waiting.size > 0) look = setTimeout(() => void assign(), lookMs);
  };
  const assignTo = async (waiter: Waiter, full: Set<HealthId>): Promise<void> => {
    const { call } = waiter;
    for (const { channel } of call.channels) {
      if (idsOf(channel).some((id) => full.has(id))) continue;
      const found = await enter(channel, call.tokens);
      if (isFull(found)) full.add(found.id);
      else if (waiting.has(waiter)) return leaveQueue(waiter, { channel, reservation: found });
      else return found.end(0);
    }
  };

  return {
    async reached(channel) {
      const spent = await reachedSpend(deps, channel);
      if (spent) return spent;
      const found = await deps.cache.enter({ id: '', tokens: 1 }, countedLimits(channel));
      return found && fullBy(channel, found);
    },
    async reserve(channel, tokens) {
      const ids = idsOf(channel);
      for (const { call } of waiting)
        for (const full of call.channels) if (ids.includes(full.id)) return { ...full, channel, waitMs: 0 };
      return enter(channel, tokens);
    },
    waitFor(call) {
      const channels = call.channels.filter(({ channel, waitMs }) => waitMs < (channel.limits?.waitMs ?? 0));
      const mostMs = Math.max(0, ...channels.map(({ channel }) => channel.limits!.waitMs));
      if (mostMs === 0 || waiting.size >= mostWaiting) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        const waiter: Waiter = {
          call: { ...call, channels },
          resolve,
          timer: setTimeout(() => leaveQueue(waiter, undefined), mostMs),
        };
        waiting.add(waiter);
        void assign();
      });
    },
  };
}

interface Waiter {
  call: WaitingCall;
  resolve: (found: Reserved | undefined) => void;
  timer: NodeJS.Timeout;
}

/** The names under which calls count: a channel, and one of several keys. */
const nameOf = (id: HealthId): string => `calls:${id}`;
const idsOf = ({ id, chosenKey }: Channel): HealthId[] => (chosenKey ? [id, chosenKey.id] : [id]);

const limitsById = ({ id, limits, chosenKey }: Channel): [id: HealthId, limits: CallLimits][] => [
  ...(limits?.channel ? [[id, limits.channel] as [HealthId, CallLimits]] : []),
  ...(limits?.key && chosenKey ? [[chosenKey.id, limits.key] as [HealthId, CallLimits]] : []),
];

const countedLimits = (channel: Channel): CallLimit[] =>
  limitsById(channel)
    .filter(([, { requests, tokens, calls }]) => requests + tokens + calls > 0)
    .map(([id, { requests, tokens, calls }]) => ({ name: nameOf(id), requests, tokens, calls }));

function fullBy(channel: Channel, { name, by, waitMs }: ReachedLimit): FullChannel {
  const isKeys = name !== nameOf(channel.id);
  const id = isKeys ? channel.chosenKey!.id : channel.id;
  return { channel, id, reason: `${isKeys ? 'key' : 'channel'}_${by}_limit`, waitMs };
}

/** The limit of spend that a channel or its key has reached today. */
async function reachedSpend(deps: LimitDeps, channel: Channel): Promise<FullChannel | undefined> {
  for (const [id, { dollars }] of limitsById(channel)) {
    if (dollars === 0 || (await deps.spends.today(id)) < dollars * deps.unitsPerDollar()) continue;
    const reason: LimitReason = typeof id === 'number' ? 'channel_spend_limit' : 'key_spend_limit';
    return { channel, id, reason, waitMs: dayMs - ((seconds(deps.clock) * 1_000) % dayMs) };
  }
  return undefined;
}

/** The calls of this process that count. They are renewed until they end, so that only those of a killed process expire. */
class RunningCalls {
  /** Name → ids of calls. */
  private readonly byName = new Map<string, Set<string>>();
  private renewal: NodeJS.Timeout | undefined;
  private readonly deps: LimitDeps;

  constructor(deps: LimitDeps) {
    this.deps = deps;
  }

  /** Starts a call, or returns the limit that it would pass. `onEnd` is called when its end is counted. */
  async start(
    limits: readonly CallLimit[],
    tokens: number,
    onEnd: () => void,
  ): Promise<Reservation | ReachedLimit> {
    const { cache, clock } = this.deps;
    const call = { id: randomUUID(), tokens: Math.ceil(tokens) };
    const startedAt = clock();
    const reached = await cache.enter(call, limits);
    if (reached) return reached;
    const names = limits.map(({ name }) => name);
    this.keep(call.id, limits);
    let isEnded = false;
    return {
      end: (used) => {
        if (isEnded) return;
        isEnded = true;
        this.drop(call.id, names);
        cache
          .leave({ ...call, startedAt, used: used ?? null }, names)
          .catch((err: unknown) => this.deps.log.warn({ err }, 'the end of a call was not counted'))
          .finally(onEnd);
      },
    };
  }

  private keep(id: string, limits: readonly CallLimit[]): void {
    for (const { name, calls } of limits) {
      if (calls === 0) continue;
      const ids = this.byName.get(name) ?? new Set();
      this.byName.set(name, ids.add(id));
    }
    if (this.byName.size > 0) this.renewal ??= setInterval(() => this.renew(), renewMs).unref();
  }

  private drop(id: string, names: readonly string[]): void {
    for (const name of names) {
      const ids = this.byName.get(name);
      if (ids?.delete(id) && ids.size === 0) this.byName.delete(name);
    }
    if (this.byName.size > 0) return;
    clearInterval(this.renewal);
    this.renewal = undefined;
  }

  private renew(): void {
    for (const [name, ids] of this.byName)
      this.deps.cache
        .renew(name, [...ids])
        .catch((err: unknown) => this.deps.log.warn({ err }, 'running calls could not be renewed'));
  }
}
