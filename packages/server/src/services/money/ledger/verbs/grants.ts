import { keptText, logType } from '@tollgate/contract';
import { faultPoint } from '../../../../lib/fault-point.ts';
import {
  balances,
  type Db,
  type GrantRow,
  grants as grantRows,
  ledger,
  type NewGrant,
  teams,
} from '../../../../store/index.ts';
import {
  giveBackInOrder,
  keptIds,
  type SettledGrants,
  settleGrants,
  shareOfPrice,
  takeInOrder,
} from '../plan/grants.ts';
import { MissingRow, record, type VerbContext, writeLog } from './context.ts';

/** The row of an account that this transaction has locked. */
type LockedAccount = Awaited<ReturnType<typeof balances.lockAccounts>>[number];

/** Terms of a credit. */
export interface GrantTerms {
  source:
    | 'topup'
    | 'stripe'
    | 'redeem'
    | 'gift'
    | 'invite'
    | 'admin'
    | 'import'
    | 'refund'
    | 'balance'
    | 'plan';
  /** Hundredths of the currency of payment; absent for a gift. */
  paid?: number;
  refundable?: boolean;
  /** Unix seconds; absent or 0 for never. */
  expiresAt?: number;
}

/** Used grants that a refund looks at, newest first. */
const refundedAtOnce = 50;

/** Locks an account and returns its row. Grants that have expired are settled first. */
export async function lockAccount(context: VerbContext, id: number): Promise<LockedAccount> {
  const [row] = await lockAccounts(context, [id]);
  if (!row) throw new MissingRow('accounts', id);
  return row;
}

/** Locks accounts, in the order of their ids. Grants that have expired are settled first. */
export async function lockAccounts(context: VerbContext, ids: Iterable<number>): Promise<LockedAccount[]> {
  const rows = await balances.lockAccounts(context.db, ids);
  for (const { id } of rows) context.touched.accounts.add(id);
  const settled: LockedAccount[] = [];
  for (const row of rows) settled.push(isDue(row, context.at) ? await settle(context, row) : row);
  return settled;
}

const isDue = ({ next_expiry: end, expired }: LockedAccount, at: number): boolean =>
  expired > 0 || (end > 0 && end <= at);

/** Settles the grants of an account that are due. */
export async function settleExpiry(context: VerbContext, accountId: number): Promise<void> {
  await lockAccount(context, accountId);
}

/** Takes the use from the grants of a locked account, and books what has expired. Returns its new row. */
async function settle(context: VerbContext, account: LockedAccount): Promise<LockedAccount> {
  return (await settled(context, account)).account;
}

/** The settled grants of a locked account, with a rest. */
async function settled(
  context: VerbContext,
  account: LockedAccount,
): Promise<{ account: LockedAccount; grants: GrantRow[] }> {
  const { db, at } = context;
  const { id, balance } = account;
  // A release from before grants, which ran during the update, credited without one.
  const missing = balance - account.granted;
  if (missing > 0)
    await insertGrant(
      context,
      account,
      { source: 'balance' },
      missing,
      `balance:${id}:${at}:${account.granted}:${balance}`,
    );
  const rows = await grantRows.lockWithRest(db, id);
  const before = rows.map(({ remain, kept_for: keptFor }) => ({ remain, keptFor }));
  const done = settleGrants(rows, await readUse(db, account, rows, at));
  for (const [index, row] of rows.entries()) {
    const { remain, keptFor } = before[index]!;
    if (row.remain === remain && row.kept_for === keptFor) continue;
    await grantRows.setRest(db, { id: row.id, remain }, { remain: row.remain, keptFor: row.kept_for });
  }
  const expired = await bookExpirations(context, account, done);
  const after: LockedAccount = {
    ...account,
    balance: balance - expired,
    granted: balance - expired,
    next_expiry: done.nextExpiry,
    expired: done.expired,
  };
  await writeAccount(context, account, after);
  faultPoint('grants-in-transaction');
  return { account: after, grants: rows.filter(({ remain }) => remain > 0) };
}

/** Reads what settling the grants of a locked account needs. */
async function readUse(
  db: Db,
  { id, balance, granted }: Pick<LockedAccount, 'id' | 'balance' | 'granted'>,
  grants: readonly GrantRow[],
  at: number,
): Promise<Parameters<typeof settleGrants>[1]> {
  const used = Math.max(0, granted - balance);
  const hasEnded = grants.some(
    ({ expires_at: end, kept_for: ids }) => ids !== '' || (end !== 0 && end <= at),
  );
  if (!hasEnded) return { used, at, holds: new Map(), charges: new Map() };
  const holds = new Map(
    (await grantRows.holdsOf(db, id)).map((hold) => [hold.request_id, hold.amount] as const),
  );
  const ended = new Set(grants.flatMap(keptIds).filter((requestId) => !holds.has(requestId)));
  const entries = ended.size === 0 ? [] : await ledger.findSettled(db, [...ended]);
  const charges = new Map(entries.map((entry) => [entry.txn, 0 - entry.account_delta] as const));
  return { used, at, holds, charges };
}

/** Appends an entry and a log row for each expiration. Returns the sum. */
async function bookExpirations(
  context: VerbContext,
  { id, balance }: LockedAccount,
  { expirations }: SettledGrants<GrantRow>,
): Promise<number> {
  let sum = 0;
  for (const { grant, amount } of expirations) {
    const team = await teams.findByAccount(context.db, id);
    const isNew = await record(context, {
      // The rest of a grant only decreases, so each of its expirations has a name of its own.
      txn: `expire:${grant.id}:${grant.remain}`,
      kind: 'expire',
      account_id: id,
      user_id: grant.user_id,
      account_delta: -amount,
      outside_delta: amount,
      note: JSON.stringify({ grant: grant.id, source: grant.source, expires_at: grant.expires_at }),
    });
    if (!isNew) throw new Error(`grant ${grant.id} has expired before`);
    const content = keptText('creditExpired', { amount: context.amountText(amount) });
    const log = { type: logType.system, content, ...(team && { teamId: team.id }) };
    if (grant.user_id !== 0)
      await writeLog(context, grant.user_id, log, balance - sum, balance - sum - amount);
    sum += amount;
  }
  return sum;
}

/** Writes the figures of a locked account that differ. Throws if its balance would be less than 0. */
async function writeAccount({ db }: VerbContext, before: LockedAccount, after: LockedAccount): Promise<void> {
  const { id, balance, granted, next_expiry: nextExpiry, expired } = after;
  const isSame =
    balance === before.balance &&
    granted === before.granted &&
    nextExpiry === before.next_expiry &&
    expired === before.expired;
  if (isSame) return;
  const figures = { balance: balance - before.balance, granted, nextExpiry, expired };
  if (!(await grantRows.writeFigures(db, id, figures)))
    throw new Error(`account ${id} is not as it was read`);
}

async function insertGrant(
  { db, at }: VerbContext,
  account: Pick<LockedAccount, 'id'>,
  { source, paid = 0, refundable = false, expiresAt = 0 }: GrantTerms,
  amount: number,
  txn: string,
  userId = 0,
): Promise<void> {
  const row: NewGrant = {
    account_id: account.id,
    user_id: userId,
    txn,
    source,
    amount,
    remain: amount,
    paid,
    refundable: refundable ? 1 : 0,
    expires_at: expiresAt,
    created_at: at,
  };
  await grantRows.insert(db, [row]);
}

/** The ledger entry of a credit, and the user who gets it. */
interface CreditEntry {
  txn: string;
  userId: number;
  /** Quota units. */
  amount: number;
}

/**
 * Adds a credit with its grant to a locked account. No balance grows in another way, except by what is returned to it
 * (`returnCredit`). Returns its new row.
 */
export async function addGrant(
  context: VerbContext,
  locked: LockedAccount,
  { txn, userId, amount }: CreditEntry,
  terms: GrantTerms,
): Promise<LockedAccount> {
  if (amount === 0) return locked;
  const account = await settle(context, locked);
  await insertGrant(context, account, terms, amount, txn, userId);
  const { expiresAt = 0 } = terms;
  const after = {
    ...account,
    balance: account.balance + amount,
    granted: account.granted + amount,
    next_expiry: firstExpiry(account.next_expiry, expiresAt),
  };
  await writeAccount(context, account, after);
  return after;
}

/** The first expiry to come of grants; 0 for none. */
function soonestEnd(grants: readonly GrantRow[]): number {
  const ends = grants.flatMap(({ remain, expires_at: end, kept_for: ids }) =>
    remain > 0 && end > 0 && ids === '' ? [end] : [],
  );
  return ends.length === 0 ? 0 : Math.min(...ends);
}

/** The sooner of two times; 0 is never. */
const firstExpiry = (one: number, other: number): number =>
  one === 0 || other === 0 ? one + other : Math.min(one, other);

/**
 * Returns an amount to a locked account. It goes back to the grants that were used last. What they do not take, because
 * its grant has expired, becomes a grant without an expiry.
 */
export async function returnCredit(
  context: VerbContext,
  locked: LockedAccount,
  { txn, userId, amount }: CreditEntry,
): Promise<void> {
  if (amount === 0) return;
  const account = await settle(context, locked);
  const used = await grantRows.lockUsed(context.db, account.id, context.at, refundedAtOnce);
  const before = used.map(({ remain }) => remain);
  const left = giveBackInOrder(used, amount);
  let nextExpiry = account.next_expiry;
  for (const [index, grant] of used.entries()) {
    const remain = before[index]!;
    if (grant.remain === remain) continue;
    await grantRows.setRest(context.db, { id: grant.id, remain }, grant);
    nextExpiry = firstExpiry(nextExpiry, grant.expires_at);
  }
  if (left > 0) await insertGrant(context, account, { source: 'refund' }, left, txn, userId);
  const after = {
    ...account,
    balance: account.balance + amount,
    granted: account.granted + amount,
    next_expiry: nextExpiry,
  };
  await writeAccount(context, account, after);
}

/**
 * Takes what is left of a grant and not held from a locked account, and ends its refundability. Returns the amount; 0
 * changes nothing. What is left was not paid for any more: its amount and price shrink with it, so that no later refund
 * of a call fills it again.
 */
export async function closeGrant(context: VerbContext, locked: LockedAccount, id: number): Promise<number> {
  const { account, grants } = await settled(context, locked);
  const grant = grants.find((each) => each.id === id);
  const free = account.balance - account.held - account.expired;
  const quota = Math.min(grant?.remain ?? 0, Math.max(0, free));
  if (!grant || quota === 0) return 0;
  const after = {
    amount: grant.amount - quota,
    remain: grant.remain - quota,
    paid: grant.paid - shareOfPrice(grant, quota),
  };
  await grantRows.shrink(context.db, grant, after);
  grant.remain = after.remain;
  await writeAccount(context, account, {
    ...account,
    balance: account.balance - quota,
    granted: account.granted - quota,
    next_expiry: soonestEnd(grants),
  });
  return quota;
}

/**
 * Moves an amount between two locked accounts. Each part keeps source, expiry and its share of the price. False if the
 * first account has less that is neither held nor expired.
 */
export async function moveGrants(
  context: VerbContext,
  lockedFrom: LockedAccount,
  lockedTo: LockedAccount,
  { txn, userId, amount }: CreditEntry,
): Promise<boolean> {
  const { account: from, grants } = await settled(context, lockedFrom);
  if (from.balance - from.held - from.expired < amount) return false;
  if (amount === 0) return true;
  const parts = takeInOrder(movableOf(grants), amount);
  let to = lockedTo;
  for (const [index, { grant, amount: part }] of parts.entries()) {
    const { id, remain } = grant;
    await grantRows.setRest(context.db, { id, remain: remain + part }, { remain });
    const terms = {
      source: grant.source as GrantTerms['source'],
      paid: shareOfPrice(grant, part),
      refundable: grant.refundable === 1,
      expiresAt: grant.expires_at,
    };
    to = await addGrant(context, to, { txn: `${txn}:${index}`, userId, amount: part }, terms);
  }
  await writeAccount(context, from, lessBy(from, amount, grants));
  return true;
}

/**
 * Takes the price of a plan from a locked account. Credit of plans does not count: it would pay for more credit than it
 * cost. False if less is there that is neither held nor expired.
 */
export async function spendGrants(
  context: VerbContext,
  locked: LockedAccount,
  amount: number,
): Promise<boolean> {
  const { account, grants } = await settled(context, locked);
  const usable = movableOf(grants).filter(({ source }) => source !== 'plan');
  const there = usable.reduce((sum, { remain }) => sum + remain, 0);
  if (Math.min(there, account.balance - account.held - account.expired) < amount) return false;
  for (const { grant, amount: part } of takeInOrder(usable, amount))
    await grantRows.setRest(context.db, { id: grant.id, remain: grant.remain + part }, grant);
  await writeAccount(context, account, lessBy(account, amount, grants));
  return true;
}

/** Grants that are not kept for calls which ran at their expiry. */
const movableOf = (grants: readonly GrantRow[]): GrantRow[] =>
  grants.filter(({ kept_for: ids }) => ids === '');

/** An account after an amount was taken from its grants. */
const lessBy = (account: LockedAccount, amount: number, grants: readonly GrantRow[]): LockedAccount => ({
  ...account,
  balance: account.balance - amount,
  granted: account.granted - amount,
  next_expiry: soonestEnd(grants),
});
