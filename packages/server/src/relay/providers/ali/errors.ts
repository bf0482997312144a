import { type JsonObject, textOf, parseObject } from '../../../lib/json.ts';
import { readOpenaiError } from '../../families/openai/index.ts';
import type { ErrorAnswer, RelayError } from '../../types/index.ts';

/** The HTTP status for a task's failure, by its code. */
export function statusOf(code: string): number {
  if (/^(DataInspection|InvalidParameter|IPInfringement|InvalidURL)/.test(code)) return 400;
  if (code.startsWith('Throttling')) return 429;
  return /^InvalidApiKey|^AccessDenied/.test(code) ? 401 : 502;
}

/** DashScope's own errors are `{code, message, request_id}`; those of a task are in its `output`. */
export function readDashscopeError(answer: ErrorAnswer): RelayError {
  const { code, message } = failureIn(parseObject(answer.body) ?? {});
  if (textOf(message) === '') return readOpenaiError(answer);
  const error = { message: textOf(message), type: 'upstream_error', code: textOf(code) };
  return readOpenaiError({ ...answer, body: Buffer.from(JSON.stringify({ error })) });
}

/** The text of an error. */
export const failureIn = (body: JsonObject): JsonObject => {
  const { output } = body;
  return typeof output === 'object' && output !== null && !Array.isArray(output) ? output : body;
};
