import { AppError } from '@tollgate/contract';
import { faultPoint } from '../lib/fault-point.ts';
import type { Log } from '../lib/log.ts';
import { type Channel, refuse, RelayError } from '../relay/types/index.ts';
import { LedgerUnavailable } from '../services/ledger/index.ts';
import { admit, pricedAdmission } from './admit.ts';
import type { GatewayDeps } from './deps.ts';
import { takeHold } from './take-hold.ts';
import { Journey } from './journey.ts';
import { tryChannels, FailedCall, firstChannel, publicError } from './failover.ts';
import { languageOf } from './reader-language.ts';
import { admitRate, countSuccess } from './rate.ts';
import { settle } from './settle.ts';
import type { Admission, RelayCall } from './types.ts';

/**
 * The journey of one request, top to bottom: admit → hold → attempt… → settle. Settling always runs once a hold
 * was taken: on success, on failure, when the caller hung up, when the process is told to stop.
 */
export async function serve(deps: GatewayDeps, relayCall: RelayCall): Promise<void> {
  let begun: Journey | undefined;
  try {
    const group = admit(deps, relayCall);
    const judged = relayCall.isRateCounted ? undefined : admitRate(deps.rate, relayCall.caller, group);
    if (judged) await judged;
    const first = firstChannel(deps, relayCall, group);
    const admission = pricedAdmission(deps, relayCall, group);
    faultPoint('before-hold');
    const taken = takeHold(deps, relayCall, admission.snapshot, holdRequest(relayCall, admission, first));
    const hold = taken instanceof Promise ? await taken : taken;
    faultPoint('hold-taken');
    const journey = new Journey(deps, relayCall, hold);
    begun = journey;
    deps.running.add(journey);
    const outcome = await tryChannels(deps, relayCall, admission, first, (channel) =>
      journey.tryChannel(channel),
    );
    await settle(deps, journey, admission, outcome);
    if (journey.endReason === 'complete') countSuccess(deps.rate, relayCall.caller, admission.group);
    leave(deps, journey);
  } catch (error) {
    if (begun) await breakOff(deps, relayCall, begun);
    const reason = refuseCall(deps, relayCall, error);
    deps.onRefused(relayCall, reason, error instanceof FailedCall ? error : undefined);
  }
}

/** Gives the hold of a journey back that came to nothing. */
async function breakOff(deps: GatewayDeps, { requestId }: RelayCall, journey: Journey): Promise<void> {
  await deps.ledger.release(requestId).catch((cause: unknown) => {
    deps.log.error({ request: requestId, cause }, 'a hold could not be released; recovery will');
  });
  leave(deps, journey);
}

function leave(deps: GatewayDeps, journey: Journey): void {
  journey.close();
  deps.running.delete(journey);
}

/** What a hold carries: who pays, and what recovery needs for a log row. */
export const holdRequest = (relayCall: RelayCall, admission: Admission, first: Channel) => ({
  requestId: relayCall.requestId,
  accountId: relayCall.caller.accountId,
  userId: relayCall.caller.userId,
  tokenId: relayCall.caller.tokenId,
  tokenUnlimited: relayCall.caller.tokenUnlimited,
  channelId: first.id,
  request: holdNote(relayCall, admission.group),
});

/** The note beside a hold, as JSON: what a log row needs to know of a call whose process died. */
const holdNote = ({ caller, facts, startedAt }: RelayCall, group: string): string =>
  JSON.stringify({
    model: facts.model,
    group,
    username: caller.username,
    token: caller.tokenName,
    stream: facts.stream,
    at: Math.floor(startedAt / 1000),
  });

/** Enough of a request to say no to it. */
export type Refusable = Pick<RelayCall, 'client' | 'inbound' | 'requestId' | 'req'>;

/** Says no in the caller's own language, wherever the answer stands. Answers what went wrong, for our books. */
export function refuseCall(
  deps: Pick<GatewayDeps, 'log' | 'identityHeaders' | 'siteLanguage'>,
  { client, inbound, requestId, req }: Refusable,
  thrown: unknown,
): RelayError {
  const error = reasonOf(deps.log, requestId, thrown);
  if (client.closed) return error;
  const shown = publicError(error).in(languageOf(deps, req));
  if (client.headSent) {
    client.finish(inbound.writeStreamError(shown, requestId), {});
    return error;
  }
  const { status, body } = inbound.writeError(shown, requestId);
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    ...deps.identityHeaders(requestId),
  };
  if (shown.retryAfterSeconds !== undefined) headers['retry-after'] = String(shown.retryAfterSeconds);
  client.reset();
  client.open();
  client.head(status, headers);
  client.finish(Buffer.from(body), {});
  return error;
}

/** Any failure as one that can be told; what nobody expected is logged and told as a fault of ours. */
export function reasonOf(log: Log, requestId: string, thrown: unknown): RelayError {
  if (thrown instanceof FailedCall) return thrown.error;
  if (thrown instanceof RelayError) return thrown;
  if (thrown instanceof LedgerUnavailable) return refuse('ledger_unavailable', {}, { cause: thrown });
  if (thrown instanceof AppError) return consoleRefusal(thrown);
  log.error({ request: requestId, err: thrown }, 'a relay call failed unexpectedly');
  return refuse('internal_error');
}

/** A refusal of the console's guard, at the playground's door, in the relay's words. */
function consoleRefusal(error: AppError): RelayError {
  // The console answers 200 to most refusals; a relay call that was refused must not look like an answer.
  const status = error.status < 400 ? 403 : error.status;
  return new RelayError({
    status,
    code: error.code,
    message: error.message,
    words: { zh: error.say('zh'), en: error.say('en') },
    blame: status < 500 ? 'caller' : 'ours',
  });
}
