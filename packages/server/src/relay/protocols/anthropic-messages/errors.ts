import type { JsonObject } from '../../model/json.ts';
import type { RelayError } from '../../model/relay-error.ts';

/** Anthropic's names of errors by status, as its clients know them. */
const typeByStatus: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};
const knownTypes = new Set([...Object.values(typeByStatus), 'api_error']);

/** The name of an error: the vendor's own where it is one of Anthropic's, else by the status. */
function typeOf({ type, status }: RelayError): string {
  if (knownTypes.has(type)) return type;
  return typeByStatus[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

function errorBody(error: RelayError, requestId: string): JsonObject {
  const own = { type: typeOf(error), message: `${error.message} (request id: ${requestId})` };
  return { type: 'error', error: error.original ?? own, request_id: requestId };
}

/** An error as an answer, in the shape of wire-facts 2.4 (Claude style). */
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
