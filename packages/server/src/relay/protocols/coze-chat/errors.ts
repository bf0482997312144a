import { scrub } from '../../../lib/scrub.ts';
import { type JsonObject, textOf, parseObject } from '../../../lib/json.ts';
import { readOpenaiError } from '../../families/openai/index.ts';
import { type ErrorAnswer, RelayError, upstreamErrorType, refuse } from '../../types/index.ts';

const maxMessageLength = 500;

/** Coze's numbers for failures, which have status 200, and their HTTP statuses. */
const statusByCode: Readonly<Record<number, number>> = {
  4000: 400,
  4008: 429,
  4013: 429,
  4100: 401,
  4101: 403,
  4200: 404,
  700012006: 401,
};

/**
 * Coze's error object, `{code, msg}`; undefined for other objects. `status` is 0 without one.
 */
export function readCozeFailure(
  body: JsonObject,
  status: number,
  secrets: readonly string[] = [],
  retryAfterSeconds?: number,
): RelayError | undefined {
  const { code } = body;
  if (typeof code !== 'number' || code === 0) return undefined;
  const shown = status >= 400 ? status : (statusByCode[code] ?? 502);
  const words = scrub(textOf(body.msg) || textOf(body.error_message), secrets).slice(0, maxMessageLength);
  const shared = {
    status: shown,
    code: String(code),
    type: upstreamErrorType,
    blame: shown === 400 ? ('caller' as const) : ('channel' as const),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
  if (words === '') return refuse('upstream_failed_with_code', { code }, shared);
  return new RelayError({ ...shared, message: `${words} (${code})` });
}

/** Reads an answer of Coze without success. */
export function readCozeError(answer: ErrorAnswer): RelayError {
  const body = parseObject(answer.body);
  const reported = body && readCozeFailure(body, answer.status, answer.secrets, answer.retryAfterSeconds);
  return reported ?? readOpenaiError(answer);
}
