import { anthropicErrorType } from '@tollgate/contract/relay-errors';
import type { JsonObject } from '../../../lib/json.ts';
import type { RelayError } from '../../types/index.ts';

function errorBody(error: RelayError, requestId: string): JsonObject {
  const own = {
    type: anthropicErrorType(error.status, error.type),
    message: `${error.message} (request id: ${requestId})`,
  };
  return { type: 'error', error: error.original ?? own, request_id: requestId };
}

/** An error as an answer, in the shape of docs/compatibility.md#relay-errors (Claude style). */
export const writeAnthropicError = (
  error: RelayError,
  requestId: string,
): { status: number; body: string } => ({
  status: error.status,
  body: JSON.stringify(errorBody(error, requestId)),
});

/** An error in mid-stream: an event that Anthropic's clients throw on. */
export const writeAnthropicStreamError = (error: RelayError, requestId: string): Buffer =>
  Buffer.from(`event: error\ndata: ${JSON.stringify(errorBody(error, requestId))}\n\n`);
