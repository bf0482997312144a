import { scrub } from '../../../lib/scrub.ts';
import { entryOf, type JsonObject, textOf, parseObject } from '../../../lib/json.ts';
import { readOpenaiError } from '../../families/openai/index.ts';
import { type ErrorAnswer, RelayError, upstreamErrorType } from '../../types/index.ts';

const maxMessageLength = 500;

/**
 * Codes that Dify sends with status 400 although the application of the channel is at fault and not the request. With
 * 429 and 502 another channel is tried.
 */
const statusByCode: Readonly<Record<string, number>> = {
  provider_quota_exceeded: 429,
  provider_not_initialize: 502,
  model_currently_not_support: 502,
  app_unavailable: 502,
  completion_request_error: 502,
};

const numberOf = (value: unknown): number =>
  typeof value === 'number' && value >= 400 && value < 600 ? value : 0;

/** Dify's error object, `{code, message, status}`; undefined for other objects. */
export function readDifyFailure(
  body: JsonObject,
  status: number,
  secrets: readonly string[] = [],
  retryAfterSeconds?: number,
): RelayError | undefined {
  const code = textOf(body.code);
  if (code === '') return undefined;
  const shown = entryOf(statusByCode, code) ?? (status >= 400 ? status : numberOf(body.status) || 502);
  const message = scrub(textOf(body.message), secrets).slice(0, maxMessageLength);
  return new RelayError({
    status: shown,
    code,
    message: message === '' ? code : message,
    type: upstreamErrorType,
    blame: shown === 400 ? 'caller' : 'channel',
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

/** Reads an answer of Dify without success. */
export function readDifyError(answer: ErrorAnswer): RelayError {
  const body = parseObject(answer.body);
  const reported = body && readDifyFailure(body, answer.status, answer.secrets, answer.retryAfterSeconds);
  return reported ?? readOpenaiError(answer);
}
