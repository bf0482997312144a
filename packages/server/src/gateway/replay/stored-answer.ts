import { billShare, price, product } from '@tollgate/contract';
import type { PricedAnswer } from '../../services/calls/idempotency/index.ts';
import type { BoundAnswer, ConsumeFacts } from '../../services/calls/metering/index.ts';
import type { Reservation } from '../../services/money/ledger/index.ts';
import type { Admission, GatewayDeps, RelayCall } from '../call/index.ts';
import { countSuccess } from '../entrance/index.ts';
import { type holdRequest, OutOfBudget, takeKnownHold, tokensOf } from '../hold/index.ts';
import { holdRefused } from '../journey/index.ts';
import { book, servedFacts } from '../settle/index.ts';

interface Admitted {
  group: string;
  admitted: Admission;
  /** The payer and the budgets of the hold. */
  asked: ReturnType<typeof holdRequest>;
  ceiling: number | undefined;
}

/**
 * Answers an admitted call with the stored answer of an earlier one: the declared share of its present price is held and
 * charged, and then the answer is sent. Returns false if there is none, or if its budget wants a cheaper model. Throws the
 * refusal for lack of money.
 */
export async function serveStored(
  deps: GatewayDeps,
  relayCall: RelayCall,
  { group, admitted, asked, ceiling }: Admitted,
): Promise<boolean> {
  const answer = await relayCall.cached?.find().catch((err: unknown) => {
    deps.log.error({ err, request: relayCall.requestId }, 'a stored answer could not be read');
    return undefined;
  });
  if (!answer) return false;
  const facts = chargeOf(deps, relayCall, admitted, answer);
  let hold: Reservation;
  try {
    const request = { ...asked, channelId: 0, tokens: tokensOf(facts.usage) };
    // An empty balance is refused even if the answer is free.
    hold = await takeKnownHold(deps, relayCall, request, Math.max(1, facts.bill.quota), ceiling);
  } catch (error) {
    if (error instanceof OutOfBudget) return false;
    throw error;
  }
  const running = { index: -1, isDraining: false, end: () => undefined };
  deps.running.add(running);
  try {
    const charged = await charge(deps, relayCall, hold, facts);
    if (charged === undefined) return true;
    send(deps, relayCall, answer, charged);
    countSuccess(deps.rate, relayCall.caller, group);
    return true;
  } finally {
    deps.running.delete(running);
  }
}

/** The facts of the charge. No vendor was called, so it costs the operator nothing and counts on no channel. */
function chargeOf(
  deps: Pick<GatewayDeps, 'answerCacheShare' | 'clock'>,
  relayCall: RelayCall,
  admission: Admission,
  { usage, extras, upstreamModel, body }: PricedAnswer,
): ConsumeFacts {
  const { inbound, facts } = relayCall;
  const cacheShare = deps.answerCacheShare();
  const now = deps.clock();
  return {
    ...servedFacts({ relayCall, admission, channelId: 0, tries: [], upstreamModel }),
    model: facts.model,
    isStream: facts.stream,
    usage,
    usageSource: 'upstream',
    bill: billShare(price(usage, admission.snapshot, extras), cacheShare),
    extras,
    endReason: 'complete',
    replacedBy: relayCall.replacedBy,
    isCaptured: relayCall.isCaptured,
    isClaude: inbound.id === 'anthropic-messages',
    firstByteAt: now,
    endedAt: now,
    cost: 0,
    cacheShare,
    answer: relayCall.client.bound && boundAnswer(relayCall, body),
  };
}

/** The stored answer, which was the vendor's when it was stored. */
function boundAnswer({ client, guard }: RelayCall, body: Buffer): BoundAnswer | undefined {
  client.bound?.received(body);
  const answer = client.bindAnswer(body);
  return answer && guard?.mayChange ? { ...answer, bytes: 0, sha256: '' } : answer;
}

/** Charges the call; undefined if its caller has left, which costs nothing. */
async function charge(
  deps: GatewayDeps,
  relayCall: RelayCall,
  hold: Reservation,
  facts: ConsumeFacts,
): Promise<number | undefined> {
  relayCall.trace?.held(hold.amount);
  hold.durable.catch(() => undefined);
  try {
    if (!relayCall.res.destroyed) return (await book(deps, relayCall, facts)).charged;
  } catch (cause) {
    await deps.ledger.release(relayCall.requestId).catch(() => undefined);
    await hold.durable.catch((ofHold: unknown) => {
      throw holdRefused(deps, ofHold);
    });
    throw cause;
  }
  await deps.ledger.release(relayCall.requestId);
  return undefined;
}

function send(
  deps: Pick<GatewayDeps, 'identityHeaders'>,
  { client, requestId }: RelayCall,
  { headers, body }: PricedAnswer,
  charged: number,
): void {
  const cost = { [product.headers.cost]: String(charged) };
  const hit = { [product.headers.cache]: 'hit' };
  client.head(200, { ...headers, ...deps.identityHeaders(requestId), ...hit });
  client.open();
  // A stream has its cost behind its body.
  if (headers['trailer'] === undefined) return client.finish(body, cost);
  client.push(body);
  client.finish(undefined, cost);
}
