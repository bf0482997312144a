import { parseObject } from '../../lib/json.ts';
import { hideAccounts } from '../../lib/scrub.ts';
import { refuse, type RelayError } from '../../relay/types/index.ts';
import { languageOf, type RelayCall, type SiteErrors } from '../call/index.ts';

/**
 * The error as its caller gets it: without details that are for the operator, in the caller's language, with the site's
 * status.
 *
 * @param asked - Channels that were asked
 */
export function shownError(
  site: SiteErrors,
  req: RelayCall['req'],
  error: RelayError,
  asked = 1,
): RelayError {
  const shown = withoutAccounts(publicError(error, asked)).in(languageOf(site, req));
  const status = shown.isBilling ? site.billingStatus() : undefined;
  return status === undefined ? shown : shown.copy({ status });
}

/** A vendor's words name the account that it knows: the operator's, which is no matter of callers. */
function withoutAccounts(error: RelayError): RelayError {
  const message = hideAccounts(error.message);
  const original = error.original && JSON.stringify(error.original);
  const shown = original === undefined ? undefined : hideAccounts(original);
  if (message === error.message && shown === original) return error;
  return error.copy({ message, original: parseObject(shown ?? '') });
}

/** The headers of an error's answer: those of the vendor, when to come back, and whether that may help. */
export function errorHeaders({ headers, retryAfterSeconds, isFinal }: RelayError): Record<string, string> {
  return {
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    ...(isFinal && { 'x-should-retry': 'false' }),
    ...headers,
  };
}

/** Codes and types by which vendors, gateways among them, say that the channel's account has no money. */
const accountEmpty: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'insufficient_user_quota',
  'billing_error',
  'billing_not_active',
]);

/** The error that the caller gets for a final failure: some details are for the operator only. */
export function publicError(error: RelayError, asked = 1): RelayError {
  if (error.blame !== 'channel') return error;
  const { status, code, type, retryAfterSeconds } = error;
  const isEmpty = accountEmpty.has(code) || accountEmpty.has(type);
  if (status === 429) {
    if (isEmpty) return refuse('upstream_saturated', {}, { cause: error });
    if (asked <= 1) return error;
    return refuse('upstream_saturated', {}, { code, type, retryAfterSeconds, cause: error });
  }
  // The channel's key was refused or its account is empty; the caller's key and account are not affected.
  if (status !== 401 && status !== 402 && !isEmpty) return error;
  return refuse('upstream_rejected_channel', {}, { cause: error });
}
