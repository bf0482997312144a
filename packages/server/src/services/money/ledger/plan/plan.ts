import { linesOf, textOfLines } from '../../../../store/index.ts';
import {
  addHeld,
  beginWindows,
  budgetRefusal,
  freeOn,
  linesAt,
  moveHold,
  tokensOn,
  withTokens,
} from './budgets.ts';
import {
  type AccountEntry,
  type Books,
  type Changes,
  type HoldEntry,
  type MeterEntry,
  newChanges,
  usable,
} from './books.ts';
import type { ExtendOp, MarkOp, Op, ReleaseOp, ReserveOp } from './ops.ts';
import { settle } from './plan-settle.ts';
import { ExpiryDue, InsufficientQuota, LedgerUnavailable, type ReserveRequest } from './types.ts';

/** Free quota units of a meter beside its holds; Infinity without a limit or a meter. */
export const availableOf = (meter: MeterEntry | undefined): number =>
  !meter || meter.unlimited ? Infinity : meter.remain - meter.held;

/** Free quota units of the account, a limited token and a limited member beside their holds, without the budgets. */
function availableTo(books: Books, { accountId, tokenId, memberId = 0 }: ReserveRequest): number {
  const account = books.accounts.get(accountId);
  const free = account ? usable(account) - account.held : 0;
  return Math.min(free, availableOf(books.tokens.get(tokenId)), availableOf(books.members.get(memberId)));
}

/** Maximum part of the free amount that a hold takes beyond its need, so that other calls get some. */
const spareShare = 8;

/** Amount to hold of `free` quota units or tokens: the requested amount, and up to `upTo` if enough is free. */
export function amountWithin(free: number, amount: number, upTo = amount): number {
  if (upTo <= amount) return amount;
  const spare = Math.floor(Math.max(0, free - amount) / spareShare);
  return amount + Math.min(upTo - amount, spare);
}

/** The present hold of a call on each of its rows; zeros before it starts. */
type OwnHold = Pick<HoldEntry['row'], 'amount' | 'token_amount' | 'member_amount'>;

/**
 * Refuses an amount that the account, a limited token or a limited member does not cover beside other holds. If several
 * are short, one that no release of holds would cover decides.
 */
function refusal(
  books: Books,
  { accountId, tokenId, memberId = 0 }: Pick<ReserveRequest, 'accountId' | 'tokenId' | 'memberId'>,
  amount: number,
  own?: OwnHold,
): InsufficientQuota | undefined {
  const account = books.accounts.get(accountId);
  let found: InsufficientQuota | undefined;
  if (!account || usable(account) - account.held < amount) {
    found = account ? shortAccount(account, amount, own) : new InsufficientQuota('account', 0, amount);
    if (!found.isHeld) return found;
  }
  if (tokenId !== 0) {
    const short = shortage('token', books.tokens.get(tokenId), amount, own?.token_amount);
    if (short && !short.isHeld) return short;
    found ??= short;
  }
  if (memberId === 0) return found;
  const short = shortage('member', books.members.get(memberId), amount, own?.member_amount);
  return short && !short.isHeld ? short : (found ?? short);
}

function shortAccount(
  account: AccountEntry,
  amount: number,
  own?: Pick<OwnHold, 'amount'>,
  isDue = false,
): InsufficientQuota {
  const { id, held, expired } = account;
  const free = usable(account) - held;
  const unheld = usable(account) - (own?.amount ?? 0);
  if (isDue || expired > 0) return new ExpiryDue(id, isDue, free, amount, unheld);
  return new InsufficientQuota('account', free, amount, unheld);
}

/** Refuses an amount if a grant of the account has expired and is not settled: it might pay with expired money. */
function expiryRefusal(
  books: Books,
  accountId: number,
  amount: number,
  at: number,
  own?: OwnHold,
): InsufficientQuota | undefined {
  const account = books.accounts.get(accountId);
  if (!account || account.nextExpiry === 0 || at < account.nextExpiry) return undefined;
  return shortAccount(account, amount, own, true);
}

/** The decisive shortage of two: one that no release of holds would cover, otherwise the first. */
const decisive = (
  first: InsufficientQuota | undefined,
  second: InsufficientQuota | undefined,
): InsufficientQuota | undefined =>
  second && !second.isHeld && (first?.isHeld ?? true) ? second : (first ?? second);

function shortage(
  reason: 'token' | 'member',
  meter: MeterEntry | undefined,
  amount: number,
  own = 0,
): InsufficientQuota | undefined {
  if (!meter) return new InsufficientQuota(reason, 0, amount);
  if (availableOf(meter) >= amount) return undefined;
  return new InsufficientQuota(reason, meter.remain - meter.held, amount, meter.remain - own);
}

/**
 * Adds `amount` to the claims of the hold on its account, its limited token, its limited member and its budgets.
 *
 * @param calls - 1 if the hold begins, otherwise 0
 */
export function claim(books: Books, changes: Changes, hold: HoldEntry, amount: number, calls: 0 | 1): void {
  const { row } = hold;
  const account = books.accounts.get(row.account_id);
  const token = books.tokens.get(row.token_id);
  row.amount += amount;
  changes.holds.add(hold);
  if (account) {
    account.held += amount;
    changes.accounts.add(account);
  }
  if (token && !token.unlimited) {
    row.token_amount += amount;
    token.held += amount;
    changes.tokens.add(token);
  }
  if (row.budgets !== '') addHeld(books, changes, linesOf(row.budgets), amount, calls);
  if (row.member_id === 0) return;
  const member = books.members.get(row.member_id);
  if (member && !member.unlimited) {
    row.member_amount += amount;
    member.held += amount;
    changes.members.add(member);
  }
}

/** Marks a hold with a waiting caller or a dependent step: it is written with the next batch. */
export function endDeferral({ by }: HoldEntry): void {
  if (by) by.deferredUntil = 0;
}

function reserve(books: Books, changes: Changes, op: ReserveOp): void {
  // A repeated request already has its hold.
  const existing = books.holds.get(op.requestId);
  if (existing) {
    op.amount = existing.row.amount;
    endDeferral(existing);
    return;
  }
  const { request } = op;
  op.error = expiryRefusal(books, request.accountId, request.amount, op.at);
  if (op.error) return;
  const inside = request.budgets && linesAt(books, request.budgets, op.at);
  let free = availableTo(books, request);
  if (inside) free = Math.min(free, freeOn(books, inside, 'quota'));
  if (!op.announced) {
    op.amount = amountWithin(free, request.amount, request.upTo);
    if (inside)
      op.tokens = amountWithin(freeOn(books, inside, 'tokens'), request.tokens ?? 0, request.upToTokens);
  }
  const lines = inside && withTokens(inside, op.tokens);
  const refused = refusal(books, request, op.amount);
  op.error = lines
    ? decisive(refused, budgetRefusal(books, lines, op, { at: op.at, calls: request.calls }))
    : refused;
  if (op.error) return;
  if (lines) beginWindows(books, changes, lines);
  op.budgets = lines ? textOfLines(lines) : '';
  const hold: HoldEntry = {
    row: {
      request_id: op.requestId,
      account_id: request.accountId,
      user_id: request.userId,
      token_id: request.tokenId,
      channel_id: request.channelId,
      amount: 0,
      token_amount: 0,
      member_id: request.memberId ?? 0,
      member_amount: 0,
      progress: 0,
      at: op.at,
      node: op.node,
      request: request.request,
      budgets: op.budgets,
    },
    newRequest: undefined,
    stored: false,
    open: true,
    by: op,
    deferredUntil: op.deferredUntil,
  };
  books.holds.set(op.requestId, hold);
  claim(books, changes, hold, op.amount, 1);
}

function extend(books: Books, changes: Changes, op: ExtendOp): void {
  const hold = books.holds.get(op.requestId);
  op.granted = false;
  if (!hold) {
    op.error = new LedgerUnavailable();
    return;
  }
  endDeferral(hold);
  const before = hold.row.budgets === '' ? undefined : linesOf(hold.row.budgets);
  const tokens = before && tokensOn(before);
  if (op.to === 0) op.to = hold.row.amount + op.more;
  op.toTokens ??= (tokens ?? 0) + op.moreTokens;
  const more = Math.max(0, op.to - hold.row.amount);
  const moreTokens = tokens === undefined ? 0 : Math.max(0, op.toTokens - tokens);
  if (more > 0 || moreTokens > 0) {
    const { account_id: accountId, token_id: tokenId, member_id: memberId } = hold.row;
    op.error = more > 0 ? expiryRefusal(books, accountId, more, op.at, hold.row) : undefined;
    if (op.error) return;
    const ids = before?.map(({ id }) => id);
    const lines = ids && linesAt(books, ids, op.at, (tokens ?? 0) + moreTokens);
    let refused = more > 0 ? refusal(books, { accountId, tokenId, memberId }, more, hold.row) : undefined;
    if (lines) {
      const own = { amount: hold.row.amount, tokens: tokens ?? 0, lines: before ?? [] };
      const wanted = { amount: more, tokens: moreTokens };
      refused = decisive(refused, budgetRefusal(books, lines, wanted, { at: op.at, own }));
    }
    if (refused?.isHeld || refused?.budget || refused instanceof ExpiryDue) op.error = refused;
    if (refused) return;
    if (lines) {
      beginWindows(books, changes, lines);
      moveHold(books, changes, hold, lines);
    }
    claim(books, changes, hold, more, 0);
  }
  op.budgets = hold.row.budgets;
  op.granted = true;
}

/** True if a hold has a budget in tokens. */
export const countsTokens = ({ budgets }: Pick<HoldEntry['row'], 'budgets'>): boolean =>
  budgets.includes('=');

function mark(books: Books, changes: Changes, op: MarkOp): void {
  const hold = books.holds.get(op.requestId);
  // Marks only increase: delivered output stays delivered, regardless of the clock or the order of calls.
  if (!hold || hold.row.progress > op.progress) return;
  // Output that costs no more may have more tokens; marks of an answer are made one after the other.
  if (hold.row.progress === op.progress && (op.tokens === 0 || !countsTokens(hold.row))) return;
  hold.row.progress = op.progress;
  hold.newRequest = op.request ?? hold.newRequest;
  endDeferral(hold);
  changes.holds.add(hold);
}

/** A hold in both units. */
const all = { amount: Infinity, tokens: Infinity };

/**
 * Returns the claims of the hold and removes it; its row is deleted with the batch. With `part`, returns the claims of
 * at most this amount, and the hold stays with the rest.
 */
function drop(books: Books, changes: Changes, hold: HoldEntry, part = all): void {
  const { row } = hold;
  const amount = Math.min(part.amount, row.amount);
  const ofToken = Math.min(part.amount, row.token_amount);
  const ofMember = Math.min(part.amount, row.member_amount);
  const account = books.accounts.get(row.account_id);
  const token = books.tokens.get(row.token_id);
  if (account && amount > 0) {
    account.held -= amount;
    changes.accounts.add(account);
  }
  if (token && ofToken > 0) {
    token.held -= ofToken;
    changes.tokens.add(token);
  }
  const member = ofMember > 0 ? books.members.get(row.member_id) : undefined;
  if (member) {
    member.held -= ofMember;
    changes.members.add(member);
  }
  const isOver = part === all;
  if (row.budgets !== '') {
    const lines = linesOf(row.budgets);
    const held = tokensOn(lines) ?? 0;
    const tokens = Math.min(part.tokens, held);
    addHeld(books, changes, lines, -amount, isOver ? -1 : 0, -tokens);
    if (!isOver) row.budgets = textOfLines(withTokens(lines, held - tokens));
  }
  changes.holds.add(hold);
  if (isOver) {
    hold.open = false;
    books.holds.delete(row.request_id);
    return;
  }
  row.amount -= amount;
  row.token_amount -= ofToken;
  row.member_amount -= ofMember;
}

function release(books: Books, changes: Changes, op: ReleaseOp): void {
  const hold = books.holds.get(op.requestId);
  if (hold) drop(books, changes, hold);
}

/**
 * One step of the algorithm: decides by the figures in the books, changes them, and adds the required writes to
 * `changes`. It uses only its arguments: no clock, no database. The same steps on the same books always have the same
 * result.
 */
export function perform(books: Books, changes: Changes, op: Op): void {
  op.error = undefined;
  switch (op.kind) {
    case 'reserve':
      return reserve(books, changes, op);
    case 'extend':
      return extend(books, changes, op);
    case 'mark':
      return mark(books, changes, op);
    case 'settle':
      return settle(books, changes, op, drop);
    case 'release':
      return release(books, changes, op);
  }
}

/** Performs operations in order and returns their combined changes. */
export function plan(books: Books, ops: readonly Op[]): Changes {
  const changes = newChanges();
  for (const op of ops) perform(books, changes, op);
  return changes;
}
