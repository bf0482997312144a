import type { ChannelFailure } from '@tollgate/contract';
import { transportFailure } from '../../lib/outbound/transport-failure.ts';
import type { RelayError } from '../../relay/types/index.ts';
import { isLocal } from '../../services/calls/routing/index.ts';

/** Messages of an upstream are stored up to this length. */
const maxMessage = 500;

/** Result of a failed channel test: the kind of failure and its message. */
export function channelFailureOf(error: RelayError, model: string): ChannelFailure {
  const { cause, status } = causeOf(error);
  // If the upstream could not be reached, the cause says everything; the gateway's own message would repeat it.
  const hasWords = cause === 'status' || cause === 'bad_answer' || cause === 'gateway';
  return { cause, status, message: hasWords ? error.message.slice(0, maxMessage) : '', model };
}

function causeOf(error: RelayError): Pick<ChannelFailure, 'cause' | 'status'> {
  if (isLocal(error)) return { cause: 'gateway', status: 0 };
  if (error.code === 'do_request_failed') return { cause: transportFailure(error.cause), status: 0 };
  if (error.code.startsWith('bad_response_body')) return { cause: 'bad_answer', status: 0 };
  return { cause: 'status', status: error.status };
}
