import type { ChannelFailure, ChannelFailureCause } from '@tollgate/contract';
import { ForbiddenAddress } from '../../lib/outbound/address.ts';
import type { RelayError } from '../../relay/types/index.ts';
import { isLocal } from '../../services/routing/index.ts';

/** Words of an upstream are kept up to this length. */
const maxMessage = 500;
/** Causes of causes are followed so far. */
const maxDepth = 6;

const byCode: Readonly<Record<string, ChannelFailureCause>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'not_found',
  EAI_AGAIN: 'not_found',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ECONNRESET: 'lost',
  EPIPE: 'lost',
  UND_ERR_SOCKET: 'lost',
  EPROTO: 'tls',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls',
};
const byName: Readonly<Record<string, ChannelFailureCause>> = {
  TimedOut: 'timeout',
  ConnectionLost: 'lost',
  BadAnswer: 'bad_answer',
};

/** What a failed test says about a channel: which of the things that can go wrong did, and in whose words. */
export function channelFailureOf(error: RelayError, model: string): ChannelFailure {
  const { cause, status } = causeOf(error);
  // Of an upstream that could not be reached the cause says all; the gateway's own words would only repeat it.
  const hasWords = cause === 'status' || cause === 'bad_answer' || cause === 'gateway';
  return { cause, status, message: hasWords ? error.message.slice(0, maxMessage) : '', model };
}

function causeOf(error: RelayError): Pick<ChannelFailure, 'cause' | 'status'> {
  if (isLocal(error)) return { cause: 'gateway', status: 0 };
  if (error.code === 'do_request_failed') return { cause: transportCause(error.cause), status: 0 };
  if (error.code.startsWith('bad_response_body')) return { cause: 'bad_answer', status: 0 };
  return { cause: 'status', status: error.status };
}

/** The first known cause, from the outermost error inwards. */
function transportCause(error: unknown): ChannelFailureCause {
  let each = error;
  for (let depth = 0; each instanceof Error && depth < maxDepth; depth += 1) {
    if (each instanceof ForbiddenAddress) return 'address_forbidden';
    const code = 'code' in each && typeof each.code === 'string' ? each.code : '';
    const known = byCode[code] ?? byName[each.name];
    if (known) return known;
    if (/^(ERR_TLS|ERR_SSL|CERT_)/.test(code)) return 'tls';
    each = each.cause;
  }
  return 'unreachable';
}
