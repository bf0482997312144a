import type { JsonObject } from '../../../lib/json.ts';

/** What steers the answer and not the input: the vendor refuses it in a count. */
const answerOnly = new Set([
  'max_tokens',
  'metadata',
  'service_tier',
  'stop_sequences',
  'stream',
  'temperature',
  'top_k',
  'top_p',
]);

/** The fields of a call that belong into a count of its tokens. */
export const countable = (body: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !answerOnly.has(name)));

/** The vendor's answer to a count; undefined when it tells no number. */
export const countedTokens = ({ input_tokens: tokens }: JsonObject): number | undefined =>
  typeof tokens === 'number' ? tokens : undefined;
