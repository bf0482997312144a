import { isBelievable, price, usageOf } from '@tollgate/contract';
import { faultPoint } from '../lib/fault-point.ts';
import type { AnswerEnd } from '../relay/model/protocol.ts';
import { RelayError } from '../relay/model/relay-error.ts';
import type { Settled } from '../services/ledger/index.ts';
import type { ConsumeFacts } from '../services/metering/index.ts';
import { bookingOf } from './booking.ts';
import type { SettleDeps } from './deps.ts';
import { type Journey, settlementFailed } from './journey.ts';
import type { Climbed } from './ladder.ts';
import { extrasOf, mediaUsage, type OwnUsage } from './media.ts';
import type { Admission, EndReason } from './types.ts';

/** Why an answer ended, from how we stopped it and what its bytes say. */
function reasonOf(journey: Journey, end: AnswerEnd): EndReason {
  if (journey.endReason !== 'complete') return journey.endReason;
  if (end.outcome === 'complete') return 'complete';
  return end.outcome === 'error' ? 'upstream_error' : 'upstream_broken';
}

/**
 * Usage → price → ledger and log in one transaction → the last bytes. The end of the answer leaves only when its
 * settlement is durable (money.md, decision 3).
 */
export async function settle(
  deps: SettleDeps,
  journey: Journey,
  admission: Admission,
  climbed: Climbed,
): Promise<void> {
  faultPoint('K8');
  const { exchange } = journey;
  const end = believed(climbed.result.end);
  const endReason = reasonOf(journey, end);
  const counted = end.usage ? undefined : await countDelivered(deps, journey, end, endReason);
  const usage = end.usage ?? counted?.usage ?? usageOf();
  // Where nothing is charged, no image is on the bill either.
  const images = end.usage || counted ? end.images : 0;
  const extras = extrasOf(exchange.facts, admission.snapshot, images);
  const bill = price(usage, admission.snapshot, extras);
  const charge = isFree(journey, end, counted) ? { ...bill, quota: 0 } : bill;
  const facts: ConsumeFacts = {
    requestId: exchange.requestId,
    userId: exchange.caller.userId,
    username: exchange.caller.username,
    tokenId: exchange.caller.tokenId,
    tokenName: exchange.caller.tokenName,
    group: admission.group,
    model: exchange.facts.model,
    upstreamModel: journey.call?.upstreamModel ?? exchange.facts.model,
    isStream: exchange.facts.stream,
    channelId: climbed.channel.id,
    tries: climbed.tries,
    usage,
    usageSource: end.usage ? 'upstream' : (counted?.source ?? 'counted'),
    bill: charge,
    extras,
    snapshot: admission.snapshot,
    endReason,
    reasoningEffort: journey.call?.reasoningEffort,
    isClaude: exchange.inbound.id === 'anthropic-messages',
    startedAt: exchange.startedAt,
    firstByteAt: journey.firstByteAt,
    endedAt: deps.clock(),
  };
  const settling = deps.ledger.settle(bookingOf(deps, facts));
  let settled: Settled;
  // Awaited as it is: a promise behind it, for the case that it fails, would be made for every call.
  try {
    settled = await settling;
  } catch (cause) {
    return settlementFailed(journey, cause);
  }
  deps.onSettled(exchange, settled);
  faultPoint('K11');
  const told = end.withUsage ? { ...end, tail: end.withUsage(usage) } : end;
  sendEnd(journey, told, endReason, settled.charged);
  faultPoint('K12');
}

/** The end without a usage that cannot be. */
const believed = (end: AnswerEnd): AnswerEnd =>
  end.usage && !isBelievable(end.usage) ? { ...end, usage: undefined } : end;

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
  const text = journey.attempt?.pipe?.takeText();
  if (text) journey.meter.add(text);
  const delivered = await journey.meter.total();
  const { exchange } = journey;
  // A balance that ended before the first word has paid for the question all the same.
  const mayBeFree = journey.endReason !== 'complete' && journey.endReason !== 'quota_exhausted';
  if (!exchange.client.started && mayBeFree) return undefined;
  const known = mediaUsage(exchange.facts, end, reason, exchange.client.takenBytes + (end.tail?.length ?? 0));
  if (known) return known;
  const input = end.inputUsage ?? usageOf({ input: await deps.countPrompt(exchange) });
  const usage = usageOf({ ...input, output: delivered.output, reasoning: delivered.reasoning });
  return { usage, source: 'counted' };
}

/** Nothing delivered and nothing reported is free (money.md, decision 6). */
const isFree = (journey: Journey, end: AnswerEnd, counted: OwnUsage | undefined): boolean =>
  end.usage === undefined && counted === undefined && journey.endReason !== 'complete';

function sendEnd({ exchange, headers }: Journey, end: AnswerEnd, reason: EndReason, charged: number): void {
  const { client, inbound, requestId } = exchange;
  const cost = { 'x-tollgate-cost': String(charged) };
  if (reason === 'complete') return client.finish(end.tail, cost);
  if (reason === 'client_gone') return;
  // An upstream's own error event, already in the caller's language, says it best.
  if (reason === 'upstream_error' && end.tail && client.started) return client.finish(end.tail, cost);
  const error = end.error ?? endError(reason);
  if (exchange.facts.stream || client.started) {
    if (exchange.facts.stream) return client.finish(inbound.writeStreamError(error, requestId), cost);
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
  if (reason === 'quota_exhausted') {
    return new RelayError({
      status: 403,
      code: 'insufficient_user_quota',
      message: 'user quota is not enough',
      blame: 'caller',
    });
  }
  if (reason === 'shutdown') {
    return new RelayError({
      status: 503,
      code: 'shutting_down',
      message: 'the gateway is shutting down',
      blame: 'ours',
    });
  }
  return new RelayError({
    status: 502,
    code: 'upstream_broken',
    message: 'the upstream broke off its answer',
    blame: 'channel',
  });
}
