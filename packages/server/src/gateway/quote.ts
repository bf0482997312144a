import { admit, admitRate, pricedAdmission, readRun } from './entrance/index.ts';
import { runLevels } from '../services/money/budgets/index.ts';
import type { ShortBudget } from '../services/money/ledger/index.ts';
import type { Channel } from '../relay/types/index.ts';
import type { Caller, GatewayDeps, RelayCall } from './call/index.ts';
import { chooseGroup, continuedChannel, firstChannel, furtherGroups, standIn } from './failover/index.ts';
import { callBudgets, readCeiling, costBounds, tooLow } from './hold/index.ts';

/** Cost of a call before it is made, in quota units. */
export interface Quote {
  model: string;
  group: string;
  /** Counted input tokens; an upper bound if the input is too long to be counted. */
  inputTokens: number;
  /** The charge of a call that succeeds is never below it. */
  least: number;
  likely: number;
  /** The charge is never above it. */
  most: number;
  /** Bound of the charge: the request, the payer's funds, a budget or run, or the ceiling of its header. */
  boundBy: 'request' | 'balance' | 'budget' | 'ceiling';
  /** Source of the likely length of the answer. */
  likelyFrom: 'key' | 'site' | 'request';
  /** False if the caller has too little for the call to start. */
  isAffordable: boolean;
  /** Name of the budget or run that would refuse the call; undefined if none would. */
  refusedBy: string | undefined;
}

/** Dependencies of a quote beside those of a call. */
export interface QuoteDeps {
  gateway: GatewayDeps;
  /** The payer's available funds, in quota units. */
  available(caller: Caller): Promise<number>;
  /** What budgets leave, regardless of holds. */
  budgetsLeft(ids: readonly number[]): Promise<readonly ShortBudget[]>;
  /** Output tokens of the newest calls to a model: of the caller's key, or of the whole site. */
  recentOutputs(caller: Caller, model: string): Promise<{ ofKey: number[]; ofSite: number[] }>;
}

/**
 * The cost of a call on the channel that would serve it now. Nothing is sent, held or charged; it counts against the
 * caller's rate limits. Throws the error that the call would get before its hold.
 */
export async function quoteCall(deps: QuoteDeps, relayCall: RelayCall): Promise<Quote> {
  const { gateway } = deps;
  const { caller, facts } = relayCall;
  const groups = admit(gateway, relayCall);
  const continuing = await continuedChannel(gateway, relayCall, groups);
  const group = continuing?.group ?? chooseGroup(gateway, relayCall, groups);
  await admitRate(gateway.rate, caller, group);
  const first = continuing?.channel ?? firstChannel(gateway, relayCall, group);
  const boundsIn = (name: string, channel: Channel) =>
    costBounds(gateway, relayCall, pricedAdmission(gateway, relayCall, name, channel).snapshot, channel);
  const further = continuing ? [] : furtherGroups(gateway, relayCall, groups, group);
  const budgets = await limitsOf(deps, relayCall, group);
  // A budget that names a cheaper model refuses nothing, and the call may be one of that model.
  const limits = budgets.filter(({ instead }) => instead === '');
  const cheaper = budgets.flatMap(({ instead }) =>
    instead === '' ? [] : (standIn(gateway, relayCall, [group], new Set(), [instead]) ?? []),
  );
  const [bounds, others, funds, outputs] = await Promise.all([
    boundsIn(group, first),
    Promise.all([
      ...further.map((name) => boundsIn(name, firstChannel(gateway, relayCall, name))),
      ...cheaper.map((channel) => boundsIn(group, channel)),
    ]),
    deps.available(caller),
    deps.recentOutputs(caller, facts.model),
  ]);
  const budgeted = Math.min(...limits.map(({ left, unit }) => (unit === 'quota' ? left : Infinity)));
  const available = Math.min(funds, budgeted);
  const refusing = limits.find(({ left, calls, unit }) => left < bounds.toBegin[unit] || calls !== undefined);
  const { costAt, inputTokens, usualOutput } = bounds;
  // A retry may go on to a cheaper or a dearer group, and a budget to a cheaper model.
  const all = [bounds, ...others];
  const least = Math.min(...all.map((each) => each.least));
  const mosts = all.map((each) => each.mostOfRequest ?? Infinity);
  const mostOfRequest = mosts.includes(Infinity) ? undefined : Math.max(...mosts);
  const ceiling = readCeiling(gateway, relayCall.req) ?? Infinity;
  const toBegin = bounds.toBegin.quota;
  if (toBegin > ceiling) throw tooLow(gateway, ceiling, toBegin);
  const mostOfAll = mostOfRequest ?? Math.max(least, available);
  const most = Math.min(mostOfAll, ceiling);
  const { ofKey, ofSite } = outputs;
  const median = bounds.growsByTokens ? (medianOf(ofKey) ?? medianOf(ofSite)) : undefined;
  return {
    model: facts.model,
    group,
    inputTokens,
    least,
    likely: Math.min(Math.max(least, costAt(median ?? usualOutput)), most),
    most,
    boundBy:
      mostOfAll > ceiling
        ? 'ceiling'
        : mostOfRequest !== undefined
          ? 'request'
          : budgeted < funds
            ? 'budget'
            : 'balance',
    likelyFrom: median === undefined ? 'request' : ofKey.length > 0 ? 'key' : 'site',
    isAffordable: available >= toBegin && refusing === undefined,
    refusedBy: refusing?.name,
  };
}

/** What the budgets of a call leave, and its run and those that it is part of, if they have begun. */
async function limitsOf(
  deps: QuoteDeps,
  { req, caller, facts }: RelayCall,
  group: string,
): Promise<readonly Pick<ShortBudget, 'name' | 'left' | 'calls' | 'instead' | 'unit'>[]> {
  const { gateway } = deps;
  const run = readRun(gateway, { req, caller });
  const ofRun = run && (await gateway.runs.peek(caller.userId, run));
  const ids = callBudgets(gateway, caller, group, facts.model, ofRun);
  const limits = ids === undefined || ids.length === 0 ? [] : await deps.budgetsLeft(ids);
  const begins = run !== undefined && (ofRun?.length ?? 0) < runLevels(run.path).length;
  return begins
    ? [...limits, { name: run.path, left: run.amount ?? Infinity, instead: '', unit: 'quota' }]
    : limits;
}

/** The median of some numbers; undefined for none. */
const medianOf = (numbers: readonly number[]): number | undefined =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
