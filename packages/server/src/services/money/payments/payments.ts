import { AppError, keptText, type TopUpData, topUpStatuses, type UserTopUp } from '@tollgate/contract';
import { faultPoint } from '../../../lib/fault-point.ts';
import { topUps } from '../../../store/index.ts';
import type { Audit } from '../../site/audit/index.ts';
import type { Ledger } from '../ledger/index.ts';
import { type AskDeps, createPendingAsker } from './ask.ts';
import { auditFields, readCallback } from './callback.ts';
import { epayConfig, type EpayConfig } from './config.ts';
import { creditPayment } from './credit.ts';
import { invoiceIssuer, readInvoice } from './invoices.ts';
import { moneyText, readMoney } from './money.ts';
import { createPageLimit, quoteStripe, startCheckout, startOrder } from './order.ts';
import { invoiceOrder } from './plan-sync.ts';
import type { Plans } from './plans.ts';
import { quoteAmount } from './quote.ts';
import { createRedeemer } from './redeem.ts';
import {
  isPaid,
  paidMoney,
  paidTax,
  Stripe,
  stripeConfig,
  type StripeConfig,
  stripeProvider,
} from './stripe.ts';
import { type Charge, readWebhook, type StripeEvent } from './stripe-webhook.ts';
import { shownQuota } from './words.ts';
import { type Credit, epayProvider, type Payments, type TopUpRow } from './types.ts';
import { seconds } from '../../../lib/clock.ts';

export interface PaymentsDeps extends AskDeps {
  ledger: Pick<Ledger, 'completeTopUp' | 'refundTopUp' | 'redeem'>;
  audit: Pick<Audit, 'record'>;
  plans: Pick<Plans, 'sync'>;
}

/** Opens online top-up and the redemption of codes. */
export function createPayments(deps: PaymentsDeps): Payments {
  const { db, settings, clock, log } = deps;
  const takeOrder = createPageLimit(clock);
  const configOrFail = (): EpayConfig => {
    const config = epayConfig(settings);
    if (!config) throw new AppError('payment_not_configured');
    return config;
  };

  const stripeOrFail = (): StripeConfig => {
    const config = settings.get('stripe.enabled') && stripeConfig(settings, deps.stripeUrl);
    if (!config) throw new AppError('payment_not_configured');
    return config;
  };

  return {
    quote: (buyer, amount) => moneyText(quoteAmount(settings, buyer.group, amount).cents),
    async start(buyer, amount, method) {
      const config = configOrFail();
      takeOrder(buyer.id);
      return startOrder(buyer, { amount, method }, config, deps);
    },
    quoteStripe: (buyer, amount) =>
      moneyText(quoteStripe(settings, buyer.group, amount, stripeOrFail()).cents),
    async startStripe(buyer, amount) {
      const config = stripeOrFail();
      takeOrder(buyer.id);
      return startCheckout(buyer, amount, config, deps);
    },
    notifyStripe: (text, signature) => judgeWebhook(text, signature, deps),
    async notify(fields) {
      const credit = await judgeCallback(fields, deps);
      if (!credit.done) {
        const about = { audit: 'payment', reason: credit.reason, ...auditFields(fields) };
        log.warn(about, 'a payment callback was refused');
      }
      return credit;
    },
    async orders(userId, { page, pageSize }) {
      const at = Math.max(1, page);
      const slice = { offset: (at - 1) * pageSize, limit: pageSize };
      const [rows, total] = [await topUps.list(db, userId, slice), await topUps.count(db, userId)];
      return { items: rows.map((row) => showOrder(row)), total, page: at, page_size: pageSize };
    },
    async allOrders(filter, { page, pageSize }) {
      const at = Math.max(1, page);
      const slice = { offset: (at - 1) * pageSize, limit: pageSize };
      const { rows, total } = await topUps.listAll(db, filter, slice);
      const items: UserTopUp[] = rows.map(({ username, ...row }) => ({
        ...showOrder(row),
        username: username ?? '',
      }));
      return { items, total, page: at, page_size: pageSize };
    },
    invoice: (asked) => readInvoice(db, asked, seconds(clock)),
    async complete(tradeNo) {
      const order = await topUps.findByTradeNo(db, tradeNo);
      if (!order) throw new AppError('order_not_found');
      const credit = await creditPayment({ provider: order.provider, tradeNo, money: order.money }, deps);
      if (!credit.done) throw new AppError('order_not_payable');
      // A repetition credits nothing, and the audit log has the credited amount.
      if (!credit.now) return;
      const { user_id: userId, quota, money } = order;
      await deps.audit.record(db, { userId, note: { order: tradeNo, quota, money } });
    },
    async refund({ id: actorId }, { tradeNo, reason }) {
      const content = (quota: number): string =>
        keptText('topUpRefunded', { amount: shownQuota(quota, settings) });
      const isStripe = (await topUps.findByTradeNo(db, tradeNo))?.provider === stripeProvider;
      const input = { tradeNo, actorId, reason, content, issuer: invoiceIssuer(settings) };
      const refunded = await deps.ledger.refundTopUp({ ...input, ...(isStripe && { paid: null }) });
      if (refunded.outcome === 'refused') throw new AppError(refusals[refunded.reason]);
      const order = await topUps.findByTradeNo(db, tradeNo);
      if (!order) throw new AppError('order_not_found');
      const { quota, userId } = refunded;
      // In hundredths, rounded down: never more than was paid.
      const cents = BigInt(Math.round(Number(order.money) * 100));
      const back = (cents * BigInt(quota)) / BigInt(Math.max(1, order.quota));
      const money = Number(back) / 100;
      if (refunded.outcome === 'refunded')
        await deps.audit.record(db, { userId, note: { order: tradeNo, quota, money, reason } });
      if (!isStripe || back === 0n) return { quota, money };
      const paid = await payBack(order, back, deps);
      await deps.ledger.refundTopUp({ ...input, paid });
      return { quota, money: Number(paid) / 100 };
    },
    askPending: createPendingAsker(deps),
    redeem: createRedeemer(deps),
  };
}

const refusals = {
  unknown: 'order_not_found',
  open: 'order_not_refundable',
  untracked: 'order_not_refundable',
  used: 'order_used_up',
  held: 'order_held',
} as const;

async function judgeCallback(fields: unknown, deps: PaymentsDeps): Promise<Credit> {
  faultPoint('callback-received');
  const config = epayConfig(deps.settings);
  if (!config) return { done: false, reason: 'payment is switched off' };
  const read = readCallback(fields, config);
  if ('refusal' in read) return { done: false, reason: read.refusal };
  faultPoint('callback-judged');
  return creditPayment({ provider: epayProvider, ...read.callback }, deps);
}

/** Judges a webhook of Stripe; null if it is not genuine. */
async function judgeWebhook(text: string, signature: string, deps: PaymentsDeps): Promise<Credit | null> {
  faultPoint('callback-received');
  const config = stripeConfig(deps.settings, deps.stripeUrl);
  const event = config && readWebhook(text, signature, config.webhookSecret, seconds(deps.clock));
  if (!event) return null;
  faultPoint('callback-judged');
  const judged = await actOn(event, deps);
  if (!judged.done)
    deps.log.warn({ audit: 'payment', reason: judged.reason }, 'a payment callback was refused');
  return judged;
}

const nothingToDo: Credit = { done: true, now: false };

/** Events after which a checkout cannot be paid any more, and what becomes of its order. */
const ends: ReadonlyMap<string, 'expired' | 'failed'> = new Map([
  ['checkout.session.expired', 'expired'],
  ['checkout.session.async_payment_failed', 'failed'],
]);

async function actOn(event: StripeEvent, deps: PaymentsDeps): Promise<Credit> {
  if (event.kind === 'other') return nothingToDo;
  if (event.kind === 'refund') return takeBack(event.charge, deps);
  if (event.kind === 'plan') {
    await deps.plans.sync(event.name);
    return nothingToDo;
  }
  const { type, checkout } = event;
  const tradeNo = checkout.client_reference_id ?? '';
  const ended = ends.get(type);
  if (ended) {
    await topUps.complete(deps.db, tradeNo, stripeProvider, { status: ended, now: seconds(deps.clock) });
    return nothingToDo;
  }
  if (!isPaid(checkout)) return nothingToDo;
  const order = await topUps.findByTradeNo(deps.db, tradeNo);
  const config = stripeConfig(deps.settings, deps.stripeUrl);
  const isOpen = order?.status === 'pending' || order?.status === 'expired';
  // A late webhook says what was paid, and not what was paid back since.
  const back = config && isOpen ? await new Stripe(deps.http, config).backOfPage(checkout) : undefined;
  const payment = { tradeNo, money: paidMoney(checkout, order), tax: paidTax(checkout), back };
  return creditPayment({ provider: stripeProvider, ...payment }, deps);
}

/** A payment that was paid back at Stripe in full loses what is left of its credit; parts are for root to judge. */
async function takeBack(charge: Charge, deps: PaymentsDeps): Promise<Credit> {
  const { refunded } = charge;
  const tradeNo = charge.metadata?.trade_no ?? (await findPlanOrder(charge, deps));
  const order = await topUps.findByTradeNo(deps.db, tradeNo);
  if (order?.provider !== stripeProvider || order.status === 'refunded') return nothingToDo;
  if (!refunded) return { done: false, reason: `a part of order ${tradeNo} was paid back` };
  const content = (quota: number): string =>
    keptText('topUpRefunded', { amount: shownQuota(quota, deps.settings) });
  const taken = await deps.ledger.refundTopUp({
    tradeNo,
    actorId: 0,
    reason: 'refunded at Stripe',
    content,
    inFull: true,
    issuer: invoiceIssuer(deps.settings),
  });
  if (taken.outcome === 'refused')
    return { done: false, reason: `order ${tradeNo} was paid back, and its credit is ${taken.reason}` };
  return nothingToDo;
}

/** The order of a plan's period that a charge has paid; '' for none. */
async function findPlanOrder({ payment_intent: intent }: Charge, deps: PaymentsDeps): Promise<string> {
  const config = stripeConfig(deps.settings, deps.stripeUrl);
  if (!config || !intent) return '';
  const stripe = new Stripe(deps.http, config);
  const invoice = await stripe.invoiceOf(intent);
  if (invoice === undefined) return '';
  const tradeNo = invoiceOrder(invoice);
  if (!(await topUps.findByTradeNo(deps.db, tradeNo))) {
    // The webhook of its payment was lost or is late. Stripe still calls it paid, so it would be credited afterwards.
    const name = await stripe.subscriptionOf(invoice);
    if (name) await deps.plans.sync(name);
  }
  return tradeNo;
}

/** Pays back at Stripe; returns the hundredths. The credit is taken by now, so a failure can be repeated. */
async function payBack(order: TopUpRow, cents: bigint, deps: PaymentsDeps): Promise<bigint> {
  const config = stripeConfig(deps.settings, deps.stripeUrl);
  if (!config) throw new AppError('payment_not_configured');
  try {
    const stripe = new Stripe(deps.http, { ...config, currency: order.currency });
    return readMoney(await stripe.refund(order.page_id, order.trade_no, cents)) ?? 0n;
  } catch (error) {
    deps.log.error({ err: error, trade_no: order.trade_no }, 'a payment could not be paid back');
    throw new AppError('refund_not_paid', { reason: error instanceof Error ? error.message : '' }, error);
  }
}

/** An order in its buyer's view. */
function showOrder({ provider: _provider, page_id: _page, ...row }: TopUpRow): TopUpData {
  const status = topUpStatuses.find((each) => each === row.status) ?? 'failed';
  return { ...row, status, money: Number(row.money) };
}
