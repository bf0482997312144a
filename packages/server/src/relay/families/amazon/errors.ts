import { scrub } from '../../../lib/scrub.ts';
import { type JsonObject, textOf, parseObject } from '../../../lib/json.ts';
import { type ErrorAnswer, type Blame, RelayError } from '../../types/index.ts';

/** Maximum length of an upstream's text in an error message. */
const maxMessageLength = 500;

/**
 * Statuses of the errors of Bedrock's runtime, by their names (Amazon Bedrock API reference, Converse and InvokeModel).
 */
const statuses: Readonly<Record<string, number>> = {
  AccessDeniedException: 403,
  ExpiredTokenException: 403,
  InternalServerException: 500,
  InvalidSignatureException: 403,
  ModelErrorException: 424,
  ModelNotReadyException: 429,
  ModelStreamErrorException: 424,
  ModelTimeoutException: 408,
  ResourceNotFoundException: 404,
  ServiceQuotaExceededException: 429,
  ServiceUnavailableException: 503,
  ThrottlingException: 429,
  UnrecognizedClientException: 403,
  ValidationException: 400,
};

/** Error names by status, for answers without one in the body. */
const names: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  424: 'ModelErrorException',
  429: 'ThrottlingException',
  500: 'InternalServerException',
  503: 'ServiceUnavailableException',
};

/** Answers with status 400 about the account or the channel's model and not about the caller's request. */
const channelMatters =
  /model identifier|on-demand throughput|inference profile|end of its life|security token|signature|quota|access to the model/i;

/** Resource names contain the account number. */
const resources = /\barn:aws[\w-]*:[^\s"',)]+/g;

/** Reads an AWS answer without success: `{"message"}`, in some services `Message`, with `__type` in others. */
export function readAwsError({ status, body, secrets, retryAfterSeconds }: ErrorAnswer): RelayError {
  const parsed: JsonObject = parseObject(body) ?? {};
  const reported = textOf(parsed.__type).split('#').at(-1)!;
  const words = textOf(parsed.message) || textOf(parsed.Message) || `bad response status code ${status}`;
  return awsError(reported || (names[status] ?? ''), status, words, secrets, retryAfterSeconds);
}

/**
 * The error in a frame of a stream: `exception` is its name with a lower-case first letter (`throttlingException`),
 * `words` is its message.
 */
export function readAwsException(exception: string, words: string, secrets: readonly string[]): RelayError {
  const name = exception.slice(0, 1).toUpperCase() + exception.slice(1);
  const status = Object.hasOwn(statuses, name) ? statuses[name]! : 502;
  return awsError(name, status, words || `the upstream failed: ${name}`, secrets);
}

function awsError(
  name: string,
  status: number,
  words: string,
  secrets: readonly string[],
  retryAfterSeconds?: number,
): RelayError {
  const message = scrub(words.replace(resources, '[resource]'), secrets).slice(0, maxMessageLength);
  const type = /^\w{1,60}$/.test(name) ? name : 'upstream_error';
  return new RelayError({
    status,
    code: type === name ? name : 'bad_response_status_code',
    message,
    type,
    blame: blameOf(status, words),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

const blameOf = (status: number, words: string): Blame =>
  status === 400 && !channelMatters.test(words) ? 'caller' : 'channel';
