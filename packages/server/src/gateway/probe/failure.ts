import type { ChannelFailure } from '@tollgate/contract';
import { transportFailure } from '../../lib/outbound/transport-failure.ts';
import type { RelayError } from '../../relay/types/index.ts';
import { isLocal } from '../../services/routing/index.ts';

/** Words of an upstream are kept up to this length. */
const maxMessage = 500;

/** What a failed test says about a channel: which of the things that can go wrong did, and in whose words. */
export function channelFailureOf(error: RelayError, model: string): ChannelFailure {
  const { cause, status } = causeOf(error);
  // Of an upstream that could not be reached the cause says all; the gateway's own words would only repeat it.
  const hasWords = cause === 'status' || cause === 'bad_answer' || cause === 'gateway';
  return { cause, status, message: hasWords ? error.message.slice(0, maxMessage) : '', model };
}

function causeOf(error: RelayError): Pick<ChannelFailure, 'cause' | 'status'> {
  if (isLocal(error)) return { cause: 'gateway', status: 0 };
  if (error.code === 'do_request_failed') return { cause: transportFailure(error.cause), status: 0 };
  if (error.code.startsWith('bad_response_body')) return { cause: 'bad_answer', status: 0 };
  return { cause: 'status', status: error.status };
}
