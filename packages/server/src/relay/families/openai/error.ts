import { scrub } from '../../../lib/scrub.ts';
import { isObject, type Json, type JsonObject, numberOf, objectsIn, parseObject } from '../../../lib/json.ts';
import { type ErrorAnswer, RelayError, upstreamErrorType, refuse } from '../../types/index.ts';

/** Maximum length of an upstream's text in an error message. */
const maxMessageLength = 500;

/**
 * An error as an answer: OpenAI's error object, with the request id after the message
 * (docs/compatibility.md#relay-errors).
 */
export function writeOpenaiError(error: RelayError, requestId: string): { status: number; body: string } {
  return { status: error.status, body: JSON.stringify({ error: errorObject(error, requestId) }) };
}

/** An error in mid-stream: an event that OpenAI's clients throw on. No end marker follows it. */
export const writeOpenaiStreamError = (error: RelayError, requestId: string): Buffer =>
  Buffer.from(`data: ${JSON.stringify({ error: errorObject(error, requestId) })}\n\n`);

/** The error object on the wire: a vendor's own passes unchanged, ours gets its four fields. */
export function errorObject(error: RelayError, requestId: string): JsonObject {
  if (error.original) return error.original;
  // For status 402 the answer has OpenAI's own words for it.
  const isBilling = error.isBilling && error.status === 402;
  return {
    message: `${error.message} (request id: ${requestId})`,
    type: isBilling ? 'insufficient_quota' : error.type,
    param: error.param ?? '',
    code: isBilling ? 'insufficient_quota' : openaiCode(error),
  };
}

/** OpenAI's own code for a field that a model does not accept; all other errors have our code. */
const openaiCode = ({ code, param }: RelayError): string =>
  code === 'cannot_translate' && param ? 'unsupported_parameter' : code;

/** Reads an upstream's answer without success; see `ErrorAnswer`. */
export function readOpenaiError(answer: ErrorAnswer): RelayError {
  const body = parseObject(answer.body);
  const own = body && readErrorObject(body, answer.status, answer.secrets, answer.retryAfterSeconds);
  if (own) return own;
  const words = body ? looseMessage(body) : plainText(answer);
  return upstreamFailure(answer.status, words, answer.secrets, answer.retryAfterSeconds);
}

/** A failure of an upstream without an error object of the family, in its own words as far as they may be shown. */
export function upstreamFailure(
  status: number,
  words: string,
  secrets: readonly string[],
  retryAfterSeconds?: number,
): RelayError {
  const message = scrub(words, secrets).slice(0, maxMessageLength);
  const shared = {
    type: upstreamErrorType,
    param: String(status),
    blame: blameOf(status),
    ...retryAfter(retryAfterSeconds),
  };
  if (message === '') return refuse('bad_response_status_code', { status }, { status, ...shared });
  return new RelayError({ status, code: 'bad_response_status_code', message, ...shared });
}

/** The error in an object's `error` member; undefined without one. */
export function readErrorObject(
  body: JsonObject,
  status: number,
  secrets: readonly string[],
  retryAfterSeconds?: number,
): RelayError | undefined {
  const { error } = body;
  if (!isObject(error) || typeof error.message !== 'string') return undefined;
  const leaks = secrets.some((secret) => JSON.stringify(error).includes(secret));
  return new RelayError({
    status,
    code: codeIn(error, status) ?? text(error.type) ?? 'bad_response_status_code',
    message: leaks ? scrub(error.message, secrets) : error.message,
    type: text(error.type) ?? upstreamErrorType,
    param: text(error.param) ?? null,
    blame: blameOf(status),
    ...(!leaks && { original: error }),
    ...retryAfter(retryAfterSeconds),
  });
}

/**
 * A 400 means that the request is invalid, so no other channel is tried. For all other errors routing decides by the
 * status whether another channel is tried.
 */
const blameOf = (status: number): 'caller' | 'channel' => (status === 400 ? 'caller' : 'channel');

const retryAfter = (seconds: number | undefined): { retryAfterSeconds?: number } =>
  seconds === undefined ? {} : { retryAfterSeconds: seconds };

/** The code of an error object; '' if it only repeats the status. */
function codeIn({ code }: JsonObject, status: number): string | undefined {
  const found = text(code);
  return found === String(status) ? undefined : found;
}

function text(value: Json | undefined): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The message of vendors with other forms of error objects. */
function looseMessage(body: JsonObject): string {
  const nested = isObject(body.error) ? body.error : isObject(body.base_resp) ? body.base_resp : {};
  const [first] = objectsIn(body.errors);
  const candidates = [
    body.error,
    body.message,
    body.detail,
    body.msg,
    body.error_msg,
    nested.message,
    nested.msg,
    nested.status_msg,
    first?.message,
  ];
  return candidates.map(text).find((words) => words !== undefined) ?? '';
}

function plainText({ body, contentType }: ErrorAnswer): string {
  const words = body.toString('utf8', 0, maxMessageLength * 4).trim();
  return contentType.includes('html') || words.startsWith('<') ? '' : words;
}

/** The status of a failure with a success status: the vendor's own number if it names one. */
export function statusInside(body: JsonObject): number {
  const error = isObject(body.error) ? body.error : {};
  for (const value of [error.status_code, error.status, error.code]) {
    const status = numberOf(value);
    if (Number.isInteger(status) && status >= 400 && status < 600) return status;
  }
  return 502;
}
