import { hourOf } from '../../../../lib/clock.ts';
import {
  balances,
  budgetRows,
  ledger,
  logs,
  quotaLinesOf,
  teamMembers,
  teams,
  textOfLines,
} from '../../../../store/index.ts';
import { lockBudgets, MissingRow, record, type VerbContext } from './context.ts';
import { lockAccount, returnCredit } from './grants.ts';
import type { SettlementLog } from '../plan/types.ts';

/** The reason of the refund. */
export interface RefundUsageInput {
  /** Unique name, such as `task:<id>:refund`. */
  txn: string;
  /** The request with the charge to return. */
  requestId: string;
  /** Quota units to return, at most the charge; absent for the whole charge. */
  amount?: number;
  /** The log row of the refund; null if the charge has none, because calls were not logged. */
  log: SettlementLog | null;
  /** The hour whose sums include the charge; null if hours are not summed. */
  hourly: { modelName: string; username: string; at: number } | null;
}

/** The refunded amount. */
export interface Refunded {
  /** False if it was returned before, or nothing had been charged. */
  applied: boolean;
  /** Quota units. */
  amount: number;
}

/**
 * Returns the charge of a request to the balance, key, member's limit, budgets with an open window, and the totals of
 * all of them and of the channel. Once per `txn`. If the paying team is gone, its owner gets the amount.
 */
export async function refundUsage(context: VerbContext, input: RefundUsageInput): Promise<Refunded> {
  const { db } = context;
  const usage = await ledger.findByTxn(db, input.requestId);
  const charged = usage ? 0 - usage.account_delta : 0;
  const amount = Math.min(charged, input.amount ?? charged);
  if (!usage || amount <= 0) return { applied: false, amount: 0 };
  // A deleted team's wallet is emptied under this lock, so the team's state stays valid after it.
  const payer = await lockAccount(context, usage.account_id);
  const accountId = await findPayee(context, usage.account_id);
  const payee = accountId === payer.id ? payer : await lockAccount(context, accountId);
  const [token] = usage.token_id === 0 ? [] : await balances.lockTokens(db, [usage.token_id]);
  const [member] = usage.member_id === 0 ? [] : await balances.lockMembers(db, [usage.member_id]);
  const lines = await lockBudgets(context, quotaLinesOf(usage.budgets));
  const tokenDelta = token ? Math.min(amount, 0 - usage.token_delta) : 0;
  const memberDelta = member ? await limitBack(context, usage.member_id, usage.at, amount) : 0;
  const isNew = await record(context, {
    txn: input.txn,
    kind: 'refund',
    account_id: accountId,
    user_id: usage.user_id,
    token_id: usage.token_id,
    channel_id: usage.channel_id,
    account_delta: amount,
    outside_delta: -amount,
    token_delta: tokenDelta,
    member_id: usage.member_id,
    member_delta: memberDelta,
    budgets: textOfLines(quotaLinesOf(usage.budgets)),
    note: usage.note.includes('"uncounted"') ? '{"uncounted":true}' : '',
  });
  if (!isNew) return { applied: context.repeated, amount };
  await returnCredit(context, payee, { txn: input.txn, userId: usage.user_id, amount });
  if (token) await giveBack(context, 'tokens', usage.token_id, tokenDelta, amount);
  if (member) await giveBack(context, 'members', usage.member_id, memberDelta, amount);
  for (const { row, start } of lines) await budgetRows.addUsed(db, row, new Map([[start, -amount]]));
  // A charge of a team never counted as use of the user.
  const users = usage.member_id === 0 ? [[usage.user_id, { quota: -amount, requests: 0 }] as const] : [];
  await balances.write(db, [
    ...balances.userWrites(db, new Map(users)),
    ...balances.channelWrites(db, new Map([[usage.channel_id, -amount]])),
  ]);
  await writeRows(context, input, usage.user_id, amount);
  return { applied: true, amount };
}

async function writeRows(
  { db }: VerbContext,
  { hourly, log, requestId }: RefundUsageInput,
  userId: number,
  amount: number,
): Promise<void> {
  if (hourly) {
    const { at, modelName, username } = hourly;
    const hour = hourOf(at);
    await ledger.addHours(db, [{ userId, username, modelName, hour, tokens: 0, count: 0, quota: -amount }]);
  }
  if (!log) return;
  // Both or neither, because the check of the books compares them.
  await logs.refund(db, [{ requestId, quota: amount }]);
  await ledger.insertLogs(db, [{ log, quota: amount }]);
}

/** The account of the refund: the one that paid, or the owner's if the team was deleted. */
async function findPayee({ db }: VerbContext, accountId: number): Promise<number> {
  const team = await teams.findByAccount(db, accountId);
  if (!team || team.deleted_at === null) return accountId;
  const owner = await balances.findPayer(db, team.owner_id);
  if (!owner) throw new MissingRow('users', team.owner_id);
  return owner.account_id;
}

/** Refund to a member's limit; zero for use in a month that has ended. */
async function limitBack({ db }: VerbContext, memberId: number, usedAt: number, amount: number) {
  const member = await teamMembers.findById(db, memberId);
  return member && member.period_start > usedAt ? 0 : amount;
}

async function giveBack(
  context: VerbContext,
  table: 'tokens' | 'members',
  id: number,
  delta: number,
  used: number,
): Promise<void> {
  context.touched[table].add(id);
  await balances.giveBack(context.db, table === 'tokens' ? 'tokens' : 'team_members', id, { delta, used });
}
