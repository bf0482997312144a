import { ForbiddenAddress } from './address.ts';

/** Reason for a call without an answer. `bad_answer` is an answer that is not HTTP. */
export type TransportFailure =
  | 'refused'
  | 'not_found'
  | 'timeout'
  | 'lost'
  | 'tls'
  | 'bad_answer'
  | 'address_forbidden'
  | 'unreachable';

/** Depth to which causes of causes are followed. */
const maxDepth = 6;

const byCode: Readonly<Record<string, TransportFailure>> = {
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
const byName: Readonly<Record<string, TransportFailure>> = {
  TimedOut: 'timeout',
  ConnectionLost: 'lost',
  BadAnswer: 'bad_answer',
};

/** Reason for a call without an answer: the first known cause, from the outermost error inwards. */
export function transportFailure(error: unknown): TransportFailure {
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
