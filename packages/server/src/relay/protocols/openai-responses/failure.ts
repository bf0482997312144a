import { isObject, type JsonObject, objectOf, textOf } from '../../../lib/json.ts';
import { readErrorObject, upstreamFailure, failureIn } from '../../families/openai/index.ts';
import { type RelayError, refuse } from '../../types/index.ts';

/** Statuses for the error codes of a response that fails after its 200. */
const statuses: Readonly<Record<string, number>> = {
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  context_length_exceeded: 400,
  invalid_prompt: 400,
  invalid_image: 400,
};
const statusOf = (code: string): number => (Object.hasOwn(statuses, code) ? statuses[code]! : 502);

/** The response of a failure event; Perplexity has the error beside it. */
export const failedIn = (event: JsonObject): JsonObject =>
  isObject(event.response) ? event.response : event;

/** The error of a response with the status `failed`. */
export function failedResponse(response: JsonObject, secrets: readonly string[] = []): RelayError {
  return codedFailure(objectOf(response.error), secrets);
}

/** An error with only `code` and `message`. */
function codedFailure(reported: JsonObject, secrets: readonly string[]): RelayError {
  const code = textOf(reported.code);
  const status = statusOf(code);
  const words = textOf(reported.message);
  const changes = {
    status,
    code: code === '' ? 'server_error' : code,
    blame: status === 400 ? ('caller' as const) : ('channel' as const),
  };
  if (words === '') return refuse('response_failed', {}, changes);
  return upstreamFailure(status, words, secrets).copy({
    ...changes,
    type: undefined,
    param: null,
    cause: undefined,
  });
}

/** The error of an `error` event: its fields are in the event or, as OpenAI often sends them, in `error`. */
export function errorEvent(body: JsonObject, secrets: readonly string[] = []): RelayError {
  if (isObject(body.error)) {
    const status = statusOf(textOf(body.error.code));
    return readErrorObject(body, status, secrets) ?? codedFailure(body.error, secrets);
  }
  return failureIn(body, secrets) ?? codedFailure(body, secrets);
}

/** The error inside a whole answer with a success status. */
export function failureOf(body: JsonObject, secrets: readonly string[] = []): RelayError | undefined {
  if (body.status === 'failed' || body.status === 'cancelled') return failedResponse(body, secrets);
  return failureIn(body, secrets);
}
