import { faultPoint } from '../../../../lib/fault-point.ts';
import { topUps, type plans } from '../../../../store/index.ts';
import { findPayer, record, topUpLog, type VerbContext } from './context.ts';
import { credit } from './credit.ts';
import { type Sale, writeInvoice } from './invoice.ts';
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
  content: string;
  /** Set if a payment for it gets an invoice. */
  sale?: Sale | undefined;
}

/** What became of a period; `short` if the balance does not cover its price. */
export type CreditedPeriod = 'credited' | 'already' | 'short';

/**
 * Credits a period of a subscription once, with its order, in the caller's transaction. If the balance pays, the price is
 * taken with it. The wallet's lock puts attempts in a row. Throws MissingRow if the user was erased.
 */
export async function creditPeriod(
  context: VerbContext,
  subscription: plans.SubscriptionRow,
  { tradeNo, invoiceId, expiresAt, content, sale }: PlanPeriod,
): Promise<CreditedPeriod> {
  const { db, at } = context;
  const { user_id: userId, paid_by: provider, quota } = subscription;
  const payer = await findPayer(context, userId);
  const account = await lockAccount(context, payer.account_id);
  if (await topUps.findByTradeNo(db, tradeNo)) return 'already';
  const price = provider === 'balance' ? subscription.balance_price : 0;
  if (price > 0) {
    if (!(await spendGrants(context, account, price))) return 'short';
    const entry = { account_id: account.id, user_id: userId, account_delta: -price, outside_delta: price };
    const isNew = await record(context, { txn: `plan:${tradeNo}`, kind: 'plan', ...entry });
    if (!isNew) throw new Error(`the period ${tradeNo} was paid before`);
  }
  faultPoint('callback-in-transaction');
  const isPaid = provider === 'stripe';
  const money = isPaid ? subscription.price : '0.00';
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
    balance_price: price,
    create_time: at,
  };
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
    log: topUpLog(content),
  });
  if (sale && isPaid) await writeInvoice(context, order, sale);
  return 'credited';
}
