import { payable } from './amounts.ts';
import type { Books, Changes, HoldEntry } from './books.ts';
import type { Payer, SettleOp } from './ops.ts';
import { UnknownHold } from './types.ts';

type Drop = (books: Books, changes: Changes, hold: HoldEntry) => void;

/** What a settlement takes, and from whom. */
interface Charge {
  payer: Payer;
  charged: number;
  writtenOff: number;
  tokenDelta: number;
  /** What a limited token's allowance could not cover; the money was charged all the same. */
  tokenShort: number;
}

/**
 * Ends a hold with its cost: paid from the hold, then from what is available, the rest booked as a loss. A request
 * that is settled already keeps its first settlement. A hold that turns out not to stand takes its settlement with it:
 * nobody was given a byte for it. Without a hold (recovery released it while this process was
 * frozen) the payer is charged what is available.
 */
export function settle(books: Books, changes: Changes, op: SettleOp, drop: Drop): void {
  const hold = books.holds.get(op.requestId);
  const before = books.settled.get(op.requestId) ?? changes.settled.get(op.requestId);
  const payer = hold?.row ?? op.payer;
  if (before) {
    if (hold) drop(books, changes, hold);
    const balance = books.accounts.get(before.accountId)?.balance ?? 0;
    op.result = { charged: before.charged, writtenOff: before.writtenOff, balance };
    return;
  }
  op.result = undefined;
  if (op.by?.error) {
    op.error = op.by.error;
    return;
  }
  if (!payer) {
    op.error = new UnknownHold(op.requestId);
    return;
  }
  const charge = collect(books, changes, op.settlement.amount, payer, hold, op.at);
  if (hold) drop(books, changes, hold);
  addTotals(changes, op, payer.user_id, charge.charged);
  changes.entries.push(entryOf(op, charge, hold === undefined));
  if (op.settlement.log && !op.bare) changes.logs.push({ log: op.settlement.log, quota: charge.charged });
  const { charged, writtenOff } = charge;
  const accountId = payer.account_id;
  changes.settled.set(op.requestId, { charged, writtenOff, accountId });
  op.result = { charged, writtenOff, balance: books.accounts.get(accountId)?.balance ?? 0 };
}

function collect(
  books: Books,
  changes: Changes,
  amount: number,
  payer: Payer,
  hold: HoldEntry | undefined,
  at: number,
): Charge {
  const account = books.accounts.get(payer.account_id);
  let charged = 0;
  if (account) {
    charged = payable(amount, hold?.row.amount ?? 0, account.balance, account.held);
    account.balance -= charged;
    if (charged > 0) changes.accounts.add(account);
  }
  const charge: Charge = { payer, charged, writtenOff: amount - charged, tokenDelta: 0, tokenShort: 0 };
  const token = books.tokens.get(payer.token_id);
  if (!token) return charge;
  const taken = token.unlimited
    ? charged
    : payable(charged, hold?.row.token_amount ?? 0, token.remain, token.held);
  token.remain -= taken;
  token.used += charged;
  token.accessedAt = at;
  changes.tokens.add(token);
  if (taken > 0) charge.tokenDelta = -taken;
  charge.tokenShort = charged - taken;
  return charge;
}

/** used_quota, request_count and the hourly sums. */
function addTotals(changes: Changes, op: SettleOp, userId: number, charged: number): void {
  const { settlement } = op;
  if (settlement.counts) {
    const user = changes.users.get(userId);
    if (user) {
      user.quota += charged;
      user.requests += 1;
    } else changes.users.set(userId, { quota: charged, requests: 1 });
    const { channelId } = settlement;
    if (charged > 0) changes.channels.set(channelId, (changes.channels.get(channelId) ?? 0) + charged);
  }
  const { hourly } = settlement;
  if (!hourly || op.bare) return;
  const hour = hourly.at - (hourly.at % 3600);
  const key = `${userId} ${hour} ${hourly.username} ${hourly.modelName}`;
  const sums = changes.hours.get(key);
  if (sums) {
    sums.tokens += hourly.tokens;
    sums.count += 1;
    sums.quota += charged;
    return;
  }
  const { username, modelName, tokens } = hourly;
  changes.hours.set(key, { userId, username, modelName, hour, tokens, count: 1, quota: charged });
}

/** The ledger row of a settlement: the payer and the loss on one side, revenue on the other. */
const entryOf = (op: SettleOp, charge: Charge, late: boolean) => ({
  txn: op.requestId,
  kind: 'usage',
  at: op.at,
  account_id: charge.payer.account_id,
  user_id: charge.payer.user_id,
  token_id: charge.payer.token_id,
  channel_id: op.settlement.channelId,
  account_delta: -charge.charged || 0,
  reward_delta: 0,
  writeoff_delta: -charge.writtenOff || 0,
  outside_delta: charge.charged + charge.writtenOff,
  token_delta: charge.tokenDelta,
  actor_id: 0,
  note: noteOf(op, charge, late),
});

/** What is out of the ordinary about a settlement, as JSON; '' when nothing is. */
function noteOf(op: SettleOp, charge: Charge, late: boolean): string {
  if (op.settlement.counts && !late && charge.tokenShort === 0 && !op.remarks) return '';
  return JSON.stringify({
    ...op.remarks,
    ...(late && { late: true }),
    ...(charge.tokenShort > 0 && { token_short: charge.tokenShort }),
    ...(!op.settlement.counts && { uncounted: true }),
  });
}
