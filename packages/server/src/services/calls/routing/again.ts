import type { JsonObject } from '../../../lib/json.ts';
import { localErrorType, type RelayError } from '../../../relay/types/index.ts';

/** Channel types for which a rule differs (docs/compatibility.md#retry). */
const anthropic = 14;
const gemini = 24;

/**
 * True for an error of Tollgate itself, before or beside the upstream: another channel would not help ("local" in
 * docs/compatibility.md#retry). An error of the upstream is classified by its status instead.
 */
export const isLocal = (error: RelayError): boolean =>
  error.blame === 'ours' ||
  (error.blame === 'caller' && error.type === localErrorType && error.original === undefined);

/**
 * Our own limit of connections to the channel's address is reached: nothing was sent, and it is not a failure of the
 * channel, but a channel at another address may serve the call.
 */
const isOwnBound = (error: RelayError): boolean => error.code === 'no_free_connection';

interface RetryContext {
  /** The caller's key selects the channel: no other may be used. */
  pinned: boolean;
  channelType: number;
}

/**
 * Whether another channel is tried after this failure (docs/compatibility.md#retry; the status after
 * status_code_mapping). Gateway timeouts are not retried, because the caller has waited long enough. A 400 is the
 * caller's fault except on Anthropic channels, which also send it for exhausted accounts.
 */
export function mayRetry(error: RelayError, context: RetryContext): boolean {
  if (context.pinned) return false;
  if (isOwnBound(error)) return true;
  if (isLocal(error)) return false;
  const { status } = error;
  if (status === 400) return context.channelType === anthropic;
  if (status === 408 || status === 504 || status === 524) return false;
  return status < 200 || status > 299;
}

/** Codes and types that blame the request, regardless of the status. */
const requestCodes: ReadonlySet<string> = new Set([
  'content_filter',
  'content_moderation',
  'content_policy_violation',
  'context_length_exceeded',
  'data_inspection_failed',
  'moderation_blocked',
  'string_above_max_length',
]);

/**
 * Texts that blame the request in a refusal with a status that usually blames the channel; all concern the request's
 * content.
 */
const refusedContent =
  /\b(?:input|prompt|content|request|image|text|message)s?\b[^.]{0,60}\b(?:flagged|moderat|violat|inappropriate|sensitive)|content (?:policy|filter|management)|safety[ _]check|risk control/i;

/** Texts about the vendor's account, which the operator must fix. */
const aboutAccount = /\b(?:account|organi[sz]ation|api[ _-]?key|workspace)\b/i;

/**
 * A request above the vendor's size limit, or a file of the caller that the vendor does not have: Google returns 403
 * for those.
 */
const refusedSize = /request too large|context (?:length|window)|prompt is too long/i;
const missingFile =
  /\baccess the file\b|\bcached ?content\b|cloud storage|storage\.objects|\b(?:gs|s3):\/\//i;

/**
 * True if an upstream refused the request itself with a status that usually blames the channel: refused content, an
 * input that is too large, a missing file. Requests of other callers are not affected.
 */
function isRequestRefused({ status, code, type, message }: RelayError): boolean {
  if (status === 401 || status === 402 || fatalCodes.has(code) || type === 'insufficient_quota') return false;
  if (requestCodes.has(code) || requestCodes.has(type)) return true;
  if (status >= 500) return code === 'invalid_request_error' || type === 'invalid_request_error';
  if (status === 403 && missingFile.test(message)) return true;
  if (status === 429) return refusedSize.test(message);
  return refusedContent.test(message) && !aboutAccount.test(message);
}

/**
 * Whether this failure counts as a failure of the channel. An invalid request (400, 413, 422 …) would have failed on
 * any channel.
 */
export function isChannelFault(error: RelayError): boolean {
  if (isLocal(error) || isRequestRefused(error)) return false;
  const { status } = error;
  return (
    status >= 500 || status === 401 || status === 402 || status === 403 || status === 408 || status === 429
  );
}

/**
 * Whether this failure blames the key of the call rather than the server: refused, without balance, or rate-limited.
 */
export function isKeyFault(error: RelayError): boolean {
  if (isLocal(error) || isRequestRefused(error)) return false;
  const { status, code, type } = error;
  return (
    status === 401 ||
    status === 402 ||
    status === 403 ||
    status === 429 ||
    fatalCodes.has(code) ||
    fatalTypes.has(type)
  );
}

const durationParts = /(\d{1,9}(?:\.\d{1,9})?)(ms|[smhd])/g;
const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A header's moment as ms from now: seconds, Unix seconds or ms, a duration (`6m0s`), or a date; 0 for other values.
 */
function msUntil(value: string | undefined, now: number): number {
  if (value === undefined) return 0;
  if (/^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|[smhd]))+$/.test(value)) {
    let sum = 0;
    for (const [, count, unit] of value.matchAll(durationParts)) sum += Number(count) * unitMs[unit!]!;
    return sum;
  }
  if (!/^\d+(?:\.\d+)?$/.test(value)) return Date.parse(value) - now || 0;
  const number = Number(value);
  if (number < 1e9) return number * 1_000;
  return (number < 1e12 ? number * 1_000 : number) - now;
}

/**
 * Time in ms until the vendor of a failed call accepts calls again: from Retry-After, otherwise from the last reset of
 * the exhausted limits; 0 if the answer has neither. `now` is in Unix ms.
 */
export function vendorWaitMs(error: RelayError, now: number): number {
  const { status, headers = {}, retryAfterSeconds = 0 } = error;
  if (status !== 429) return 0;
  const asked = [
    Number(headers['retry-after-ms']),
    msUntil(headers['retry-after'], now),
    retryAfterSeconds * 1_000,
  ].find((ms) => ms > 0);
  if (asked !== undefined) return Math.ceil(asked);
  const resets = Object.entries(headers).map(([name, left]) =>
    name.includes('ratelimit') && name.includes('remaining') && Number(left) <= 0
      ? msUntil(headers[name.replace('remaining', 'reset')], now)
      : 0,
  );
  return Math.ceil(Math.max(0, ...resets));
}

/** Headers of the calls and tokens that a vendor still accepts, and those of the time when it accepts more. */
const remainingHeaders = [
  ...['requests', 'tokens'].map((what) => ({
    remaining: `x-ratelimit-remaining-${what}`,
    reset: `x-ratelimit-reset-${what}`,
  })),
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map((what) => ({
    remaining: `anthropic-ratelimit-${what}-remaining`,
    reset: `anthropic-ratelimit-${what}-reset`,
  })),
];

/**
 * Time in ms until a vendor accepts calls again, if the headers of a good answer say that nothing remains; otherwise 0.
 * `now` is in Unix ms.
 */
export function exhaustedMs(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  now: number,
): number {
  let waitMs = 0;
  for (const { remaining, reset } of remainingHeaders) {
    const until = headers[reset];
    if (headers[remaining] === '0' && typeof until === 'string')
      waitMs = Math.max(waitMs, msUntil(until, now));
  }
  return Math.ceil(waitMs);
}

interface DisableContext {
  /** Option AutomaticDisableChannelEnabled. */
  enabled: boolean;
  /** The channel's own switch. */
  autoBan: boolean;
  channelType: number;
  /** Option AutomaticDisableKeywords, one entry per line. Compared literally, ignoring case. */
  keywords: readonly string[];
  /** The failed request; an upstream may repeat its text in the error. */
  asked?: JsonObject | undefined;
}

const fatalCodes = new Set(['invalid_api_key', 'account_deactivated', 'billing_not_active']);
const fatalTypes = new Set([
  'insufficient_quota',
  'insufficient_user_quota',
  'authentication_error',
  'permission_error',
  'forbidden',
]);

/**
 * Whether this failure shows that the channel itself is unusable (invalid key, no balance), so that it is disabled
 * (docs/compatibility.md#automatic-disabling).
 */
export function shouldDisable(error: RelayError, context: DisableContext): boolean {
  if (!context.enabled || !context.autoBan || isLocal(error) || isRequestRefused(error)) return false;
  if (error.status === 401) return true;
  if (error.status === 403 && context.channelType === gemini) return true;
  if (fatalCodes.has(error.code) || fatalTypes.has(error.type)) return true;
  const message = error.message.toLowerCase();
  const found = context.keywords
    .map((keyword) => keyword.trim().toLowerCase())
    .filter((word) => word !== '' && message.includes(word));
  if (found.length === 0) return false;
  // Otherwise a caller could disable a channel with a keyword in a field that the upstream quotes.
  const asked = context.asked === undefined ? '' : JSON.stringify(context.asked).toLowerCase();
  return found.some((word) => !asked.includes(word));
}
