import { AppError } from '@tollgate/contract';
import { parseObject } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import { hideAccounts } from '../../lib/scrub.ts';
import { refuse, RelayError } from '../../relay/types/index.ts';
import { isDatabaseAway, LedgerUnavailable, UnknownHold } from '../../services/money/ledger/index.ts';
import { callInLog, type GatewayDeps, languageOf, type RelayCall, type SiteErrors } from '../call/index.ts';
import { channelsAsked, FailedCall } from './failover.ts';

type RefuseDeps = SiteErrors & Pick<GatewayDeps, 'log' | 'identityHeaders'>;

/** The parts of a request that an error response needs; `facts` are present once its body was read. */
export type RefusalTarget = Pick<RelayCall, 'client' | 'inbound' | 'requestId' | 'req' | 'trace'> & {
  facts?: Pick<RelayCall['facts'], 'stream'>;
};

/**
 * Sends an error in the caller's protocol and language, at any point of the answer, with further headers if there are
 * any. Returns the error, for the log.
 */
export function refuseCall(
  deps: RefuseDeps,
  target: RefusalTarget,
  thrown: unknown,
  further?: Record<string, string>,
): RelayError {
  const { client, inbound, requestId, req, facts } = target;
  const error = toRelayError(deps.log, target, thrown);
  if (client.closed) return error;
  const asked = thrown instanceof FailedCall ? channelsAsked(thrown.tries) : 1;
  const shown = shownError(deps, req, error, asked);
  if (client.headSent) {
    // An incomplete answer in one piece cannot have an error: break the connection, so that it is not taken for complete.
    if (facts?.stream === false) client.destroy();
    else client.finish(inbound.writeStreamError(shown, requestId, client.last), {});
    return error;
  }
  const { status, body } = inbound.writeError(shown, requestId);
  const headers = {
    ...further,
    ...errorHeaders(shown),
    'content-type': 'application/json',
    ...deps.identityHeaders(requestId),
  };
  client.reset();
  client.open();
  client.head(status, headers);
  client.finish(Buffer.from(body), {});
  return error;
}

/** Any exception as a RelayError; an unexpected one is logged and becomes an internal error. */
export function toRelayError(log: Log, call: Parameters<typeof callInLog>[0], thrown: unknown): RelayError {
  if (thrown instanceof FailedCall) return thrown.error;
  if (thrown instanceof RelayError) return thrown;
  if (thrown instanceof LedgerUnavailable) return refuse('ledger_unavailable', {}, { cause: thrown });
  if (thrown instanceof AppError) return consoleRefusal(thrown);
  log.error({ ...callInLog(call), err: thrown }, 'a relay call failed unexpectedly');
  // A hold that was lost in a failover; or a read beside the ledger, such as that of a key.
  if (thrown instanceof UnknownHold || isDatabaseAway(thrown))
    return refuse('ledger_unavailable', {}, { cause: thrown });
  return refuse('internal_error');
}

/** An error of the console's guard (playground) as a relay error. */
function consoleRefusal(error: AppError): RelayError {
  // The console sends most errors with status 200; a refused relay call must not look like an answer.
  const status = error.status < 400 ? 403 : error.status;
  return new RelayError({
    status,
    code: error.code,
    message: error.say('en'),
    words: { zh: error.say('zh'), en: error.say('en') },
    blame: status < 500 ? 'caller' : 'ours',
  });
}

/**
 * The error as its caller gets it: without details that are for the operator, in the caller's language, with the site's
 * status.
 *
 * @param asked - Channels that were asked
 */
export function shownError(
  site: SiteErrors,
  req: RelayCall['req'],
  error: RelayError,
  asked = 1,
): RelayError {
  const shown = withoutAccounts(publicError(error, asked)).in(languageOf(site, req));
  const status = shown.isBilling ? site.billingStatus() : undefined;
  return status === undefined ? shown : shown.copy({ status });
}

/** A vendor's text names the operator's account, which callers must not see. */
function withoutAccounts(error: RelayError): RelayError {
  const message = hideAccounts(error.message);
  const original = error.original && JSON.stringify(error.original);
  const shown = original === undefined ? undefined : hideAccounts(original);
  if (message === error.message && shown === original) return error;
  return error.copy({ message, original: parseObject(shown ?? '') });
}

/** The headers of an error answer: the vendor's own, the time to retry, and whether a retry may help. */
export function errorHeaders({ headers, retryAfterSeconds, isFinal }: RelayError): Record<string, string> {
  return {
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    ...(isFinal && { 'x-should-retry': 'false' }),
    ...headers,
  };
}

/** Error codes and types of vendors and gateways for an account without money. */
const accountEmpty: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'insufficient_user_quota',
  'billing_error',
  'billing_not_active',
]);

/** The error that the caller gets for a final failure: some details are for the operator only. */
export function publicError(error: RelayError, asked = 1): RelayError {
  if (error.blame !== 'channel') return error;
  const { status, code, type, retryAfterSeconds } = error;
  const isEmpty = accountEmpty.has(code) || accountEmpty.has(type);
  if (status === 429) {
    if (isEmpty) return refuse('upstream_saturated', {}, { cause: error });
    if (asked <= 1) return error;
    return refuse('upstream_saturated', {}, { code, type, retryAfterSeconds, cause: error });
  }
  // The channel's key was refused or its account is empty; the caller's key and account are not affected.
  if (status !== 401 && status !== 402 && !isEmpty) return error;
  return refuse('upstream_rejected_channel', {}, { cause: error });
}
