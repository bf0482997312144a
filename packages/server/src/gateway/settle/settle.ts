import { inputUsage, isBelievable, price, type ReportedUsage, usageOf } from '@tollgate/contract';
import { faultPoint } from '../../lib/fault-point.ts';
import { type AnswerEnd, type RelayError, refuse } from '../../relay/types/index.ts';
import type { Settled } from '../../services/ledger/index.ts';
import type { ConsumeFacts } from '../../services/metering/index.ts';
import { bookingOf } from './booking.ts';
import type { Journey } from '../journey/index.ts';
import type { SettleDeps } from './settle-deps.ts';
import type { FailoverOutcome } from '../failover/index.ts';
import { missingHalf } from './half-usage.ts';
import { settledLate } from './late.ts';
import { inputOf, outputOf, ownUsage } from './own-count.ts';
import { extrasOf, mediaUsage, type OwnUsage } from '../hold/index.ts';
import { languageOf, type Admission, type EndReason } from '../call/index.ts';

/** Why an answer ended, from how we stopped it and what its bytes say. */
function reasonOf(journey: Journey, end: AnswerEnd): EndReason {
  if (journey.endReason !== 'complete') return journey.endReason;
  if (end.outcome === 'complete') return 'complete';
  return end.outcome === 'error' ? 'upstream_error' : 'upstream_broken';
}

/**
 * Usage → price → ledger and log in one transaction → the last bytes. The end of the answer leaves only when its
 * settlement is durable.
 */
export async function settle(
  deps: SettleDeps,
  journey: Journey,
  admission: Admission,
  outcome: FailoverOutcome,
): Promise<void> {
  faultPoint('before-settle');
  const { relayCall } = journey;
  const end = believed(outcome.result.end);
  const endReason = reasonOf(journey, end);
  // Of an answer that was cut what the vendor reports is more than was delivered.
  const isCut = endReason === 'quota_exhausted';
  const half = isCut ? undefined : missingHalf(deps, journey, end.usage);
  const completed = half && (await half);
  const reported = isCut ? undefined : (completed?.usage ?? end.usage);
  const counted = reported ? undefined : await countDelivered(deps, journey, end, endReason);
  const usage = reported ?? counted?.usage ?? usageOf();
  // Where nothing is charged, no image is on the bill either.
  const images = reported || counted ? end.images : 0;
  const extras = extrasOf(relayCall.facts, admission.snapshot, images);
  const bill = price(usage, admission.snapshot, extras);
  const facts: ConsumeFacts = {
    requestId: relayCall.requestId,
    userId: relayCall.caller.userId,
    username: relayCall.caller.username,
    tokenId: relayCall.caller.tokenId,
    tokenName: relayCall.caller.tokenName,
    team: relayCall.caller.team,
    group: admission.group,
    model: relayCall.facts.model,
    upstreamModel: journey.call?.upstreamModel ?? relayCall.facts.model,
    isStream: relayCall.facts.stream,
    channelId: outcome.channel.id,
    tries: outcome.tries,
    usage,
    ...vendorSide(end, isCut, (reported ?? counted) !== undefined),
    usageSource: (completed ?? counted)?.source ?? (reported ? 'upstream' : 'counted'),
    bill: isFree(journey, end, counted) ? { ...bill, quota: 0 } : bill,
    extras,
    snapshot: admission.snapshot,
    endReason,
    reasoningEffort: journey.call?.reasoningEffort,
    isClaude: relayCall.inbound.id === 'anthropic-messages',
    startedAt: relayCall.startedAt,
    firstByteAt: journey.firstByteAt,
    endedAt: deps.clock(),
  };
  const booking = bookingOf(deps, facts);
  const settling = deps.ledger.settle(booking);
  let settled: Settled;
  // Awaited as it is: a promise behind it, for the case that it fails, would be made for every call.
  try {
    settled = await settling;
  } catch (cause) {
    settled = await settledLate(deps, journey, booking, cause);
  }
  deps.onSettled(relayCall, settled, facts);
  faultPoint('settled');
  const written = end.withUsage ? { ...end, tail: end.withUsage(usage) } : end;
  sendEnd(deps, journey, written, endReason, settled.charged);
  faultPoint('end-sent');
}

/** What the call cost there: what was cut off was made all the same, and of what nothing is known nobody knows it. */
const vendorSide = (
  { usage }: AnswerEnd,
  isCut: boolean,
  isKnown: boolean,
): Pick<ConsumeFacts, 'made' | 'reportedCost'> => ({
  made: isCut ? usage : isKnown ? undefined : null,
  reportedCost: usage?.reportedCost,
});

/** The end without a usage that cannot be, of the answer or of its input. */
function believed(end: AnswerEnd): AnswerEnd {
  const reported = [end.usage, end.inputUsage];
  if (reported.every((usage) => !usage || isBelievable(usage))) return end;
  return { ...end, usage: orNothing(end.usage), inputUsage: orNothing(end.inputUsage) };
}

const orNothing = (usage: ReportedUsage | undefined): ReportedUsage | undefined =>
  usage && isBelievable(usage) ? usage : undefined;

/**
 * Counts what no usage covers: the input exactly, where the upstream did not tell it, the output as delivered; of images
 * and sound, what their request tells. Nothing delivered is nothing used.
 */
async function countDelivered(
  deps: SettleDeps,
  journey: Journey,
  end: AnswerEnd,
  reason: EndReason,
): Promise<OwnUsage | undefined> {
  // What was cut off has been read, and all that was delivered is counted already.
  const text = reason === 'quota_exhausted' ? undefined : journey.attempt?.pipe?.takeText();
  if (text) journey.meter.add(text);
  const delivered = await outputOf(deps, journey);
  const { relayCall } = journey;
  // A balance that ended before the first word has paid for the question all the same.
  const mayBeFree = journey.endReason !== 'complete' && journey.endReason !== 'quota_exhausted';
  if (!relayCall.client.started && mayBeFree) return undefined;
  // Something passed, and nothing of an answer was in it.
  if (journey.attempt?.pipe?.isEmpty) return undefined;
  const known = mediaUsage(
    relayCall.facts,
    end,
    reason,
    relayCall.client.takenBytes + (end.tail?.length ?? 0),
  );
  if (known) return known;
  const reported = end.inputUsage ?? (end.usage && inputUsage(end.usage));
  const input = reported ? [] : [await inputOf(deps, journey)];
  // Thoughts that were reported and not shown have been thought, whatever became of the answer.
  const reasoning = delivered.counts.reasoning || (end.usage?.reasoning ?? 0);
  const output = { ...delivered, counts: { ...delivered.counts, reasoning } };
  return ownUsage(journey, reported ?? usageOf(), ...input, output);
}

/** Nothing delivered and nothing reported is free. */
const isFree = (journey: Journey, end: AnswerEnd, counted: OwnUsage | undefined): boolean =>
  end.usage === undefined &&
  counted === undefined &&
  (journey.endReason !== 'complete' || journey.attempt?.pipe?.isEmpty === true);

function sendEnd(
  deps: SettleDeps,
  { relayCall, headers }: Journey,
  end: AnswerEnd,
  reason: EndReason,
  charged: number,
): void {
  const { client, inbound, requestId } = relayCall;
  const cost = { 'x-tollgate-cost': String(charged) };
  if (reason === 'complete') return client.finish(end.tail, cost);
  if (reason === 'client_gone') return;
  // An upstream's own error event, already in the caller's protocol, says it best.
  if (reason === 'upstream_error' && end.tail && client.started) return client.finish(end.tail, cost);
  const error = (end.error ?? endError(reason)).in(languageOf(deps, relayCall.req));
  if (relayCall.facts.stream || client.started) {
    if (relayCall.facts.stream) return client.finish(inbound.writeStreamError(error, requestId), cost);
    // Half a JSON body cannot carry an error: break the connection, so that nobody takes it for whole.
    return client.destroy();
  }
  const { status, body } = inbound.writeError(error, requestId);
  client.reset();
  client.head(status, { ...headers.whole, 'content-type': 'application/json' });
  client.finish(Buffer.from(body), cost);
}

/** What the caller reads when we had to end a stream. */
function endError(reason: EndReason): RelayError {
  if (reason === 'quota_exhausted') return refuse('insufficient_user_quota');
  return refuse(reason === 'shutdown' ? 'shutting_down' : 'upstream_broken');
}
