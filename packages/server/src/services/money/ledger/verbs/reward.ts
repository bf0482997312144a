import { assertAmount } from '../plan/ops.ts';
import { balances } from '../../../../store/index.ts';
import { InsufficientQuota } from '../plan/types.ts';
import { MissingRow, findPayer, record, type VerbContext, type VerbLog, writeLog } from './context.ts';
import type { Moved } from './credit.ts';
import { addGrant, lockAccount } from './grants.ts';

/** A reward for inviting a user. */
export interface AddRewardInput {
  /** Unique name, such as `reward:<id of the invited user>`. */
  txn: string;
  inviterId: number;
  /** Quota units. */
  amount: number;
  note?: string;
  log?: VerbLog;
}

/** Adds a reward, which the inviter may later transfer to the balance. The ledger does not count invited users. */
export async function addReward(context: VerbContext, input: AddRewardInput): Promise<{ applied: boolean }> {
  assertAmount(input.amount);
  const user = await balances.lockUser(context.db, input.inviterId);
  if (!user) throw new MissingRow('users', input.inviterId);
  const isNew = await record(context, {
    txn: input.txn,
    kind: 'invite',
    user_id: input.inviterId,
    reward_delta: input.amount,
    outside_delta: -input.amount || 0,
    note: input.note ?? '',
  });
  if (!isNew) return { applied: context.repeated };
  await balances.addReward(context.db, input.inviterId, input.amount);
  await writeLog(context, input.inviterId, input.log, user.aff_quota, user.aff_quota + input.amount);
  return { applied: true };
}

/** A transfer of a reward to the user's own balance. */
export interface TransferRewardInput {
  /** Unique name, such as `transfer:<request id>`. */
  txn: string;
  userId: number;
  /** Quota units. */
  amount: number;
  log?: VerbLog;
}

/** Moves a reward to the balance; their sum does not change. Throws InsufficientQuota if the reward is smaller. */
export async function transferReward(context: VerbContext, input: TransferRewardInput): Promise<Moved> {
  assertAmount(input.amount);
  const { account_id: accountId } = await findPayer(context, input.userId);
  const account = await lockAccount(context, accountId);
  const { balance } = account;
  const user = await balances.lockUser(context.db, input.userId);
  // The payer was read before the locks; a user is never moved to another account while money moves.
  if (user?.account_id !== accountId) throw new MissingRow('users', input.userId);
  const isNew = await record(context, {
    txn: input.txn,
    kind: 'transfer',
    account_id: accountId,
    user_id: input.userId,
    account_delta: input.amount,
    reward_delta: -input.amount || 0,
  });
  if (!isNew) return { applied: context.repeated, before: balance, after: balance };
  const taken = await balances.takeReward(context.db, input.userId, input.amount);
  if (!taken) throw new InsufficientQuota('reward', user.aff_quota, input.amount);
  await addGrant(context, account, input, { source: 'invite' });
  await writeLog(context, input.userId, input.log, balance, balance + input.amount);
  return { applied: true, before: balance, after: balance + input.amount };
}
