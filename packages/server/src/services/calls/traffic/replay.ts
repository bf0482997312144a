import { setImmediate } from 'node:timers/promises';
import {
  logType,
  type ReplayFigures,
  replayedCalls,
  type ReplayInput,
  type ReplayOutcome,
  type RoutingPolicy,
  type PriceExtras,
  type Usage,
  usageOf,
} from '@tollgate/contract';
import { parseObject } from '../../../lib/json.ts';
import type { Channel } from '../../../relay/types/index.ts';
import { countCalls, type Db, findCalls, type ReplayedCall } from '../../../store/index.ts';
import { readQuantities } from '../../money/rehearsal/index.ts';
import type { Routing } from '../routing/index.ts';
import { Rates } from './rates.ts';
import { serve, type Served } from './serve.ts';

/** A call, as far as its cost depends on it. */
interface CostedCall {
  model: string;
  group: string;
  usage: Usage;
  extras: PriceExtras | undefined;
}

export interface ReplayDeps {
  /** A connection for reading many rows. */
  reports: Db;
  routing: Pick<Routing, 'candidates' | 'policyOf'>;
  /** Cost of a call on a channel for the operator in quota units; null if unknown, 'unpriced' if it is not served. */
  costOn: (channel: Channel, call: CostedCall) => number | null | 'unpriced';
  /** Number of attempts of a call. */
  attempts: () => number;
  channelName: (id: number) => string;
}

/** The time and the change of a replay. Times are Unix seconds. */
export interface ReplayPlan extends Pick<ReplayInput, 'model' | 'group' | 'without' | 'policy'> {
  from: number;
  to: number;
}

const sides = ['actual', 'present', 'changed'] as const;
type Side = (typeof sides)[number];

/** Sums of a side. Those of replayed sides are expected values. */
interface Sums {
  success: number;
  /** Waits of answered calls, and their number. */
  waitMs: number;
  waits: number;
  charge: number;
  /** Charge and cost of the calls whose cost is known on every side. */
  costed: number;
  cost: number;
  guessed: number;
  by: Map<number, number>;
}

/** Calls of a model and group. */
interface Group {
  model: string;
  group: string;
  calls: number;
  /** Answered calls, whose charges are known. */
  answered: number;
  costedCalls: number;
  sums: Record<Side, Sums>;
  /** Expected answers among the calls that failed, whose charges nobody knows. */
  regained: Record<Side, number>;
}

const noSums = (): Sums => ({
  success: 0,
  waitMs: 0,
  waits: 0,
  charge: 0,
  costed: 0,
  cost: 0,
  guessed: 0,
  by: new Map(),
});

const hour = 3_600;
/** Seconds of calls that are read at once. */
const slice = 300;
/** Calls after which other work of the process gets its turn. */
const atOnce = 100;
const mostRows = 50;
/** A call of typical size, for comparing the cost of channels. */
const usual = { usage: usageOf({ input: 3_000, output: 500 }), extras: undefined };

/** Replays the calls of a time; reports its progress, and stops when `signal` is aborted. */
export async function replay(
  deps: ReplayDeps,
  plan: ReplayPlan,
  { onProgress, signal }: { onProgress: (done: number) => void; signal: AbortSignal },
): Promise<ReplayOutcome> {
  const { reports } = deps;
  const { from, to, model, group } = plan;
  const rates = new Rates(reports);
  await rates.open(from, to);
  const total = await countCalls(reports, { from, to, model, group });
  const everyth = Math.max(1, Math.ceil(total / replayedCalls));
  const groups = new Map<string, Group>();
  for (let start = from - (from % hour); start < to; start += hour) {
    await rates.readHour(start);
    const known = new Map<string, Served>();
    for (let at = Math.max(start, from); at < Math.min(start + hour, to); at += slice) {
      const end = Math.min(at + slice, start + hour, to);
      const calls = await findCalls(reports, { from: at, to: end, model, group, everyth });
      for (const [place, call] of calls.entries()) {
        if (place % atOnce === 0) await setImmediate();
        signal.throwIfAborted();
        addCall(deps, plan, { rates, known, groups }, call);
      }
      onProgress((end - from) / (to - from));
    }
  }
  return outcomeOf(deps, plan, total, [...groups.values()]);
}

interface Progress {
  rates: Rates;
  /** Courses of calls in the minutes of this hour. */
  known: Map<string, Served>;
  groups: Map<string, Group>;
}

function addCall(deps: ReplayDeps, plan: ReplayPlan, progress: Progress, call: ReplayedCall): void {
  const other = parseObject(call.other);
  const isFailure = call.type === logType.error;
  if (isFailure && !isUpstreamFailure(other)) return;
  const { model_name: model, group } = call;
  const key = JSON.stringify([model, group]);
  const sum = progress.groups.get(key) ?? newGroup(model, group);
  progress.groups.set(key, sum);
  sum.calls += 1;
  if (!isFailure) sum.answered += 1;
  const courses = {
    present: courseOf(deps, { ...plan, without: 0, policy: '' }, progress, call),
    changed: courseOf(deps, plan, progress, call),
  };
  for (const side of ['present', 'changed'] as const) addCourse(sum, side, courses[side], isFailure);
  if (isFailure) return;
  addActual(sum, call, Number(other?.['frt']));
  addCharges(deps, sum, call, courses);
}

/** Failures that another channel might have avoided: at least one was tried, and the caller is not to blame. */
function isUpstreamFailure(other: ReturnType<typeof parseObject>): boolean {
  const info = other?.['admin_info'];
  const tries = typeof info === 'object' && info !== null && 'tries' in info ? info.tries : [];
  const status = Number(other?.['status_code']);
  return Array.isArray(tries) && tries.length > 0 && (status >= 500 || status === 429 || status === 408);
}

function newGroup(model: string, group: string): Group {
  return {
    model,
    group,
    calls: 0,
    answered: 0,
    costedCalls: 0,
    sums: { actual: noSums(), present: noSums(), changed: noSums() },
    regained: { actual: 0, present: 0, changed: 0 },
  };
}

/** The expected course of a call, shared by the calls of its minute. */
function courseOf(
  { routing, costOn, attempts }: ReplayDeps,
  { without, policy: asked }: ReplayPlan,
  { rates, known }: Progress,
  { model_name: model, group, created_at: at, prompt_tokens: tokens }: ReplayedCall,
): Served {
  const minute = at - (at % 60);
  const levels = routing.candidates(group, model);
  const isUnpriced = (channel: Channel) => costOn(channel, { model, group, ...usual }) === 'unpriced';
  const takes = ({ maxInputTokens: most }: Channel) => most === 0 || tokens <= most;
  const channels = levels.flatMap((level) => level.channels);
  const short = channels.filter((channel) => !takes(channel)).map(({ id }) => id);
  const key = JSON.stringify([model, group, minute, without, asked, short]);
  const found = known.get(key);
  if (found) return found;
  const policy: RoutingPolicy = asked || routing.policyOf(group, model);
  const made = serve({
    levels,
    policy,
    isUsable: (channel) => channel.id !== without && takes(channel) && !isUnpriced(channel),
    rateOf: ({ id }) => rates.of(id, model, minute),
    usualCost(channel) {
      const cost = costOn(channel, { model, group, ...usual });
      return cost === 'unpriced' ? null : cost;
    },
    attempts: attempts(),
  });
  known.set(key, made);
  return made;
}

function addCourse({ sums, regained }: Group, side: Side, served: Served, isFailure: boolean): void {
  const sum = sums[side];
  sum.success += served.success;
  sum.waitMs += served.waited;
  sum.waits += served.success;
  sum.guessed += served.guessed;
  if (isFailure) regained[side] += served.success;
  for (const [{ id }, chance] of served.by) sum.by.set(id, (sum.by.get(id) ?? 0) + chance);
}

function addActual({ sums: { actual } }: Group, { channel_id: id }: ReplayedCall, waitMs: number): void {
  actual.success += 1;
  if (waitMs >= 0) {
    actual.waitMs += waitMs;
    actual.waits += 1;
  }
  actual.by.set(id, (actual.by.get(id) ?? 0) + 1);
}

/** The charge stays that of the call; its cost is that of the channels that may answer it. */
function addCharges(
  { costOn }: ReplayDeps,
  group: Group,
  call: ReplayedCall,
  courses: Record<'present' | 'changed', Served>,
): void {
  const charge = call.quota - call.refunded;
  group.sums.actual.charge += charge;
  const quantities = readQuantities(call);
  const costs = new Map<Channel, number | null | 'unpriced'>();
  const expected = { actual: call.cost, present: 0 as number | null, changed: 0 as number | null };
  for (const side of ['present', 'changed'] as const) {
    const { by, success } = courses[side];
    group.sums[side].charge += charge * success;
    for (const [channel, chance] of by) {
      if (chance === 0 || expected[side] === null) continue;
      if (!costs.has(channel))
        costs.set(
          channel,
          typeof quantities === 'string'
            ? null
            : costOn(channel, {
                model: call.model_name,
                group: call.group,
                usage: quantities.usage,
                extras: quantities.extras,
              }),
        );
      const cost = costs.get(channel)!;
      expected[side] = typeof cost === 'number' ? expected[side] + cost * chance : null;
    }
  }
  if (sides.some((side) => expected[side] === null)) return;
  group.costedCalls += 1;
  for (const side of sides) {
    const share = side === 'actual' ? 1 : courses[side].success;
    group.sums[side].costed += charge * share;
    group.sums[side].cost += expected[side]!;
  }
}

/** Calls that failed would have been charged like the others of their model and group. */
function finished({ sums, regained, answered, costedCalls }: Group, side: Side): Sums {
  const { actual, [side]: sum } = sums;
  if (answered === 0) return sum;
  const more = regained[side];
  const perCall = (amount: number, calls: number) => (calls === 0 ? 0 : (amount / calls) * more);
  const costPerAnswer = sum.success - more > 0 ? sum.cost / (sum.success - more) : 0;
  return {
    ...sum,
    charge: sum.charge + perCall(actual.charge, answered),
    costed: sum.costed + perCall(actual.costed, costedCalls) * (costedCalls / answered),
    cost: sum.cost + costPerAnswer * more,
  };
}

function addUp(parts: readonly Sums[]): Sums {
  const sum = noSums();
  for (const part of parts) {
    for (const name of ['success', 'waitMs', 'waits', 'charge', 'costed', 'cost', 'guessed'] as const)
      sum[name] += part[name];
    for (const [id, calls] of part.by) sum.by.set(id, (sum.by.get(id) ?? 0) + calls);
  }
  return sum;
}

const figuresOf = (sum: Sums, calls: number, costedCalls: number): ReplayFigures => ({
  success: calls === 0 ? 0 : Math.min(1, sum.success / calls),
  wait: sum.waits === 0 ? null : Math.round(sum.waitMs / sum.waits),
  charge: Math.round(sum.charge),
  cost: costedCalls === 0 ? null : Math.round(sum.cost),
  margin: costedCalls === 0 ? null : Math.round(sum.costed - sum.cost),
});

function outcomeOf(
  { channelName }: ReplayDeps,
  { from, to }: ReplayPlan,
  total: number,
  groups: readonly Group[],
): ReplayOutcome {
  const count = (of: (group: Group) => number) => groups.reduce((sum, group) => sum + of(group), 0);
  const calls = count((group) => group.calls);
  const costed = count(({ costedCalls }) => costedCalls);
  const all = Object.fromEntries(
    sides.map((side) => [side, addUp(groups.map((group) => finished(group, side)))]),
  ) as Record<Side, Sums>;
  const bySide = (sums: Record<Side, Sums>, ofCalls: number, ofCosted: number) => ({
    actual: figuresOf(sums.actual, ofCalls, ofCosted),
    present: figuresOf(sums.present, ofCalls, ofCosted),
    changed: figuresOf(sums.changed, ofCalls, ofCosted),
  });
  const ids = new Set(sides.flatMap((side) => [...all[side].by.keys()]));
  const rounded = (calls: number | undefined) => Math.round((calls ?? 0) * 10) / 10;
  return {
    from,
    to,
    total,
    replayed: calls,
    guessed: all.changed.success === 0 ? 0 : all.changed.guessed / all.changed.success,
    uncosted: count(({ answered }) => answered) - costed,
    whole: bySide(all, calls, costed),
    rows: groups
      .toSorted((a, b) => b.calls - a.calls)
      .slice(0, mostRows)
      .map((group) => ({
        model: group.model,
        group: group.group,
        calls: group.calls,
        ...bySide(
          {
            actual: finished(group, 'actual'),
            present: finished(group, 'present'),
            changed: finished(group, 'changed'),
          },
          group.calls,
          group.costedCalls,
        ),
      })),
    channels: [...ids]
      .map((channel) => ({
        channel,
        name: channelName(channel),
        actual: rounded(all.actual.by.get(channel)),
        present: rounded(all.present.by.get(channel)),
        changed: rounded(all.changed.by.get(channel)),
      }))
      .toSorted((a, b) => b.actual - a.actual || b.changed - a.changed || a.channel - b.channel),
  };
}
