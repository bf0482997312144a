import { balances, grants as grantRows, teams, topUps } from '../../../../store/index.ts';
import { topUpLog, record, type VerbContext, writeLog } from './context.ts';
import { type InvoiceIssuer, writeCreditNote } from './invoice.ts';
import { addGrant, closeGrant, lockAccount } from './grants.ts';

/** A top-up that the operator pays back at the payment provider. */
export interface RefundTopUpInput {
  tradeNo: string;
  /** The administrator. */
  actorId: number;
  reason: string;
  /** Text of the log row, from the quota that was taken back. */
  content(quota: number): string;
  /** True if the payment was paid back in full, with taxes, however much credit is left. */
  inFull?: boolean;
  /** The seller of a credit note; by default that of the invoice. */
  issuer?: InvoiceIssuer | undefined;
  /**
   * Hundredths that were paid back, for the credit note; null before that is known, then a repetition writes the note.
   * By default the share of what was taken.
   */
  paid?: bigint | null;
}

export type RefundedTopUp =
  /** Quota units that were taken from the wallet, now or before. */
  | { outcome: 'refunded' | 'already'; userId: number; quota: number }
  /** Unknown or uncredited order; one from before grants; nothing is left of it; calls hold all that is left. */
  | { outcome: 'refused'; reason: 'unknown' | 'open' | 'untracked' | 'used' | 'held' };

/**
 * Takes what is left of a top-up from the wallet and ends its grant: never more than its rest, and nothing that running
 * calls hold. Credit that was moved to another wallet is not taken back.
 */
export async function refundTopUp(context: VerbContext, input: RefundTopUpInput): Promise<RefundedTopUp> {
  const { db } = context;
  const { tradeNo } = input;
  const order = await topUps.findByTradeNo(db, tradeNo);
  if (!order) return { outcome: 'refused', reason: 'unknown' };
  const { user_id: userId } = order;
  if (order.status === 'refunded') {
    if (input.paid && order.invoice !== '' && order.credit_note === '') await addNote(context, input);
    return { outcome: 'already', userId, quota: order.refunded };
  }
  if (order.status !== 'success') return closeOpen(context, order, input);
  const grant = await grantRows.findByTxn(db, `topup:${tradeNo}`);
  if (!grant) return { outcome: 'refused', reason: 'untracked' };
  const account = await lockAccount(context, grant.account_id);
  const now = await topUps.findByTradeNo(db, tradeNo);
  if (now?.status === 'refunded') return { outcome: 'already', userId, quota: now.refunded };
  const quota = await closeGrant(context, account, grant.id);
  if (quota === 0)
    return { outcome: 'refused', reason: (await restOf(context, grant.id)) > 0 ? 'held' : 'used' };
  if (!(await topUps.refund(db, tradeNo, quota))) throw new Error(`order ${tradeNo} is not as it was read`);
  const isNew = await record(context, {
    txn: `topup:${tradeNo}:refund`,
    kind: 'topup_refund',
    account_id: account.id,
    user_id: userId,
    account_delta: -quota,
    outside_delta: quota,
    actor_id: input.actorId,
    note: input.reason,
  });
  if (!isNew) throw new Error(`order ${tradeNo} was refunded before`);
  await returnPrice(context, order, quota, account.id);
  const team = await teams.findByAccount(db, account.id);
  const log = { ...topUpLog(input.content(quota)), ...(team && { teamId: team.id }) };
  // An erased buyer has no log.
  if (await balances.findPayer(db, userId))
    await writeLog(context, userId, log, account.balance, account.balance - quota);
  if (order.invoice !== '' && input.paid !== null) {
    const { inFull = false, issuer, paid } = input;
    await writeCreditNote(context, tradeNo, { quota, inFull, issuer, paid });
  }
  return { outcome: 'refunded', userId, quota };
}

/** Writes the credit note of an order whose credit was taken before. */
async function addNote(context: VerbContext, { tradeNo, issuer, paid }: RefundTopUpInput): Promise<void> {
  const grant = await grantRows.findByTxn(context.db, `topup:${tradeNo}`);
  // So that of two repetitions one writes it.
  if (grant) await lockAccount(context, grant.account_id);
  const order = await topUps.findByTradeNo(context.db, tradeNo);
  if (order?.credit_note !== '') return;
  await writeCreditNote(context, tradeNo, { quota: order.refunded, inFull: false, issuer, paid });
}

/** Ends an order that was paid back in full before it was credited, so that it is never credited. */
async function closeOpen(
  context: VerbContext,
  { status, provider, user_id: userId }: topUps.TopUpRow,
  input: RefundTopUpInput,
): Promise<RefundedTopUp> {
  const { db, at } = context;
  const { tradeNo, inFull = false } = input;
  const isOpen = status === 'pending' || status === 'expired';
  if (!inFull || !isOpen) return { outcome: 'refused', reason: 'open' };
  // A cancelled order may have been paid.
  if (status === 'expired') await topUps.reopen(db, tradeNo, provider);
  if (await topUps.complete(db, tradeNo, provider, { status: 'refunded', now: at }))
    return { outcome: 'refunded', userId, quota: 0 };
  // It was credited, or given up, meanwhile.
  return refundTopUp(context, input);
}

/** Returns the share of the price of a period of a plan that the balance paid for what was taken back, rounded down. */
async function returnPrice(
  context: VerbContext,
  { trade_no: tradeNo, user_id: userId, quota, balance_price: price }: topUps.TopUpRow,
  taken: number,
  accountId: number,
): Promise<void> {
  const amount = Number((BigInt(price) * BigInt(taken)) / BigInt(quota));
  if (amount === 0) return;
  const txn = `plan:${tradeNo}:refund`;
  const entry = { account_id: accountId, user_id: userId, account_delta: amount, outside_delta: -amount };
  if (!(await record(context, { txn, kind: 'plan', ...entry }))) throw new Error(`${txn} was done before`);
  const account = await lockAccount(context, accountId);
  await addGrant(context, account, { txn, userId, amount }, { source: 'refund' });
}

const restOf = async ({ db }: VerbContext, id: number): Promise<number> =>
  (await grantRows.find(db, id))?.remain ?? 0;
