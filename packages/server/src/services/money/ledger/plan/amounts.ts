import { maxQuota } from '@tollgate/contract';

/** Refuses what is not a whole, non-negative amount of quota units that sums can hold exactly; `upTo` may be absent. */
export function assertAmount(amount: number, upTo = amount): void {
  for (const each of [amount, upTo]) {
    if (!Number.isSafeInteger(each) || each < 0 || each > maxQuota) {
      throw new RangeError(`not an amount of quota: ${each}`);
    }
  }
}

/**
 * How much of `amount` a balance pays: out of the hold taken for it, and beyond it out of what no other hold claims.
 * Never more than the balance, which may have been set below its holds since.
 */
export const payable = (amount: number, hold: number, balance: number, held: number): number =>
  Math.max(0, Math.min(amount, balance, Math.max(hold, balance - (held - hold))));
