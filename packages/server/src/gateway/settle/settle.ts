import {
  inputTokens,
  isPlausible,
  outputTokens,
  price,
  type ReportedUsage,
  type Usage,
  usageOf,
  withoutOutput,
} from '@tollgate/contract';
import { faultPoint } from '../../lib/fault-point.ts';
import { type AnswerEnd, refuse, type RelayError } from '../../relay/types/index.ts';
import type { ConsumeFacts } from '../../services/calls/metering/index.ts';
import { bookingOf, callerFacts } from './booking.ts';
import type { GatewayDeps, Admission, EndReason } from '../call/index.ts';
import { errorHeaders, type FailoverOutcome, shownError, toRelayError } from '../failover/index.ts';
import { computedUsage, inputOf, outputOf } from './computed-count.ts';
import { type ComputedUsage, extrasOf, mediaUsage } from '../hold/index.ts';
import { LedgerUnavailable, type Settled, type Settlement } from '../../services/money/ledger/index.ts';
import { type Journey, settlementFailed } from '../journey/index.ts';

/**
 * A reported usage with its missing side counted: a vendor may report only the prompt although it has answered. Undefined if
 * nothing is missing; an input of 0 that the vendor reports is none. Images and sound are computed from their requests.
 */
async function missingHalf(
  deps: Pick<GatewayDeps, 'countPrompt' | 'log'>,
  journey: Journey,
  usage: ReportedUsage,
): Promise<ComputedUsage | undefined> {
  const { relayCall, attempt, meter } = journey;
  if (relayCall.facts.media) return undefined;
  const hasInput = inputTokens(usage) > 0 || usage.hasNoInput === true;
  const hasOutput = outputTokens(usage) > 0;
  if (hasInput === hasOutput) return undefined;
  if (!hasInput) return computedUsage(journey, usage, await inputOf(deps, journey));
  const text = attempt?.pipe?.takeText();
  if (text) meter.add(text);
  // Embeddings and similar calls have no output, and none was estimated for them.
  if (meter.upperBound === 0 && !meter.mediaBound()) return undefined;
  return computedUsage(journey, usage, await outputOf(deps, journey));
}

/**
 * A settlement that took too long stays queued and is charged when the database is back. The caller of a call with an
 * Idempotency-Key gets an error now and finds the answer later, so that a repetition is not charged again. Throws for all other calls.
 */
async function settledLate(
  deps: GatewayDeps,
  journey: Journey,
  booking: Settlement,
  cause: unknown,
): Promise<Settled> {
  await settlementFailed(journey, cause).catch((reason: unknown) => {
    const { relayCall } = journey;
    if (!(reason instanceof LedgerUnavailable)) throw reason;
    if (!relayCall.answerLater?.(toRelayError(deps.log, relayCall, reason))) throw reason;
  });
  await deps.ledger.flush();
  // It is settled by now: this reads what was charged.
  return deps.ledger.settle(booking);
}

/** Why an answer ended, from Tollgate's own reason and the bytes of the answer. */
function endReasonOf(journey: Journey, end: AnswerEnd): EndReason {
  if (journey.endReason !== 'complete') return journey.endReason;
  if (end.outcome === 'complete') return 'complete';
  return end.outcome === 'error' ? 'upstream_error' : 'upstream_broken';
}

/** A call that is over: where its answer came from and how it ended. */
interface Ended {
  journey: Journey;
  admission: Admission;
  outcome: FailoverOutcome;
  end: AnswerEnd;
  reason: EndReason;
}

/**
 * Usage → price → ledger and log in one transaction → the last bytes. The end of the answer is sent only when its
 * settlement is durable.
 */
export async function settle(
  deps: GatewayDeps,
  journey: Journey,
  admission: Admission,
  outcome: FailoverOutcome,
): Promise<void> {
  faultPoint('before-settle');
  const end = plausible(outcome.result.end);
  const reason = endReasonOf(journey, end);
  const used = await findUsage(deps, journey, end, reason);
  const facts = factsOf({ journey, admission, outcome, end, reason }, used, deps.clock());
  const settled = await charge(deps, journey, {
    ...bookingOf(deps, facts),
    keyed: journey.relayCall.keyed,
  });
  deps.onSettled(journey.relayCall, settled, facts);
  faultPoint('settled');
  sendEnd(deps, journey, withUsage(journey, end, reason, used), reason, settled.charged);
  faultPoint('end-sent');
}

/** The end of an answer that told no usage, with what is charged, for a caller who wants to know it. */
function withUsage({ relayCall }: Journey, end: AnswerEnd, reason: EndReason, used: Used): AnswerEnd {
  if (end.withUsage) return { ...end, tail: end.withUsage(used.usage) };
  const { inbound, facts, client } = relayCall;
  const { usage, source, isKnown } = used;
  if (reason !== 'complete' || end.usage || !isKnown || source === 'upstream') return end;
  if (facts.stream && !facts.wantsStreamUsage) return end;
  const { tail = nothing } = end;
  const told = inbound.addUsage?.({ tail, isStream: facts.stream, before: client.last, usage, source });
  return told ? { ...end, tail: told } : end;
}

const nothing = Buffer.alloc(0);

async function charge(deps: GatewayDeps, journey: Journey, booking: Settlement): Promise<Settled> {
  try {
    return await deps.ledger.settle(booking);
  } catch (cause) {
    return settledLate(deps, journey, booking, cause);
  }
}

/** True if Tollgate cut the answer because its hold could not grow: the vendor made more than was delivered. */
const isCut = (reason: EndReason): boolean => reason === 'quota_exhausted' || reason === 'ledger_unavailable';

/** What a call used, and the source of it. */
interface Used {
  usage: Usage;
  source: ConsumeFacts['usageSource'];
  /** False if nothing was reported or counted: `usage` is all zeros then. */
  isKnown: boolean;
  /** True if it is charged in place of what the vendor reported. */
  isOwn?: boolean;
}

/**
 * The usage that is charged: as reported, with a missing half counted; else what was delivered. Of an answer that was cut
 * or broke off, the cheaper of both.
 */
async function findUsage(
  deps: GatewayDeps,
  journey: Journey,
  end: AnswerEnd,
  reason: EndReason,
): Promise<Used> {
  const reported = await reportedUsage(deps, journey, end, reason);
  const isWhole = reason === 'complete' || reason === 'client_gone' || journey.relayCall.facts.media;
  if (reported && isWhole) return { ...reported, isKnown: true };
  const counted = await countDelivered(deps, journey, end, reason);
  if (counted) {
    const { hold } = journey;
    const isOwn = !reported || hold.costOf(counted.usage) <= hold.costOf(reported.usage);
    return { ...(isOwn ? counted : reported), isKnown: true, isOwn };
  }
  if (reported && !isCut(reason)) return { ...reported, isKnown: true };
  return { usage: usageOf(), source: 'counted', isKnown: false, isOwn: isCut(reason) };
}

/**
 * The usage that the vendor reported, with a missing half counted. Of an answer that was cut only a complete one counts,
 * and only if nothing was read after it.
 */
async function reportedUsage(
  deps: GatewayDeps,
  journey: Journey,
  { usage }: AnswerEnd,
  reason: EndReason,
): Promise<Omit<Used, 'isKnown'> | undefined> {
  if (!usage) return undefined;
  const asReported: Omit<Used, 'isKnown'> = { usage, source: 'upstream' };
  if (!isCut(reason)) return (await missingHalf(deps, journey, usage)) ?? asReported;
  const isComplete = inputTokens(usage) > 0 && outputTokens(usage) > 0;
  return isComplete && journey.hold.isReportCurrent ? asReported : undefined;
}

/** The data of a call's log row. `endedAt` is Unix ms. */
function factsOf(ended: Ended, used: Used, endedAt: number): ConsumeFacts {
  const { usage, source, isKnown } = used;
  const { journey, admission, outcome, end, reason } = ended;
  const { relayCall, call } = journey;
  const { facts } = relayCall;
  // If nothing is charged, the bill has no images either.
  const extras = extrasOf(facts, admission.snapshot, isKnown ? end : { images: 0 });
  const bill = price(usage, admission.snapshot, extras);
  return {
    requestId: relayCall.requestId,
    ...callerFacts(relayCall.caller),
    group: admission.group,
    model: facts.model,
    upstreamModel: call?.upstreamModel ?? facts.model,
    isStream: facts.stream,
    channelId: outcome.channel.id,
    tries: outcome.tries,
    usage,
    ...vendorSide(end, used),
    usageSource: source,
    bill: isFree(journey, end, isKnown) ? { ...bill, quota: 0 } : bill,
    extras,
    snapshot: admission.snapshot,
    endReason: reason,
    reasoningEffort: call?.reasoningEffort,
    isClaude: relayCall.inbound.id === 'anthropic-messages',
    startedAt: relayCall.startedAt,
    firstByteAt: journey.firstByteAt,
    endedAt,
  };
}

/** What the vendor produced, which decides the cost: also what was cut off; unknown if nothing was reported or counted. */
const vendorSide = (
  { usage }: AnswerEnd,
  { isKnown, isOwn }: Used,
): Pick<ConsumeFacts, 'made' | 'reportedCost'> => ({
  made: isOwn ? usage : isKnown ? undefined : null,
  reportedCost: usage?.reportedCost,
});

/** The end of the answer without impossible usage values. */
function plausible(end: AnswerEnd): AnswerEnd {
  const reported = [end.usage, end.inputUsage];
  if (reported.every((usage) => !usage || isPlausible(usage))) return end;
  return { ...end, usage: orNothing(end.usage), inputUsage: orNothing(end.inputUsage) };
}

const orNothing = (usage: ReportedUsage | undefined): ReportedUsage | undefined =>
  usage && isPlausible(usage) ? usage : undefined;

/**
 * Counts what the upstream did not report: the input exactly, the output as delivered; for images and sound it uses the
 * request. If nothing was delivered, nothing was used.
 */
async function countDelivered(
  deps: GatewayDeps,
  journey: Journey,
  end: AnswerEnd,
  reason: EndReason,
): Promise<ComputedUsage | undefined> {
  // If the answer was cut, all delivered text has been counted already, and the pipe has more.
  const text = isCut(reason) ? undefined : journey.attempt?.pipe?.takeText();
  if (text) journey.meter.add(text);
  const delivered = await outputOf(deps, journey);
  const { relayCall } = journey;
  // If the balance ended before the first word, the input is still charged.
  const mayBeFree = journey.endReason !== 'complete' && !isCut(journey.endReason);
  const announced = end.inputUsage && end.inputUsage.webSearchCalls + end.inputUsage.fileSearchCalls > 0;
  if (!relayCall.client.started && mayBeFree && !announced) return undefined;
  // Bytes were passed, but they contained no answer.
  if (journey.attempt?.pipe?.isEmpty) return undefined;
  const known = mediaUsage(
    relayCall.facts,
    end,
    reason,
    relayCall.client.takenBytes + (end.tail?.length ?? 0),
  );
  if (known) return known;
  const reported = end.inputUsage ?? (end.usage && withoutOutput(end.usage));
  const input = reported && inputTokens(reported) > 0 ? [] : [await inputOf(deps, journey)];
  // Hidden reasoning that was reported is charged, however the answer ended.
  const reasoning = delivered.counts.reasoning || (end.usage?.reasoning ?? 0);
  // So is an image that was asked for, if its announcement or its usage was read.
  const drawn = relayCall.facts.uses?.imageOutput ? (end.usage ?? end.inputUsage)?.imageOutput : 0;
  const imageOutput = Math.max(delivered.counts.imageOutput ?? 0, drawn ?? 0);
  const output = { ...delivered, counts: { ...delivered.counts, reasoning, imageOutput } };
  return computedUsage(journey, reported ?? usageOf(), ...input, output);
}

/** If nothing was delivered and nothing reported, the call is free. */
const isFree = (journey: Journey, end: AnswerEnd, isKnown: boolean): boolean =>
  end.usage === undefined &&
  !isKnown &&
  (journey.endReason !== 'complete' || journey.attempt?.pipe?.isEmpty === true);

function sendEnd(
  deps: GatewayDeps,
  { relayCall, headers, hold }: Journey,
  end: AnswerEnd,
  reason: EndReason,
  charged: number,
): void {
  const { client, inbound, requestId } = relayCall;
  const cost = { 'x-tollgate-cost': String(charged) };
  if (reason === 'complete') return client.finish(end.tail, cost);
  if (reason === 'client_gone') return;
  // The upstream's own error event, already in the caller's protocol, is sent as it is.
  if (reason === 'upstream_error' && end.tail && client.started) return client.finish(end.tail, cost);
  const error = shownError(deps, relayCall.req, end.error ?? endError(reason, hold.isBlocked));
  if (relayCall.facts.stream || client.started) {
    if (relayCall.facts.stream)
      return client.finish(inbound.writeStreamError(error, requestId, client.last), cost);
    // An incomplete JSON body cannot have an error: break the connection, so that it is not taken for complete.
    return client.destroy();
  }
  const { status, body } = inbound.writeError(error, requestId);
  client.reset();
  client.head(status, { ...errorHeaders(error), ...headers.whole, 'content-type': 'application/json' });
  client.finish(Buffer.from(body), cost);
}

/** The error that the caller gets when Tollgate ended the stream. */
function endError(reason: EndReason, isHeld: boolean): RelayError {
  if (reason === 'quota_exhausted') return refuse(isHeld ? 'quota_held' : 'insufficient_user_quota');
  if (reason === 'ledger_unavailable') return refuse('ledger_unavailable');
  return refuse(reason === 'shutdown' ? 'shutting_down' : 'upstream_broken');
}
