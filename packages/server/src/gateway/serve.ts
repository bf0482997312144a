import { AppError } from '@tollgate/contract';
import { faultPoint } from '../lib/fault-point.ts';
import type { Log } from '../lib/log.ts';
import type { Channel } from '../relay/model/channel.ts';
import { refuse, RelayError } from '../relay/model/relay-error.ts';
import { admit, pricedAdmission } from './admit.ts';
import type { GatewayDeps } from './deps.ts';
import { takeHold } from './hold.ts';
import { Journey } from './journey.ts';
import { climb, FailedCall, firstChannel, publicError } from './ladder.ts';
import { admitRate, countSuccess } from './rate.ts';
import { settle } from './settle.ts';
import type { Admission, Caller, Exchange } from './types.ts';

/**
 * The journey of one request, top to bottom: admit → hold → attempt… → settle. Settling always runs once a hold
 * was taken: on success, on failure, when the caller hung up, when the process is told to stop.
 */
export async function serve(deps: GatewayDeps, exchange: Exchange): Promise<void> {
  let begun: Journey | undefined;
  try {
    const group = admit(deps, exchange);
    admitRate(deps.rate, exchange.caller, group);
    const first = firstChannel(deps, exchange, group);
    const admission = pricedAdmission(deps, exchange, group);
    faultPoint('K2');
    const taken = takeHold(deps, exchange, admission.snapshot, holdRequest(exchange, admission, first));
    const hold = taken instanceof Promise ? await taken : taken;
    faultPoint('K3');
    const journey = new Journey(deps, exchange, hold);
    begun = journey;
    deps.running.add(journey);
    const climbed = await climb(deps, exchange, admission, first, (channel) => journey.tryChannel(channel));
    await settle(deps, journey, admission, climbed);
    if (journey.endReason === 'complete') countSuccess(deps.rate, exchange.caller, admission.group);
    leave(deps, journey);
  } catch (error) {
    if (begun) await breakOff(deps, exchange, begun);
    const reason = refuseCall(deps, exchange, error);
    deps.onRefused(exchange, reason, error instanceof FailedCall ? error : undefined);
  }
}

/** Gives the hold of a journey back that came to nothing. */
async function breakOff(deps: GatewayDeps, { requestId }: Exchange, journey: Journey): Promise<void> {
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
export const holdRequest = (exchange: Exchange, admission: Admission, first: Channel) => ({
  requestId: exchange.requestId,
  accountId: exchange.caller.accountId,
  userId: exchange.caller.userId,
  tokenId: exchange.caller.tokenId,
  tokenUnlimited: exchange.caller.tokenUnlimited,
  channelId: first.id,
  request: holdNote(exchange, admission.group),
});

/** The note beside a hold, as JSON, member by member: that takes half as long as an object that is written whole. */
const holdNote = (exchange: Exchange, group: string): string =>
  `${noteOf(exchange, group)}${exchange.facts.stream},"at":${Math.floor(exchange.startedAt / 1000)}}`;

interface Note {
  model: string;
  group: string;
  text: string;
}
/** Of each caller the note of his last call: mostly he asks for the same model again, and quoting names is dear. */
const lastNotes = new WeakMap<Caller, Note>();

/** The note as far as it is the same in all calls of a caller to a model: who pays for what. */
function noteOf({ facts: { model }, caller }: Exchange, group: string): string {
  const last = lastNotes.get(caller);
  if (last?.model === model && last.group === group) return last.text;
  const text =
    `{"model":${JSON.stringify(model)},"group":${JSON.stringify(group)},` +
    `"username":${JSON.stringify(caller.username)},"token":${JSON.stringify(caller.tokenName)},"stream":`;
  lastNotes.set(caller, { model, group, text });
  return text;
}

/** Enough of a request to say no to it. */
export type Refusable = Pick<Exchange, 'client' | 'inbound' | 'requestId'>;

/** Says no in the caller's own language, wherever the answer stands. Answers what went wrong, for our books. */
export function refuseCall(
  deps: Pick<GatewayDeps, 'log' | 'identityHeaders'>,
  { client, inbound, requestId }: Refusable,
  thrown: unknown,
): RelayError {
  const error = reasonOf(deps.log, requestId, thrown);
  const shown = publicError(error);
  if (client.closed) return error;
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
  if (thrown instanceof AppError) return consoleRefusal(thrown);
  log.error({ request: requestId, err: thrown }, 'a relay call failed unexpectedly');
  return refuse(500, 'internal_error', '服务器内部错误，请联系管理员！');
}

/** A refusal of the console's guard, at the playground's door, in the relay's words. */
function consoleRefusal(error: AppError): RelayError {
  // The console answers 200 to most refusals; a relay call that was refused must not look like an answer.
  const status = error.status < 400 ? 403 : error.status;
  return new RelayError({
    status,
    code: error.code,
    message: error.message,
    blame: status < 500 ? 'caller' : 'ours',
  });
}
