import { faultPoint } from '../../../../lib/fault-point.ts';
import { topUps, type plans } from '../../../../store/index.ts';
import { findPayer, record, topUpLog, type VerbContext } from './context.ts';
import { credit } from './credit.ts';
import { keepRest, type PaidBack, type Sale, writeInvoice } from './invoice.ts';
import { lockAccount, spendGrants } from './grants.ts';

/** A period of a plan that is to be credited. */
export interface PlanPeriod {
  /** Number of its order, unique for the period; a repetition changes nothing. */
  tradeNo: string;
  /** Stripe's id of its invoice; '' if something else pays. */
  invoiceId: string;
  /** Unix seconds at which its credit expires. */
  expiresAt: number;
  /** Text of the log row. */
  content(quota: number): string;
  /** Set if a payment for it gets an invoice. */
  sale?: Sale | undefined;
  /** What Stripe has paid back by now. Only the rest is credited. */
  back?: PaidBack | undefined;
}

/** What became of a period; `short` if the balance does not cover its price. One that was paid back is noted alone. */
export type CreditedPeriod = 'credited' | 'already' | 'short';

/**
 * Credits a period of a subscription once, with its order, in the caller's transaction. If the balance pays, the price is
 * taken with it. The wallet's lock puts attempts in a row. Throws MissingRow if the user was erased.
 */
export async function creditPeriod(
  context: VerbContext,
  subscription: plans.SubscriptionRow,
  period: PlanPeriod,
): Promise<CreditedPeriod> {
  const { db, at } = context;
  const { tradeNo, invoiceId, expiresAt, sale, back } = period;
  const { user_id: userId, paid_by: provider } = subscription;
  const payer = await findPayer(context, userId);
  const account = await lockAccount(context, payer.account_id);
  if (await topUps.findByTradeNo(db, tradeNo)) return 'already';
  const taken = provider === 'balance' ? subscription.balance_price : 0;
  if (taken > 0) {
    if (!(await spendGrants(context, account, taken))) return 'short';
    const entry = { account_id: account.id, user_id: userId, account_delta: -taken, outside_delta: taken };
    const isNew = await record(context, { txn: `plan:${tradeNo}`, kind: 'plan', ...entry });
    if (!isNew) throw new Error(`the period ${tradeNo} was paid before`);
  }
  faultPoint('callback-in-transaction');
  const isPaid = provider === 'stripe';
  const price = isPaid ? subscription.price : '0.00';
  const { quota, money, tax } = keepRest({ quota: subscription.quota, money: price, tax: sale?.tax }, back);
  const order = {
    user_id: userId,
    amount: 0,
    quota,
    money,
    trade_no: tradeNo,
    provider,
    payment_method: provider,
    currency: isPaid ? subscription.currency : '',
    page_id: invoiceId,
    balance_price: taken,
    create_time: at,
  };
  if (back && quota === 0) {
    await topUps.createPaid(db, { ...order, quota: subscription.quota, money: price }, 'refunded');
    return 'credited';
  }
  await topUps.createPaid(db, order);
  await credit(context, {
    txn: `topup:${tradeNo}`,
    kind: provider === 'gift' ? 'gift' : 'topup',
    accountId: account.id,
    userId,
    amount: quota,
    terms: {
      source: 'plan',
      paid: Math.round(Number(money) * 100),
      refundable: provider !== 'gift',
      expiresAt,
    },
    log: topUpLog(period.content(quota)),
  });
  if (sale && isPaid) await writeInvoice(context, order, { ...sale, tax });
  return 'credited';
}
