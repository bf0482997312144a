import { assertAmount } from '../plan/ops.ts';
import { balances } from '../../../../store/index.ts';
import { InsufficientQuota } from '../plan/types.ts';
import { record, type VerbContext, type VerbLog, writeLog } from './context.ts';
import { addGrant, lockAccount } from './grants.ts';
import type { Moved } from './credit.ts';

/** A change by a difference, or to a value; the latter becomes a difference under the row's lock. */
export type Change = { by: number } | { to: number };

/** A change of a balance by an administrator. */
export interface AdjustInput {
  /** Unique name of this adjustment, such as `adjust:<request id>`. */
  txn: string;
  accountId: number;
  userId: number;
  change: Change;
  /** The administrator. */
  actorId: number;
  reason: string;
  /** Unix seconds at which an increase expires; absent or 0 for never. */
  expiresAt?: number;
  log?: VerbLog;
}

/** The difference between `now` and the changed value. Throws RangeError if it is not a whole amount. */
export function differenceOf(change: Change, now: number): number {
  if ('to' in change) {
    assertAmount(change.to);
    return change.to - now;
  }
  assertAmount(Math.abs(change.by));
  return change.by;
}

/** Changes a balance as a signed entry with actor and reason. Throws InsufficientQuota if it would be negative. */
export async function adjust(context: VerbContext, input: AdjustInput): Promise<Moved> {
  const account = await lockAccount(context, input.accountId);
  const { balance } = account;
  const delta = differenceOf(input.change, balance);
  if (balance + delta < 0) throw new InsufficientQuota('account', balance, -delta);
  const isNew = await record(context, {
    txn: input.txn,
    kind: 'adjust',
    account_id: input.accountId,
    user_id: input.userId,
    account_delta: delta,
    outside_delta: -delta || 0,
    actor_id: input.actorId,
    note: input.reason,
  });
  if (!isNew) return { applied: context.repeated, before: balance, after: balance };
  const { txn, userId } = input;
  const terms = { source: 'admin', expiresAt: input.expiresAt ?? 0 } as const;
  if (delta > 0) await addGrant(context, account, { txn, userId, amount: delta }, terms);
  else await balances.addToBalance(context.db, input.accountId, delta);
  await writeLog(context, input.userId, input.log, balance, balance + delta);
  return { applied: true, before: balance, after: balance + delta };
}
