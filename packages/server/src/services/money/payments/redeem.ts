import { AppError, keptText } from '@tollgate/contract';
import type { Clock } from '../../../lib/clock.ts';
import type { Ledger } from '../ledger/index.ts';
import type { Settings } from '../../site/settings/index.ts';
import { createAttempts } from '../../../lib/attempts.ts';
import type { Buyer } from './types.ts';
import { shownQuota } from './words.ts';

export interface RedeemDeps {
  ledger: Pick<Ledger, 'redeem'>;
  settings: Pick<Settings, 'get'>;
  clock: Clock;
}

/** Wrong codes that an account may try in an hour. Correct ones do not count. */
const maxGuesses = 10;
const hourMs = 3_600_000;

const refusals = {
  unknown: 'redeem_code_invalid',
  used: 'redeem_code_used',
  expired: 'redeem_code_expired',
} as const;

/** Redeems codes and limits guesses (docs/compatibility.md#redemption-codes). */
export function createRedeemer(
  deps: RedeemDeps,
): (buyer: Omit<Buyer, 'group'>, key: string) => Promise<number> {
  const { ledger, settings, clock } = deps;
  const guesses = createAttempts(maxGuesses, hourMs, clock);
  const content = (quota: number, redemptionId: number): string =>
    keptText('codeRedeemed', { amount: shownQuota(quota, settings), id: redemptionId });

  return async ({ id: userId, team }, key) => {
    if (key === '') throw new AppError('redeem_code_missing');
    // Counted before and returned after, so that simultaneous guesses are counted too.
    const retryAfter = guesses.take(userId);
    if (retryAfter > 0) throw new AppError('redeem_too_many_guesses', { retryAfter });
    const redeemed = await ledger
      .redeem({
        key,
        userId,
        timeZone: settings.get('AlarmTimeZone'),
        content,
        ...(team && { team }),
      })
      .catch((error: unknown) => {
        guesses.giveBack(userId);
        throw error;
      });
    if (redeemed.outcome !== 'redeemed') throw new AppError(refusals[redeemed.outcome]);
    guesses.giveBack(userId);
    return redeemed.quota;
  };
}
