import type { ModelLimits } from '../../services/site/rate-limit/index.ts';
import type { Caller, RateLimits } from '../call/index.ts';
import { refuse } from '../../relay/types/index.ts';

/**
 * Counts the request against its user's limits; rejects with 429 when they are reached. The playground has none. Undefined,
 * so that nothing is awaited, if limits are disabled.
 */
export function admitRate(deps: RateLimits, caller: Caller, group: string): Promise<void> | undefined {
  const limits = caller.tokenId > 0 ? deps.limitsOf(group) : null;
  return limits ? judge(deps, caller, limits) : undefined;
}

async function judge(deps: RateLimits, caller: Caller, limits: ModelLimits): Promise<void> {
  const verdict = await deps.limiter.admit(caller.userId, limits);
  if (verdict.allowed) return;
  const { reached, values, retryAfterSeconds } = verdict;
  throw refuse(reached, values, { retryAfterSeconds });
}

/** The request succeeded: it also counts against the limit of successes. */
export function countSuccess(deps: RateLimits, caller: Caller, group: string): void {
  const limits = caller.tokenId > 0 ? deps.limitsOf(group) : null;
  if (limits) deps.limiter.succeeded(caller.userId, limits);
}
