import { NoFreeConnection } from '../../lib/outbound/http.ts';
import { refuse, type RelayError } from '../../relay/types/index.ts';

/**
 * Why a call had no answer at all: our own bound of connections to its address, for which the channel is not to blame, or
 * else what `name` says.
 */
export const unanswered = (
  name: 'upstream_unreachable' | 'vendor_question_failed',
  cause: unknown,
): RelayError => refuse(cause instanceof NoFreeConnection ? 'no_free_connection' : name, {}, { cause });
