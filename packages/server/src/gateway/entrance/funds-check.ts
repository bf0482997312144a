import { LRUCache } from 'lru-cache';
import { InsufficientQuota } from '../../services/money/ledger/index.ts';
import { quotaRefusal } from '../hold/index.ts';
import type { Caller, GatewayDeps } from '../call/index.ts';

export interface FundsCheckDeps extends Pick<GatewayDeps, 'showQuota'> {
  /** Balance of an account, what is left of a token and of a member's limit (undefined where there is none), in quota units. */
  fundsOf(
    caller: Caller,
  ): Promise<{ balance: number; token: number | undefined; member?: number | undefined }>;
}

/** For this long, a caller with a balance is assumed to still have one. The hold decides in any case. */
const assumeSolventMs = 5_000;
const maxKnown = 50_000;

/**
 * Checks that a caller has any balance before a body is read, which may be long. Does not query the database for callers that
 * had a balance a moment ago. Rejects with the error that the hold would give; resolves if the rows cannot be read.
 */
export function createFundsCheck(deps: FundsCheckDeps): (caller: Caller) => Promise<void> {
  // Bounded by size, because `max` would allocate the memory for all entries at once.
  const solvent = new LRUCache<string, true>({
    maxSize: maxKnown,
    sizeCalculation: () => 1,
    ttl: assumeSolventMs,
  });
  const look = async (caller: Caller, key: string): Promise<void> => {
    const found = await deps.fundsOf(caller).catch(() => undefined);
    if (!found) return;
    const { balance, token, member } = found;
    if (token !== undefined && token <= 0)
      throw quotaRefusal(deps, new InsufficientQuota('token', token, 1), caller);
    if (member !== undefined && member <= 0)
      throw quotaRefusal(deps, new InsufficientQuota('member', member, 1), caller);
    if (balance <= 0) throw quotaRefusal(deps, new InsufficientQuota('account', balance, 1), caller);
    solvent.set(key, true);
  };
  return async (caller) => {
    const key = `${caller.accountId} ${caller.tokenId}`;
    if (!solvent.has(key)) await look(caller, key);
  };
}
