import { isObject, type JsonObject, objectOf, textOf } from '../../model/json.ts';
import { readErrorObject, upstreamFailure } from '../../model/openai/error.ts';
import { failureIn } from '../../model/openai/wire.ts';
import { RelayError } from '../../model/relay-error.ts';

/** Statuses of the codes that a response fails with after its 200. */
const statuses: Readonly<Record<string, number>> = {
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  context_length_exceeded: 400,
  invalid_prompt: 400,
  invalid_image: 400,
};
const statusOf = (code: string): number => (Object.hasOwn(statuses, code) ? statuses[code]! : 502);

/** The failure that a response object with the status `failed` tells of. */
export function failedResponse(response: JsonObject, secrets: readonly string[] = []): RelayError {
  return codedFailure(objectOf(response.error), secrets);
}

/** A failure told by `code` and `message` alone. */
function codedFailure(told: JsonObject, secrets: readonly string[]): RelayError {
  const code = textOf(told.code);
  const status = statusOf(code);
  const { message } = upstreamFailure(status, textOf(told.message) || 'the response failed', secrets);
  return new RelayError({
    status,
    code: code === '' ? 'server_error' : code,
    message,
    blame: status === 400 ? 'caller' : 'channel',
  });
}

/** The failure of an `error` event: its fields stand in the event itself or, as OpenAI often sends them, in `error`. */
export function errorEvent(body: JsonObject, secrets: readonly string[] = []): RelayError {
  if (isObject(body.error)) {
    const status = statusOf(textOf(body.error.code));
    return readErrorObject(body, status, secrets) ?? codedFailure(body.error, secrets);
  }
  return failureIn(body, secrets) ?? codedFailure(body, secrets);
}

/** The failure that a whole answer with a success status tells of. */
export function failureOf(body: JsonObject, secrets: readonly string[] = []): RelayError | undefined {
  if (body.status === 'failed') return failedResponse(body, secrets);
  return failureIn(body, secrets);
}
