import { AppError } from '@tollgate/contract';
import type { Log } from '../../lib/log.ts';
import { refuse, RelayError } from '../../relay/types/index.ts';
import { LedgerUnavailable } from '../../services/ledger/index.ts';
import { FailedCall, publicError } from './failover.ts';
import type { FailedExchange } from './failure-row.ts';
import { callInLog, languageOf, type SiteLanguage, type RelayCall } from '../call/index.ts';

/** What a refusal is written with. */
export interface RefuseDeps extends SiteLanguage {
  log: Log;
  /** Headers that name us and the request on every answer. */
  identityHeaders(requestId: string): Record<string, string>;
}

/** Who is told of what failed. */
export interface FailureReport {
  /** Writes the error row of a call that failed, or broke off, where error rows are switched on. Never waits. */
  onRefused(
    call: FailedExchange,
    error: RelayError,
    failed: Pick<FailedCall, 'channel' | 'tries'> | undefined,
  ): void;
}

/** Enough of a request to say no to it; `facts` are there once its body was read. */
export type Refusable = Pick<RelayCall, 'client' | 'inbound' | 'requestId' | 'req' | 'trace'> & {
  facts?: Pick<RelayCall['facts'], 'stream'>;
};

/** Says no in the caller's protocol and language, wherever the answer stands. Answers what went wrong, for our books. */
export function refuseCall(deps: RefuseDeps, target: Refusable, thrown: unknown): RelayError {
  const { client, inbound, requestId, req, facts } = target;
  const error = toRelayError(deps.log, target, thrown);
  if (client.closed) return error;
  const shown = publicError(error).in(languageOf(deps, req));
  if (client.headSent) {
    // Half of a whole answer cannot carry an error: break the connection, so that nobody takes it for all of it.
    if (facts?.stream === false) client.destroy();
    else client.finish(inbound.writeStreamError(shown, requestId), {});
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
export function toRelayError(log: Log, call: Parameters<typeof callInLog>[0], thrown: unknown): RelayError {
  if (thrown instanceof FailedCall) return thrown.error;
  if (thrown instanceof RelayError) return thrown;
  if (thrown instanceof LedgerUnavailable) return refuse('ledger_unavailable', {}, { cause: thrown });
  if (thrown instanceof AppError) return consoleRefusal(thrown);
  log.error({ ...callInLog(call), err: thrown }, 'a relay call failed unexpectedly');
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
