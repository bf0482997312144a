import { LRUCache } from 'lru-cache';
import { InsufficientQuota } from '../../services/ledger/index.ts';
import { type HoldDeps, quotaRefusal } from '../hold/index.ts';
import type { Caller } from '../call/index.ts';

export interface FundsCheckDeps extends Pick<HoldDeps, 'showQuota'> {
  /** Balance of an account, what is left of a token and of a member's limit (undefined where there is none), in quota units. */
  fundsOf(
    caller: Caller,
  ): Promise<{ balance: number; token: number | undefined; member?: number | undefined }>;
}

/** So long it is taken for granted that a caller who had something still has. The hold decides in any case. */
const trustMs = 5_000;
const maxKnown = 50_000;

/**
 * Looks whether a caller has anything to pay with, before a body is read that may be long. Asks no database for
 * callers that had something a moment ago. Rejects with the refusal that the hold would give; resolves where the rows
 * cannot be read.
 */
export function createFundsCheck(deps: FundsCheckDeps): (caller: Caller) => Promise<void> {
  // Bounded by size: `max` takes the room for all at once.
  const solvent = new LRUCache<string, true>({ maxSize: maxKnown, sizeCalculation: () => 1, ttl: trustMs });
  const look = async (caller: Caller, key: string): Promise<void> => {
    const found = await deps.fundsOf(caller).catch(() => undefined);
    if (!found) return;
    const { balance, token, member } = found;
    if (token !== undefined && token <= 0)
      throw quotaRefusal(deps, new InsufficientQuota('token', token, 1), 1, caller);
    if (member !== undefined && member <= 0)
      throw quotaRefusal(deps, new InsufficientQuota('member', member, 1), 1, caller);
    if (balance <= 0) throw quotaRefusal(deps, new InsufficientQuota('account', balance, 1), 1, caller);
    solvent.set(key, true);
  };
  return async (caller) => {
    const key = `${caller.accountId} ${caller.tokenId}`;
    if (!solvent.has(key)) await look(caller, key);
  };
}
