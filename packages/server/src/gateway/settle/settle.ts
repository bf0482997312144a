import {
  inputTokens,
  outputTokens,
  price,
  product,
  type ReportedUsage,
  type ToolUses,
  type Usage,
  usageOf,
  withoutOutput,
} from '@tollgate/contract';
import { faultPoint } from '../../lib/fault-point.ts';
import { objectsIn } from '../../lib/json.ts';
import { inputItems } from '../../relay/families/openai/index.ts';
import { type AnswerEnd, refuse, type RelayError, type VendorMade } from '../../relay/types/index.ts';
import {
  type BoundAnswer,
  buildConsumeLog,
  type ConsumeFacts,
  countsAsUse,
  hourlyOf,
} from '../../services/calls/metering/index.ts';
import { LedgerUnavailable, type Settled, type Settlement } from '../../services/money/ledger/index.ts';
import type { Caller, EndReason, GatewayDeps, RelayCall } from '../call/index.ts';
import { errorHeaders, shownError, toRelayError } from '../failover/index.ts';
import { type ComputedUsage, extrasOf, mediaUsage } from '../hold/index.ts';
import { type Outcome, settlementFailed } from '../journey/index.ts';
import { computedUsage, countInput, countOutput } from './computed-count.ts';

/**
 * A reported usage with its missing side counted: a vendor may report only the prompt although it has answered.
 * Undefined if nothing is missing; a reported input of 0 is not missing. Images and sound are computed from their
 * requests.
 */
async function missingHalf(
  deps: Pick<GatewayDeps, 'countPrompt' | 'log'>,
  outcome: Outcome,
  usage: ReportedUsage,
): Promise<ComputedUsage | undefined> {
  const { relayCall, pipe, meter } = outcome;
  if (relayCall.facts.media) return undefined;
  const hasInput = inputTokens(usage) > 0 || usage.hasNoInput === true;
  const hasOutput = outputTokens(usage) > 0;
  if (hasInput === hasOutput) return undefined;
  if (!hasInput) return computedUsage(outcome, usage, await countInput(deps, outcome));
  const text = pipe?.takeText();
  if (text) meter.add(text);
  // Embeddings and similar calls have no output, and none was estimated for them.
  if (meter.upperBound === 0 && !meter.mediaBound()) return undefined;
  return computedUsage(outcome, usage, await countOutput(deps, outcome));
}

/**
 * A settlement that took too long stays queued and is charged when the database is back. The caller of a call with an
 * Idempotency-Key gets an error now and finds the answer later, so that a repetition is not charged again. Throws for all other calls.
 */
async function settledLate(
  deps: GatewayDeps,
  outcome: Outcome,
  booking: Settlement,
  cause: unknown,
): Promise<Settled> {
  await settlementFailed(outcome, cause).catch((reason: unknown) => {
    const { relayCall } = outcome;
    if (!(reason instanceof LedgerUnavailable)) throw reason;
    if (!relayCall.answerLater?.(toRelayError(deps.log, relayCall, reason))) throw reason;
  });
  await deps.ledger.flush();
  // It is settled by now: this reads what was charged.
  return deps.ledger.settle(booking);
}

/**
 * Usage → price → ledger and log in one transaction → the last bytes. The end of the answer is sent only when its
 * settlement is durable.
 */
export async function settle(deps: GatewayDeps, outcome: Outcome): Promise<void> {
  const { relayCall } = outcome;
  const found = await findUsage(deps, outcome);
  const { made } = outcome.end;
  const used =
    made?.length && found.isKnown
      ? { ...found, usage: await knownSessions(deps, outcome, found.usage, made) }
      : found;
  const end = withUsage(outcome, used);
  const facts = factsOf(outcome, used, end, deps.clock());
  const noted = noteStored(deps, outcome);
  const { recording, guard } = relayCall;
  // Hooks may change the end.
  if (recording && !guard && outcome.reason === 'complete') await recording.prepare(end.tail);
  const { charged } = await book(deps, relayCall, facts, (booking, cause) =>
    settledLate(deps, outcome, booking, cause),
  );
  if (noted) await noted;
  if (made?.length) {
    const keyId = outcome.tries.at(-1)?.key?.id ?? '';
    await noteMade(deps, relayCall, { id: outcome.channelId, keyId }, made);
  }
  if (outcome.end.texts?.length && relayCall.json['store'] !== false)
    await deps.referencedTexts.keep(relayCall.caller.userId, outcome.end.texts);
  if (relayCall.facts.kept) await keepResponse(deps, outcome);
  sendEnd(deps, outcome, end, charged);
  faultPoint('end-sent');
}

/** Stores the channel of a response that its vendor stores, with the settlement and before the caller knows its id. */
const noteStored = (
  deps: GatewayDeps,
  { relayCall, channelId, tries, end: { storedId } }: Outcome,
): Promise<void> | undefined =>
  storedId === undefined
    ? undefined
    : deps.storedResponses.note(relayCall.caller.userId, storedId, {
        id: channelId,
        keyId: tries.at(-1)?.key?.id ?? '',
      });

type MadeDeps = Pick<GatewayDeps, 'vendorFiles' | 'log'>;

/**
 * A usage with the first sessions of the containers that an answer made, up to those that are held. A container that is
 * known already was made, and charged, before.
 */
export async function withSessions<T extends Usage>(
  { vendorFiles }: MadeDeps,
  usage: T,
  made: readonly VendorMade[],
  held: ToolUses | undefined,
): Promise<T> {
  const charged = made.filter(({ session = 0 }) => session > 0);
  if (!held?.containers || charged.length === 0) return usage;
  const isNew = await vendorFiles.unknownOf(charged.map(({ id }) => id));
  const sessions = charged.reduce((sum, { id, session = 0 }) => sum + (isNew.has(id) ? session : 0), 0);
  return { ...usage, containers: Math.min(sessions, held.containers) };
}

/** The same for a call, which is charged without a session if it is unknown which containers are new. */
const knownSessions = (
  deps: MadeDeps,
  { relayCall, hold }: Outcome,
  usage: Usage,
  made: readonly VendorMade[],
): Promise<Usage> =>
  withSessions(deps, usage, made, hold.uses).catch((err: unknown) => {
    deps.log.error({ err, request: relayCall.requestId }, 'the container of an answer could not be charged');
    return usage;
  });

/** Gives what tools of the vendor made to the caller: its ids work at this channel only, and for nobody else. */
export async function noteMade(
  { vendorFiles, log }: MadeDeps,
  { caller, requestId }: { caller: Pick<Caller, 'userId'>; requestId: string },
  at: { id: number; keyId: string },
  made: readonly VendorMade[],
): Promise<void> {
  await vendorFiles
    .noteMade(caller.userId, at, made)
    .catch((err: unknown) => log.error({ err, request: requestId }, 'what a tool made could not be noted'));
}

/** Keeps a whole answer with its conversation, before the caller knows its end. */
async function keepResponse(
  { keptResponses, log }: Pick<GatewayDeps, 'keptResponses' | 'log'>,
  { relayCall: { json, facts, caller, requestId, recording }, reason, end: { answer } }: Outcome,
): Promise<void> {
  if (reason !== 'complete' || !answer) return;
  const { store = false, conversation } = facts.kept ?? {};
  if (conversation) {
    const { id, items } = conversation;
    const added = [...inputItems(json['input'], requestId).slice(items), ...objectsIn(answer['output'])];
    // It may have been deleted meanwhile.
    await keptResponses
      .change(caller.userId, id, (now) => ({ ...now, input: [...now.input, ...added] }))
      .catch((err: unknown) =>
        log.error({ err, request: requestId }, 'a conversation could not be continued'),
      );
  }
  if (!store || recording) return;
  const response = { ...answer, store: true };
  await keptResponses.keep(caller.userId, { response, input: inputItems(json['input'], requestId) });
}

/** Adds the charged usage to the end of an answer without one, if the caller requests it. */
function withUsage({ relayCall, end, reason }: Outcome, used: Used): AnswerEnd {
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

type BookDeps = Pick<GatewayDeps, 'ledger' | 'logsConsumption' | 'sumsHourly' | 'costOf' | 'onSettled'>;

/**
 * Charges a call, or a response of a realtime session: balance, totals and log row in one transaction. Resolves when that is
 * durable.
 *
 * @param late - Continues if that takes too long
 */
export async function book(
  deps: BookDeps,
  relayCall: RelayCall,
  facts: ConsumeFacts,
  late?: (booking: Settlement, cause: unknown) => Promise<Settled>,
): Promise<Settled> {
  faultPoint('before-settle');
  const booking = bookingOf(deps, facts, relayCall.keyed);
  // Images and sound have no tokens unless the vendor reports them.
  if (relayCall.facts.media && facts.usageSource !== 'upstream') booking.tokens = 0;
  let settled: Settled;
  try {
    settled = await deps.ledger.settle(booking);
  } catch (cause) {
    if (!late) throw cause;
    settled = await late(booking, cause);
  }
  deps.onSettled(relayCall, settled, facts);
  faultPoint('settled');
  return settled;
}

/** True if Tollgate cut the answer because its hold could not grow: the vendor made more than was delivered. */
const isCut = (reason: EndReason): boolean => cutReasons.has(reason);
const cutReasons: ReadonlySet<EndReason> = new Set([
  'quota_exhausted',
  'ceiling_reached',
  'budget_reached',
  'ledger_unavailable',
]);

/** Usage of a call, and its source. */
interface Used {
  usage: Usage;
  source: ConsumeFacts['usageSource'];
  /** False if nothing was reported or counted: `usage` is all zeros then. */
  isKnown: boolean;
  /** True if it is charged in place of the reported usage. */
  isOwn?: boolean;
}

/**
 * The charged usage: as reported, with a missing half counted; otherwise the delivered output. For an answer that was
 * cut or broke off, the cheaper of both.
 */
async function findUsage(deps: GatewayDeps, outcome: Outcome): Promise<Used> {
  const { reason } = outcome;
  const reported = await reportedUsage(deps, outcome);
  const isWhole = reason === 'complete' || reason === 'client_gone' || outcome.relayCall.facts.media;
  if (reported && isWhole) return { ...reported, isKnown: true };
  const counted = await countDelivered(deps, outcome);
  if (counted) {
    const { hold } = outcome;
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
  outcome: Outcome,
): Promise<Omit<Used, 'isKnown'> | undefined> {
  const { reason } = outcome;
  const { usage } = outcome.end;
  if (!usage) return undefined;
  const asReported: Omit<Used, 'isKnown'> = { usage, source: 'upstream' };
  if (!isCut(reason)) return (await missingHalf(deps, outcome, usage)) ?? asReported;
  const isComplete = inputTokens(usage) > 0 && outputTokens(usage) > 0;
  return isComplete && outcome.hold.isReportCurrent ? asReported : undefined;
}

/** The data of a call's log row. `endedAt` is Unix ms. */
function factsOf(outcome: Outcome, used: Used, delivered: AnswerEnd, endedAt: number): ConsumeFacts {
  const { usage, source, isKnown } = used;
  const { relayCall, admission, end, reason } = outcome;
  const { facts } = relayCall;
  // If nothing is charged, the bill has no images either.
  const extras = extrasOf(outcome.sent.facts, admission.snapshot, isKnown ? end : { images: 0 });
  const bill = price(usage, admission.snapshot, extras);
  return {
    ...servedFacts(outcome),
    replacedBy: relayCall.replacedBy,
    isCaptured: relayCall.isCaptured,
    model: facts.model,
    isStream: facts.stream,
    usage,
    ...vendorSide(end, used),
    usageSource: source,
    bill: isFree(outcome, isKnown) ? { ...bill, quota: 0 } : bill,
    extras,
    endReason: reason,
    maxCost: outcome.hold.ceiling,
    reasoningEffort: outcome.reasoningEffort,
    isClaude: relayCall.inbound.id === 'anthropic-messages',
    firstByteAt: outcome.firstByteAt,
    endedAt,
    answer: relayCall.client.bound && boundAnswer(outcome, delivered),
  };
}

/**
 * The answer with the bytes that the caller gets, without an error of Tollgate's own at their end. Hooks that check an answer
 * may change it, so that its bytes are not known.
 */
function boundAnswer({ relayCall, reason }: Outcome, { tail }: AnswerEnd): BoundAnswer | undefined {
  const { client, guard, facts } = relayCall;
  const isPassed = reason === 'complete' || (reason === 'upstream_error' && client.started);
  // The error takes the place of a body that was not begun.
  if (!isPassed && !facts.stream && !client.started) client.reset();
  const answer = client.bindAnswer(isPassed ? tail : undefined);
  return answer && guard?.mayChange ? { ...answer, bytes: 0, sha256: '' } : answer;
}

/**
 * The vendor's output, which determines the cost, including a cut part; unknown if nothing was reported or counted.
 */
const vendorSide = (
  { usage }: AnswerEnd,
  { isKnown, isOwn }: Used,
): Pick<ConsumeFacts, 'made' | 'reportedCost'> => ({
  made: isOwn ? usage : isKnown ? undefined : null,
  reportedCost: usage?.reportedCost,
});

/**
 * Counts what the upstream did not report: the input exactly, the output as delivered; for images and sound it uses the
 * request. If nothing was delivered, nothing was used.
 */
async function countDelivered(deps: GatewayDeps, outcome: Outcome): Promise<ComputedUsage | undefined> {
  const { relayCall, sent, end, reason, ownReason, pipe, meter } = outcome;
  // If the answer was cut, all delivered text has been counted already, and the pipe has additional text.
  const text = isCut(reason) ? undefined : pipe?.takeText();
  if (text) meter.add(text);
  const delivered = await countOutput(deps, outcome);
  // If the balance ended before the first word, the input is still charged.
  const mayBeFree = ownReason !== 'complete' && !isCut(ownReason);
  const announced = end.inputUsage && end.inputUsage.webSearchCalls + end.inputUsage.fileSearchCalls > 0;
  if (!relayCall.client.started && mayBeFree && !announced) return undefined;
  // Bytes were passed, but they contained no answer.
  if (pipe?.isEmpty) return undefined;
  const known = mediaUsage(sent.facts, end, reason, relayCall.client.takenBytes + (end.tail?.length ?? 0));
  if (known) return known;
  const reported = end.inputUsage ?? (end.usage && withoutOutput(end.usage));
  const input = reported && inputTokens(reported) > 0 ? [] : [await countInput(deps, outcome)];
  // Hidden reasoning that was reported is charged, however the answer ended.
  const reasoning = delivered.counts.reasoning || (end.usage?.reasoning ?? 0);
  // The same applies to a requested image, if its announcement or its usage was read.
  const drawn = sent.facts.uses?.imageOutput ? (end.usage ?? end.inputUsage)?.imageOutput : 0;
  const imageOutput = Math.max(delivered.counts.imageOutput ?? 0, drawn ?? 0);
  const output = { ...delivered, counts: { ...delivered.counts, reasoning, imageOutput } };
  return computedUsage(outcome, reported ?? usageOf(), ...input, output);
}

/** If nothing was delivered and nothing reported, the call is free. */
const isFree = ({ end, ownReason, pipe }: Outcome, isKnown: boolean): boolean =>
  end.usage === undefined && !isKnown && (ownReason !== 'complete' || pipe?.isEmpty === true);

function sendEnd(
  deps: GatewayDeps,
  { relayCall, headers, hold, reason }: Outcome,
  end: AnswerEnd,
  charged: number,
): void {
  const { client, inbound, requestId } = relayCall;
  const cost = { [product.headers.cost]: String(charged) };
  if (reason === 'complete') return client.finish(end.tail, cost);
  if (reason === 'client_gone') return;
  // The guard writes the error itself.
  if (reason === 'hook_refused') return client.finish(undefined, cost);
  // The upstream's own error event, already in the caller's protocol, is sent unchanged.
  if (reason === 'upstream_error' && end.tail && client.started) return client.finish(end.tail, cost);
  const error = shownError(deps, relayCall.req, end.error ?? endError(reason, hold));
  if (relayCall.facts.stream || client.started) {
    if (relayCall.facts.stream)
      return client.finish(inbound.writeStreamError(error, requestId, client.last), cost);
    // An incomplete JSON body cannot have an error: break the connection, so that it is not taken for complete.
    return client.destroy();
  }
  const { status, body } = inbound.writeError(error, requestId);
  client.reset();
  client.head(status, { ...errorHeaders(error), ...headers, 'content-type': 'application/json' });
  client.finish(Buffer.from(body), cost);
}

/** The error that the caller gets when Tollgate ended the stream. */
function endError(reason: EndReason, { shortage }: Outcome['hold']): RelayError {
  if (reason === 'ledger_unavailable') return refuse('ledger_unavailable');
  if (cutReasons.has(reason)) return shortage;
  return refuse(reason === 'shutdown' ? 'shutting_down' : 'upstream_broken');
}

/** A served call, a response of a session, or an accepted task: its caller, price and channel. */
export type Served = Pick<Outcome, 'admission' | 'channelId' | 'tries' | 'upstreamModel'> & {
  readonly relayCall: Pick<RelayCall, 'requestId' | 'caller' | 'startedAt' | 'tags'>;
};

/** Common columns of the log rows of served calls. */
export function servedFacts({ relayCall, admission, channelId, tries, upstreamModel }: Served) {
  const { requestId, caller, startedAt, tags } = relayCall;
  const { userId, username, tokenId, tokenName, team, userGroup } = caller;
  const { group, pricedModel, cheaperBy, snapshot } = admission;
  return {
    requestId,
    userId,
    username,
    tokenId,
    tokenName,
    team,
    userGroup,
    group,
    upstreamModel,
    pricedModel,
    cheaperBy,
    channelId,
    tries,
    snapshot,
    tags,
    startedAt,
  };
}

/** The settlement of a call, with the rows that the site's settings require. */
export function bookingOf(
  deps: Pick<GatewayDeps, 'logsConsumption' | 'sumsHourly' | 'costOf'>,
  facts: ConsumeFacts,
  keyed?: RelayCall['keyed'],
): Settlement {
  const isLogged = deps.logsConsumption();
  return {
    requestId: facts.requestId,
    amount: facts.bill.quota,
    tokens: inputTokens(facts.usage) + outputTokens(facts.usage),
    most: facts.maxCost,
    channelId: facts.channelId,
    counts: countsAsUse(facts),
    log: isLogged ? buildConsumeLog(facts, facts.cost ?? deps.costOf(facts)) : null,
    hourly: isLogged && deps.sumsHourly() ? hourlyOf(facts) : null,
    keyed,
  };
}
