import { AppError } from '@tollgate/contract';
import type { Log } from '../../lib/log.ts';
import { refuse, RelayError } from '../../relay/types/index.ts';
import { isDatabaseAway, LedgerUnavailable, UnknownHold } from '../../services/money/ledger/index.ts';
import { channelsAsked, FailedCall } from './failover.ts';
import { errorHeaders, shownError } from './shown-error.ts';
import { callInLog, type GatewayDeps, type RelayCall, type SiteErrors } from '../call/index.ts';

type RefuseDeps = SiteErrors & Pick<GatewayDeps, 'log' | 'identityHeaders'>;

/** The parts of a request that an error response needs; `facts` are present once its body was read. */
export type RefusalTarget = Pick<RelayCall, 'client' | 'inbound' | 'requestId' | 'req' | 'trace'> & {
  facts?: Pick<RelayCall['facts'], 'stream'>;
};

/** Sends an error in the caller's protocol and language, at whatever point the answer is. Returns the error, for the log. */
export function refuseCall(deps: RefuseDeps, target: RefusalTarget, thrown: unknown): RelayError {
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
