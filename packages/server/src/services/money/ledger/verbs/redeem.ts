import { redemptionStatus } from '@tollgate/contract';
import { endOfDay } from '../../../../lib/calendar-windows.ts';
import { sha256 } from '../../../../lib/hash.ts';
import { redemptions } from '../../../../store/index.ts';
import { findPayer, topUpLog, type VerbContext } from './context.ts';
import { credit } from './credit.ts';

/** A code entered by a user. */
export interface RedeemInput {
  key: string;
  userId: number;
  /** The team that gets the amount; absent for the user's own wallet. */
  team?: { id: number; accountId: number };
  /** IANA name: the days in which the credit can be used end by this zone. */
  timeZone: string;
  /** Text of the log row, from the quota and the code's id (docs/compatibility.md#redemption-codes). */
  content(quota: number, redemptionId: number): string;
}

export type Redeemed =
  | { outcome: 'redeemed'; quota: number; redemptionId: number }
  /** Unknown or deleted code. */
  | { outcome: 'unknown' }
  /** Used or disabled. */
  | { outcome: 'used' }
  | { outcome: 'expired' };

/** Redeems a code and credits its quota; of concurrent attempts, one succeeds. */
export async function redeem(context: VerbContext, input: RedeemInput): Promise<Redeemed> {
  const code = await redemptions.findByHash(context.db, sha256(input.key));
  if (!code) return { outcome: 'unknown' };
  const { id: redemptionId, quota, use_within_days: days } = code;
  const isOurs = context.repeated && code.used_user_id === input.userId;
  if (isOurs) return { outcome: 'redeemed', quota, redemptionId };
  if (code.status !== redemptionStatus.unused) return { outcome: 'used' };
  if (code.expired_time > 0 && code.expired_time <= context.at) return { outcome: 'expired' };
  const payer = await findPayer(context, input.userId);
  if (!(await redemptions.use(context.db, redemptionId, input.userId, context.at))) {
    return { outcome: 'used' };
  }
  await credit(context, {
    txn: `redeem:${redemptionId}`,
    kind: 'redeem',
    accountId: input.team?.accountId ?? payer.account_id,
    userId: input.userId,
    amount: quota,
    terms: { expiresAt: days === 0 ? 0 : endOfDay(input.timeZone, context.at, days) },
    log: { ...topUpLog(input.content(quota, redemptionId)), ...(input.team && { teamId: input.team.id }) },
  });
  return { outcome: 'redeemed', quota, redemptionId };
}
