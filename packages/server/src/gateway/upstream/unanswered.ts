import { NoFreeConnection } from '../../lib/outbound/http.ts';
import { refuse, type RelayError } from '../../relay/types/index.ts';

/**
 * Why a call had no answer: our own limit of connections to its address, which is not the channel's fault, or
 * otherwise `name`.
 */
export const unanswered = (
  name: 'upstream_unreachable' | 'vendor_question_failed',
  cause: unknown,
): RelayError => refuse(cause instanceof NoFreeConnection ? 'no_free_connection' : name, {}, { cause });
