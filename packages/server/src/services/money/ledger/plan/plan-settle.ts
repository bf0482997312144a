import { hourOf } from '../../../../lib/clock.ts';
import { type LedgerEntry, lateTxn, linesOf, textOfLines } from '../../../../store/index.ts';
import { addUsed, coveredBy, linesOfCharge, tokensOn, withTokens } from './budgets.ts';
import { payable, type Payer, type SettleOp } from './ops.ts';
import type { Books, Changes, HoldEntry, MeterEntry, Recovered, SettledBefore } from './books.ts';
import { type Settlement, UnknownHold } from './types.ts';

/** The note of a request that is never charged. */
export const voidNote = JSON.stringify({ void: true, uncounted: true });

/** Ends a hold, or lowers it by a part. */
type Drop = (
  books: Books,
  changes: Changes,
  hold: HoldEntry,
  part?: { amount: number; tokens: number },
) => void;

/** The charge of a settlement and its payer. */
interface Charge {
  payer: Payer;
  charged: number;
  writtenOff: number;
  tokenDelta: number;
  /** The part that the allowance of a limited token did not cover; it was charged to the balance. */
  tokenShort: number;
  memberDelta: number;
  /** The part that a member's limit did not cover; it was charged to the balance. */
  memberShort: number;
}

/**
 * Ends a hold with its cost: paid from the hold, then from the free balance; the rest is a loss. A settled request
 * keeps its first settlement; only a charge of recovery at a mark is raised to the cost. If the hold was refused, the
 * settlement fails too, because no byte was delivered. Without a hold (recovery released it while this process was
 * frozen), the payer is charged from the free amount. A part of another hold lowers it by the charge.
 */
export function settle(books: Books, changes: Changes, op: SettleOp, drop: Drop): void {
  const hold = books.holds.get(op.partOf ?? op.requestId);
  const before = changes.settled.get(op.requestId) ?? books.settled.get(op.requestId);
  const payer = hold?.row ?? op.payer;
  const { keyed } = op.settlement;
  const claim = keyed && (changes.keyedCalls.get(keyed.name)?.request_id ?? books.claims.get(keyed.name));
  if (before) {
    if (keyed && !claim) changes.keyedCalls.set(keyed.name, keyed);
    if (hold && op.partOf === undefined) drop(books, changes, hold);
    const { charged, writtenOff, accountId } = settleLate(books, changes, op, before);
    // The operation that voided a request does not know its payer.
    const account = books.accounts.get(accountId || (payer?.account_id ?? 0));
    op.result = { charged, writtenOff, balance: account?.balance ?? 0 };
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
  if (claim && claim !== op.requestId) {
    settleUnpaid(books, changes, op, payer);
    if (hold) drop(books, changes, hold);
    return;
  }
  if (keyed && !claim) changes.keyedCalls.set(keyed.name, keyed);
  const { amount, most, tokens = 0 } = op.settlement;
  const charge = collect(books, changes, { amount, most, tokens, payer, hold, at: op.at, calls: 1 });
  if (hold)
    drop(books, changes, hold, op.partOf === undefined ? undefined : { amount: charge.charged, tokens });
  addTotals(changes, op, payer, charge.charged);
  changes.entries.push(entryOf(op, charge, hold === undefined));
  if (op.settlement.log && !op.withoutLog)
    changes.logs.push({ log: op.settlement.log, quota: charge.charged });
  const { charged, writtenOff } = charge;
  const accountId = payer.account_id;
  changes.settled.set(op.requestId, { charged, writtenOff, accountId, recovered: recoveredBy(op) });
  op.result = { charged, writtenOff, balance: books.accounts.get(accountId)?.balance ?? 0 };
}

/**
 * A failover lost the key while this call ran, and the key belongs to another call now. That call is charged. This one
 * is never charged, regardless of the delivered output.
 */
function settleUnpaid(books: Books, changes: Changes, op: SettleOp, payer: Payer): void {
  const accountId = payer.account_id;
  const lines = withTokens(linesOf(payer.budgets), 0);
  const unpaid = { ...payer, budgets: textOfLines(lines) };
  const charge = { ...nothing, payer: unpaid, charged: 0, writtenOff: 0 };
  addUsed(books, changes, lines, 0, 1);
  changes.entries.push({ ...entryOf(op, charge, false), note: voidNote });
  changes.settled.set(op.requestId, { charged: 0, writtenOff: 0, accountId, recovered: undefined });
  op.result = { charged: 0, writtenOff: 0, balance: books.accounts.get(accountId)?.balance ?? 0 };
}

const recoveredBy = ({ remarks, at }: SettleOp): Recovered | undefined =>
  remarks?.hold === undefined
    ? undefined
    : { hold: remarks.hold, at: remarks.at ?? at, tokens: remarks.tokens ?? 0 };

/**
 * Settles a call of a process that was considered dead: recovery ended its hold at the last mark. The cost beyond the
 * mark is charged once, in a separate entry, up to the former hold; the rest is a loss. So are the tokens. Returns the sum of both
 * charges. Only the process of the call knows its payer, and so has the rows to change.
 */
function settleLate(books: Books, changes: Changes, op: SettleOp, before: SettledBefore): SettledBefore {
  const { recovered } = before;
  const { payer, settlement } = op;
  const booked = before.charged + before.writtenOff;
  const due = Math.max(0, settlement.amount - booked);
  if (!recovered || !payer || op.remarks) return before;
  const heldTokens = tokensOn(linesOf(payer.budgets)) ?? 0;
  const tokens = Math.max(0, Math.min(settlement.tokens ?? 0, heldTokens) - recovered.tokens);
  if (due === 0 && tokens === 0) return before;
  const covered = Math.min(due, Math.max(0, recovered.hold - booked));
  const rest = { amount: covered, tokens, payer, hold: undefined, at: op.at, calls: 0 } as const;
  const charge = collect(books, changes, rest);
  const { charged } = charge;
  charge.writtenOff = due - charged;
  changes.entries.push({ ...entryOf(op, charge, true), txn: lateTxn(op.requestId) });
  addUse(changes, payer, settlement.channelId, charged, 0);
  const { hourly } = settlement;
  if (hourly && !op.withoutLog) {
    const further = { ...hourly, at: recovered.at, tokens: hourly.tokens - recovered.tokens };
    addHour(changes, payer.user_id, further, charged, 0);
  }
  const after: SettledBefore = {
    charged: before.charged + charged,
    writtenOff: before.writtenOff + charge.writtenOff,
    accountId: before.accountId,
    recovered: undefined,
  };
  const log = op.withoutLog ? null : settlement.log;
  changes.corrections.push({ requestId: op.requestId, quota: after.charged, log });
  changes.settled.set(op.requestId, after);
  return after;
}

/** A charge, its payer, and its hold. */
interface AmountDue {
  /** Quota units. */
  amount: number;
  /** Tokens in and out. */
  tokens: number;
  /** Maximum amount to take; undefined for all. */
  most?: number | undefined;
  payer: Payer;
  hold: HoldEntry | undefined;
  /** Unix seconds. */
  at: number;
  /** 0 for the rest of a call that was charged before. */
  calls: 0 | 1;
}

/** Takes a charge from the balance and counts it on the limits, up to the amount that each covers. */
function collect(
  books: Books,
  changes: Changes,
  { amount, most = amount, tokens, payer, hold, at, calls }: AmountDue,
): Charge {
  const account = books.accounts.get(payer.account_id);
  const held = hold?.row.amount ?? 0;
  const lines = payer.budgets === '' ? undefined : linesOf(payer.budgets);
  let charged = 0;
  if (account) {
    let wanted = Math.min(amount, most);
    if (lines) wanted = Math.min(wanted, coveredBy(books, lines, held, at));
    charged = payable(wanted, held, account.balance, account.held + account.expired);
    account.balance -= charged;
    if (charged > 0) changes.accounts.add(account);
  }
  const charge = { ...nothing, payer, charged, writtenOff: amount - charged };
  if (lines) {
    const of = { lines, charged, tokens, held: hold?.row.amount, at };
    const counting = linesOfCharge(books, changes, of);
    addUsed(books, changes, counting, charged, calls);
    charge.payer = { ...payer, budgets: textOfLines(counting) };
  }
  const token = books.tokens.get(payer.token_id);
  if (token) {
    const taken = takeFrom(token, charged, hold?.row.token_amount ?? 0);
    token.accessedAt = at;
    changes.tokens.add(token);
    charge.tokenDelta = -taken || 0;
    charge.tokenShort = charged - taken;
  }
  const member = payer.member_id === 0 ? undefined : books.members.get(payer.member_id);
  if (member) {
    const taken = takeFrom(member, charged, hold?.row.member_amount ?? 0);
    changes.members.add(member);
    charge.memberDelta = -taken || 0;
    charge.memberShort = charged - taken;
  }
  return charge;
}

const nothing = { tokenDelta: 0, tokenShort: 0, memberDelta: 0, memberShort: 0 };

/** Counts a charge on a meter; returns the part that a limited one covers. */
function takeFrom(meter: MeterEntry, charged: number, held: number): number {
  const taken = meter.unlimited ? charged : payable(charged, held, meter.remain, meter.held);
  meter.remain -= taken;
  meter.used += charged;
  return taken;
}

/** Reverses a settlement that is planned but not written; only the end of the hold remains. */
export function unsettle(books: Books, changes: Changes, op: SettleOp, entry: LedgerEntry): void {
  const charged = 0 - entry.account_delta;
  const account = books.accounts.get(entry.account_id);
  if (account) account.balance += charged;
  const token = books.tokens.get(entry.token_id);
  if (token) {
    token.remain -= entry.token_delta;
    token.used -= charged;
  }
  const member = books.members.get(entry.member_id);
  if (member) {
    member.remain -= entry.member_delta;
    member.used -= charged;
  }
  addUsed(books, changes, linesOf(entry.budgets), -charged, -1);
  addTotals(changes, op, entry, charged, -1);
  changes.settled.delete(op.requestId);
  op.result = undefined;
}

/** Adds a settlement to used_quota, request_count and the hourly sums; `times` -1 subtracts it. */
function addTotals(changes: Changes, op: SettleOp, by: Caller, charged: number, times: 1 | -1 = 1): void {
  const { counts, channelId, hourly } = op.settlement;
  if (counts) addUse(changes, by, channelId, charged * times, times);
  if (!hourly || op.withoutLog) return;
  addHour(changes, by.user_id, { ...hourly, tokens: hourly.tokens * times }, charged * times, times);
}

/** The calling user, and the member of a paying team; 0 for a personal wallet. */
type Caller = Pick<Payer, 'user_id' | 'member_id'>;

/** Growth of the totals of a user and a channel. A charge of a team counts as use of its member only. */
function addUse(
  changes: Changes,
  { user_id: userId, member_id: memberId }: Caller,
  channelId: number,
  charged: number,
  requests: number,
): void {
  const quota = memberId === 0 ? charged : 0;
  const user = changes.users.get(userId);
  if (user) {
    user.quota += quota;
    user.requests += requests;
  } else changes.users.set(userId, { quota, requests });
  if (charged !== 0) changes.channels.set(channelId, (changes.channels.get(channelId) ?? 0) + charged);
}

/** Growth of the sums of an hour. */
function addHour(
  changes: Changes,
  userId: number,
  { at, username, modelName, tokens }: NonNullable<Settlement['hourly']>,
  quota: number,
  count: number,
): void {
  const hour = hourOf(at);
  const key = `${userId} ${hour} ${username} ${modelName}`;
  const sums = changes.hours.get(key);
  if (sums) {
    sums.tokens += tokens;
    sums.count += count;
    sums.quota += quota;
    return;
  }
  changes.hours.set(key, { userId, username, modelName, hour, tokens, count, quota });
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
  member_id: charge.payer.member_id,
  member_delta: charge.memberDelta,
  actor_id: 0,
  note: noteOf(op, charge, late),
  budgets: charge.payer.budgets,
});

/** Exceptional facts of a settlement as JSON; '' if there are none. */
function noteOf(op: SettleOp, charge: Charge, late: boolean): string {
  const isShort = charge.tokenShort > 0 || charge.memberShort > 0;
  if (op.settlement.counts && !late && !isShort && !op.remarks) return '';
  return JSON.stringify({
    ...op.remarks,
    ...(late && { late: true }),
    ...(charge.tokenShort > 0 && { token_short: charge.tokenShort }),
    ...(charge.memberShort > 0 && { member_short: charge.memberShort }),
    ...(!op.settlement.counts && { uncounted: true }),
  });
}
