import { assertAmount } from '../plan/ops.ts';
import { InsufficientQuota } from '../plan/types.ts';
import { MissingRow, record, type VerbContext, type VerbLog, writeLog } from './context.ts';
import type { Moved } from './credit.ts';
import { lockAccounts, moveGrants } from './grants.ts';

/** A transfer between two wallets: a user's own and a team's. */
export interface MoveInput {
  /** Unique name, such as `team-in:<request id>`; a repetition changes nothing. */
  txn: string;
  from: number;
  to: number;
  /** Quota units; `all` for the amount that no hold claims. */
  amount: number | 'all';
  /** The actor, whose name is on the entries of both sides. */
  userId: number;
  note?: string;
  log?(amount: number): VerbLog;
}

/** The moved amount, and the source wallet before and after. */
export interface MovedBetween extends Moved {
  amount: number;
  /** Holds on the source wallet. */
  held: number;
}

/**
 * Moves money that no hold claims, with an entry on each side; the sum does not change. Throws InsufficientQuota if
 * less is free, and then nothing has moved.
 */
export async function move(context: VerbContext, input: MoveInput): Promise<MovedBetween> {
  const rows = await lockAccounts(context, [input.from, input.to]);
  const from = rows.find(({ id }) => id === input.from);
  const to = rows.find(({ id }) => id === input.to);
  if (!from || !to || from === to) throw new MissingRow('accounts', from ? input.to : input.from);
  const before = from.balance;
  const free = Math.max(0, before - from.held - from.expired);
  const amount = input.amount === 'all' ? free : input.amount;
  assertAmount(amount);
  const entry = { kind: 'team', user_id: input.userId, actor_id: input.userId, note: input.note ?? '' };
  const isNew = await record(context, {
    ...entry,
    txn: input.txn,
    account_id: input.from,
    account_delta: -amount || 0,
    outside_delta: amount,
  });
  if (!isNew) return { applied: context.repeated, before, after: before, amount, held: from.held };
  const { txn, userId } = input;
  if (!(await moveGrants(context, from, to, { txn, userId, amount })))
    throw new InsufficientQuota('account', free, amount);
  await record(context, {
    ...entry,
    txn: `${input.txn}:to`,
    account_id: input.to,
    account_delta: amount,
    outside_delta: -amount || 0,
  });
  await writeLog(context, input.userId, input.log?.(amount), before, before - amount);
  return { applied: true, before, after: before - amount, amount, held: from.held };
}
