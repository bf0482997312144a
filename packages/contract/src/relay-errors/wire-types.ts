/** Anthropic's error types by status. Its clients know them. */
const anthropicTypes: Readonly<Record<number, string>> = {
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
const knownTypes = new Set([...Object.values(anthropicTypes), 'api_error']);

/** Anthropic's `type` of an error: unchanged if the error is from Anthropic, otherwise by status. */
export const anthropicErrorType = (status: number, own = ''): string =>
  knownTypes.has(own)
    ? own
    : (anthropicTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error'));

/** Google's names for HTTP statuses. */
const googleStatuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  413: 'INVALID_ARGUMENT',
  415: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** Google's `status` of an error, by its HTTP status. */
export const googleErrorStatus = (status: number): string =>
  googleStatuses[status] ?? (status >= 500 ? 'UNAVAILABLE' : 'FAILED_PRECONDITION');
