import { RelayError } from '../relay/model/relay-error.ts';
import type { ModelLimiter, ModelLimits } from '../services/rate-limit/index.ts';
import type { Caller } from './types.ts';

export interface RateDeps {
  limiter: ModelLimiter;
  /** The limits of a group; null while they are switched off. */
  limitsOf(group: string): ModelLimits | null;
}

/** Counts the request against its user's limits (wire-facts 7.2); throws 429 when they are used up. The playground has none. */
export function admitRate(deps: RateDeps, caller: Caller, group: string): void {
  const limits = caller.tokenId > 0 ? deps.limitsOf(group) : null;
  if (!limits) return;
  const verdict = deps.limiter.admit(caller.userId, limits);
  if (verdict.allowed) return;
  throw new RelayError({
    status: 429,
    code: 'rate_limit_exceeded',
    message: verdict.message,
    blame: 'caller',
    retryAfterSeconds: verdict.retryAfterSeconds,
  });
}

/** The request was answered well: it counts against the limit of successes, too. */
export function countSuccess(deps: RateDeps, caller: Caller, group: string): void {
  const limits = caller.tokenId > 0 ? deps.limitsOf(group) : null;
  if (limits) deps.limiter.succeeded(caller.userId, limits);
}
