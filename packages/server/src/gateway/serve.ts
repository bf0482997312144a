import { product } from '@tollgate/contract';
import { faultPoint } from '../lib/fault-point.ts';
import {
  admissionOn,
  admit,
  admitRate,
  checkTags,
  countSuccess,
  enterRun,
  pricedAdmission,
} from './entrance/index.ts';
import type { AttemptResult } from './answer/index.ts';
import { Journey } from './journey/index.ts';
import {
  budgetReached,
  holdRequest,
  OutOfBudget,
  overriddenCall,
  readCeiling,
  repriceHold,
  takeHold,
} from './hold/index.ts';
import { type HeldCall, holdCheaper } from './cheaper.ts';
import { serveStored } from './replay/index.ts';
import {
  brokenBy,
  channelFailure,
  chooseGroup,
  continuedChannel,
  explainRoute,
  explanationText,
  isExplained,
  tryChannels,
  FailedCall,
  firstChannel,
  furtherGroups,
  refuseCall,
  triedCall,
} from './failover/index.ts';
import { settle } from './settle/index.ts';
import { type Admission, AnswerBinding, callInLog, type GatewayDeps, type RelayCall } from './call/index.ts';
import { type Channel, RelayError } from '../relay/types/index.ts';

/** How often a call starts again because its hold, or a larger one, was refused before anything was delivered. */
const maxRestarts = 3;

const { explain: explainHeader, run: runHeader, maxCost: maxCostHeader } = product.headers;

/**
 * One request from top to bottom: admit → hold → attempt… → settle. Settlement always runs once a hold was taken:
 * after success, failure, a disconnect of the caller, and when the process stops.
 */
export async function serve(deps: GatewayDeps, relayCall: RelayCall): Promise<void> {
  let begun: Journey | undefined;
  let explained: string | undefined;
  // Most calls have none of these headers, and do not enter the code behind them.
  const { [explainHeader]: explain, [runHeader]: run, [maxCostHeader]: maxCost } = relayCall.req.headers;
  if (deps.bindsAnswers()) relayCall.client.bound = new AnswerBinding();
  try {
    const groups = admit(deps, relayCall);
    const continued = continuedChannel(deps, relayCall, groups);
    const continuing = continued ? await continued : undefined;
    const group = continuing?.group ?? chooseGroup(deps, relayCall, groups);
    checkTags(deps, relayCall, group);
    const judged = relayCall.isRateCounted ? undefined : admitRate(deps.rate, relayCall.caller, group);
    if (judged) await judged;
    if (explain !== undefined && isExplained(relayCall))
      explained = await explainChoice(deps, relayCall, group, continuing?.channel);
    const first = continuing?.channel ?? firstChannel(deps, relayCall, group);
    const admitted = pricedAdmission(deps, relayCall, group, first);
    faultPoint('before-hold');
    const isInRun = run !== undefined || relayCall.caller.run !== undefined;
    const entered = isInRun ? await enterRun(deps, relayCall) : undefined;
    const asked = holdRequest(deps, relayCall, admitted, first, entered);
    const further = furtherGroups(deps, relayCall, groups, group);
    const ceiling = maxCost === undefined ? undefined : readCeiling(deps, relayCall.req);
    if (relayCall.cached && (await serveStored(deps, relayCall, { group, admitted, asked, ceiling }))) return;
    /** A budget that refused a larger hold, and those that have sent the call to another model. */
    let short: OutOfBudget | undefined;
    const without = new Set<number>();
    for (let left = maxRestarts; ; left -= 1) {
      let held: HeldCall;
      try {
        if (short) throw short;
        const hold = await takeHold(deps, relayCall, admitted.snapshot, asked, first, ceiling);
        held = { first, admitted, hold, further };
      } catch (cause) {
        if (!(cause instanceof OutOfBudget)) throw cause;
        const { budget } = cause;
        const refused = { group, admitted, ofRun: entered, ceiling, budget, without };
        held = await holdCheaper(deps, relayCall, refused);
      }
      relayCall.trace?.held(held.hold.amount);
      faultPoint('hold-taken');
      begun = new Journey(deps, relayCall, held.hold, explained);
      deps.running.add(begun);
      try {
        return await deliver(deps, relayCall, begun, group, held);
      } catch (error) {
        if (error instanceof OutOfBudget) {
          if (left === 0 || !begun.gives()) throw budgetReached(deps, error.budget);
          short = error;
        } else {
          if (left === 0 || !(error instanceof RelayError) || !(await begun.restarts())) throw error;
          short = undefined;
          without.clear();
        }
        await breakOff(deps, relayCall, begun);
        if (short) await begun.shutGate();
        begun = undefined;
      }
    }
  } catch (error) {
    if (begun) await breakOff(deps, relayCall, begun);
    const headers = explained === undefined ? undefined : { [product.headers.explain]: explained };
    const reason = refuseCall(deps, relayCall, error, headers);
    deps.onRefused(relayCall, reason, error instanceof FailedCall ? error : undefined);
  }
}

/** Tries the channels of a call that is held for, and settles it. */
async function deliver(
  deps: GatewayDeps,
  relayCall: RelayCall,
  journey: Journey,
  group: string,
  { first, admitted, instead, further }: HeldCall,
): Promise<void> {
  let admission = admitted;
  const tryNext = async (channel: Channel): Promise<AttemptResult> => {
    const next = priceOn(deps, relayCall, admitted, channel);
    if (next instanceof RelayError) return { kind: 'failed', error: next };
    if (next !== admission) await changePrice(deps, journey, next);
    admission = await holdForOverride(deps, journey, next, channel);
    return journey.tryChannel(channel);
  };
  if (first.paramOverride || first.setting.systemPrompt)
    admission = await holdForOverride(deps, journey, admitted, first);
  let isFirst = true;
  const attempt = (channel: Channel): Promise<AttemptResult> => {
    // The first channel may be free again after others were tried at their price.
    const isPrepared = isFirst && channel === first;
    isFirst = false;
    return isPrepared ? journey.tryChannel(channel) : tryNext(channel);
  };
  const tried = triedCall(deps, relayCall, group, first, attempt, further, instead);
  const outcome = await tryChannels(deps, tried);
  const ended = journey.outcome(admission, outcome);
  await settle(deps, ended);
  const broken = brokenBy(outcome.result);
  // Delivered output is charged and has a row; the failure has another one.
  if (broken) deps.onRefused(relayCall, broken, outcome);
  else if (ended.ownReason === 'complete') countSuccess(deps.rate, relayCall.caller, group);
  leave(deps, journey);
}

/** The explanation of the choice before the first attempt, for a header. */
async function explainChoice(
  deps: GatewayDeps,
  relayCall: RelayCall,
  group: string,
  continued?: Channel,
): Promise<string> {
  const selected = relayCall.caller.pinnedChannelId || (continued?.id ?? 0);
  return explanationText(await explainRoute(deps, relayCall, group, { selected }));
}

/** The admission at the price of a further channel, or why that channel cannot serve the call. */
function priceOn(
  deps: GatewayDeps,
  relayCall: RelayCall,
  admission: Admission,
  channel: Channel,
): Admission | RelayError {
  try {
    return admissionOn(deps, relayCall, admission, channel);
  } catch (error) {
    return channelFailure(error);
  }
}

/** The hold is adjusted to the channel's price before the channel is called. */
async function changePrice(deps: GatewayDeps, journey: Journey, admission: Admission): Promise<void> {
  await repriceHold(deps, journey.relayCall, journey.hold, admission);
  journey.priceChanged();
}

/**
 * The hold covers additions by the channel's override and instructions before the channel is called. Resolves to the
 * admission at the price of the request that is sent.
 */
async function holdForOverride(
  deps: GatewayDeps,
  journey: Journey,
  admission: Admission,
  channel: Channel,
): Promise<Admission> {
  const overridden = overriddenCall(journey.relayCall, channel);
  if (!overridden) return admission;
  const { sent, toHold } = overridden;
  const priced = admissionOn(deps, sent, admission, channel);
  await repriceHold(deps, toHold, journey.hold, priced, true);
  journey.sends(channel, overridden);
  journey.priceChanged();
  return priced;
}

type LeaveDeps = Pick<GatewayDeps, 'ledger' | 'log' | 'running'>;

/** Releases the hold of a request without a result. */
async function breakOff(deps: LeaveDeps, relayCall: RelayCall, journey: Journey): Promise<void> {
  await deps.ledger.release(relayCall.requestId).catch((cause: unknown) => {
    deps.log.error({ ...callInLog(relayCall), cause }, 'a hold could not be released; recovery will');
  });
  leave(deps, journey);
}

function leave(deps: Pick<LeaveDeps, 'running'>, journey: Journey): void {
  journey.close();
  deps.running.delete(journey);
}
