import { googleErrorStatus } from '@tollgate/contract/relay-errors';
import { isObject, type JsonObject, numberOf, parseObject, textOf } from '../../../lib/json.ts';
import { readErrorObject, readOpenaiError } from '../openai/index.ts';
import type { ErrorAnswer, RelayError } from '../../types/index.ts';

/**
 * An error as an answer: `{error: {code, message, status}}`, the request id behind the message
 * (docs/compatibility.md#relay-errors).
 */
export function writeGeminiError(error: RelayError, requestId: string): { status: number; body: string } {
  return { status: error.status, body: JSON.stringify({ error: errorObject(error, requestId) }) };
}

/** An error in mid-stream: an event that Google's clients throw on. */
export const writeGeminiStreamError = (error: RelayError, requestId: string): Buffer =>
  Buffer.from(`data: ${JSON.stringify({ error: errorObject(error, requestId) })}\r\n\r\n`);

/**
 * A vendor's error object passes unchanged if it has Google's `status`, which clients read. Our code is in Google's
 * `reason`.
 */
function errorObject(error: RelayError, requestId: string): JsonObject {
  if (typeof error.original?.status === 'string') return error.original;
  return {
    code: error.status,
    message: `${error.message} (request id: ${requestId})`,
    status: error.isBilling ? 'RESOURCE_EXHAUSTED' : googleErrorStatus(error.status),
    ...(error.code !== '' && {
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: reasonOf(error) }],
    }),
  };
}

/** A word, as clients expect; some vendors' codes are numbers. */
const reasonOf = ({ code, type, status }: RelayError): string =>
  [code, type].find((word) => /^[a-z]/i.test(word)) ?? googleErrorStatus(status);

/** Reads an upstream's answer without success; some of Google's stream errors are in a list with one entry. */
export function readGeminiError(answer: ErrorAnswer): RelayError {
  const body = parseObject(answer.body) ?? firstIn(answer.body);
  const own = body && readGeminiFailure(body, answer.secrets, answer.status, answer.retryAfterSeconds);
  return own ?? readOpenaiError(answer);
}

/** The error in a body's `error` member; undefined without one. */
export function readGeminiFailure(
  body: JsonObject,
  secrets: readonly string[],
  status = statusInside(body),
  retryAfterSeconds?: number,
): RelayError | undefined {
  const error = readErrorObject(body, status, secrets, retryAfterSeconds);
  if (!error) return undefined;
  const reported = isObject(body.error) ? body.error : {};
  return error.copy({
    code: textOf(reported.status) || error.code,
    // A refused key must be recognised for every status that Google sends.
    type: textOf(reported.status) || error.type,
    blame: isBadKey(reported) ? 'channel' : error.blame,
    cause: undefined,
  });
}

/** Google answers 400 to a bad key: this is the channel's fault, not the caller's. */
const isBadKey = (error: JsonObject): boolean =>
  JSON.stringify(error.details ?? '').includes('API_KEY_INVALID') ||
  textOf(error.message).startsWith('API key not valid');

function statusInside(body: JsonObject): number {
  const code = isObject(body.error) ? numberOf(body.error.code) : NaN;
  return Number.isInteger(code) && code >= 400 && code < 600 ? code : 502;
}

function firstIn(bytes: Buffer): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    const first: unknown = Array.isArray(value) ? value[0] : undefined;
    return isObject(first) ? first : undefined;
  } catch {
    return undefined;
  }
}
