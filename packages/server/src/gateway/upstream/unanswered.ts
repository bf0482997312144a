import { NoFreeConnection } from '../../lib/outbound/http.ts';
import { refuse, type RelayError } from '../../relay/types/index.ts';

/**
 * Code of a call without an answer: our own limit of connections to its address, which the channel did not cause, or
 * otherwise `name`.
 */
export const unanswered = (
  name: 'upstream_unreachable' | 'vendor_question_failed',
  cause: unknown,
): RelayError => refuse(cause instanceof NoFreeConnection ? 'no_free_connection' : name, {}, { cause });
