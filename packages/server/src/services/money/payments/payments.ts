import { AppError, keptText, type TopUpData, topUpStatuses, type UserTopUp } from '@tollgate/contract';
import { faultPoint } from '../../../lib/fault-point.ts';
import { topUps } from '../../../store/index.ts';
import type { Audit } from '../../site/audit/index.ts';
import { type AskDeps, createPendingAsker } from './ask.ts';
import { createAttempts } from '../../../lib/attempts.ts';
import { auditFields, readCallback } from './callback.ts';
import { epayConfig, type EpayConfig } from './config.ts';
import { creditPayment, type RefundLedger, type TopUpLedger } from './credit.ts';
import { moneyText } from './money.ts';
import { startOrder } from './order.ts';
import { quoteAmount } from './quote.ts';
import { createRedeemer, type RedeemLedger } from './redeem.ts';
import { shownQuota } from './words.ts';
import type { Credit, Payments, TopUpRow } from './types.ts';

export interface PaymentsDeps extends AskDeps {
  ledger: TopUpLedger & RefundLedger & RedeemLedger;
  audit: Pick<Audit, 'record'>;
}

/** Maximum number of orders that a user may open in ten minutes: each is a row, and a later query to the provider. */
const maxOrders = 10;
const ordersWindowMs = 600_000;

/** Opens online top-up and the redemption of codes. */
export function createPayments(deps: PaymentsDeps): Payments {
  const { db, settings, clock, log } = deps;
  const opened = createAttempts(maxOrders, ordersWindowMs, clock);
  const configOrFail = (): EpayConfig => {
    const config = epayConfig(settings);
    if (!config) throw new AppError('payment_not_configured');
    return config;
  };

  return {
    enabled: () => epayConfig(settings) !== null,
    quote: (buyer, amount) => moneyText(quoteAmount(settings, buyer.group, amount).cents),
    async start(buyer, amount, method) {
      const config = configOrFail();
      const retryAfter = opened.take(buyer.id);
      if (retryAfter > 0) throw new AppError('too_many_requests', { retryAfter });
      return startOrder(buyer, { amount, method }, config, deps);
    },
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
    async complete(tradeNo) {
      const order = await topUps.findByTradeNo(db, tradeNo);
      if (!order) throw new AppError('order_not_found');
      const credit = await creditPayment({ tradeNo, money: order.money }, deps);
      if (!credit.done) throw new AppError('order_not_payable');
      // A repetition credits nothing, and the audit log has the credited amount.
      if (!credit.now) return;
      const { user_id: userId, quota, money } = order;
      await deps.audit.record(db, { userId, note: { order: tradeNo, quota, money } });
    },
    async refund({ id: actorId }, { tradeNo, reason }) {
      const content = (quota: number): string =>
        keptText('topUpRefunded', { amount: shownQuota(quota, settings) });
      const refunded = await deps.ledger.refundTopUp({ tradeNo, actorId, reason, content });
      if (refunded.outcome === 'refused') throw new AppError(refusals[refunded.reason]);
      const order = await topUps.findByTradeNo(db, tradeNo);
      if (!order) throw new AppError('order_not_found');
      const { quota, userId } = refunded;
      // In hundredths, rounded down: never more than was paid.
      const cents = BigInt(Math.round(Number(order.money) * 100));
      const money = Number((cents * BigInt(quota)) / BigInt(Math.max(1, order.quota))) / 100;
      if (refunded.outcome === 'refunded')
        await deps.audit.record(db, { userId, note: { order: tradeNo, quota, money, reason } });
      return { quota, money };
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
  return creditPayment(read.callback, deps);
}

/** An order in its buyer's view. */
function showOrder({ provider: _provider, ...row }: TopUpRow): TopUpData {
  const status = topUpStatuses.find((each) => each === row.status) ?? 'failed';
  return { ...row, status, money: Number(row.money) };
}
