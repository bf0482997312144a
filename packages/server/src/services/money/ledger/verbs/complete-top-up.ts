import { faultPoint } from '../../../../lib/fault-point.ts';
import { teams, topUps } from '../../../../store/index.ts';
import { findPayer, topUpLog, type VerbContext } from './context.ts';
import { credit } from './credit.ts';
import { keepRest, type PaidBack, type Sale, writeInvoice } from './invoice.ts';

/** A payment confirmed by the provider; its signature has been checked. */
export interface CompleteTopUpInput {
  tradeNo: string;
  /** The payment provider that reports it. Only this provider may complete its orders. */
  provider: string;
  /** The paid amount in the order's format: decimal text with two places. */
  money: string;
  /** Text of the log row. */
  content(quota: number, money: string): string;
  /** Set if it gets an invoice. */
  sale?: Sale | undefined;
  /** What the provider has paid back by now. Only the rest is credited. */
  back?: PaidBack | undefined;
}

export type CompletedTopUp =
  | { outcome: 'credited' | 'already'; userId: number; quota: number }
  /** Unknown order, another provider's, another amount, expired or failed, or paid back: nothing is credited. */
  | { outcome: 'refused'; reason: 'unknown' | 'provider' | 'money' | 'closed' | 'paid back' };

/** Credits an order exactly once, regardless of the number and order of its provider's calls. */
export async function completeTopUp(
  context: VerbContext,
  input: CompleteTopUpInput,
): Promise<CompletedTopUp> {
  const order = await topUps.findByTradeNo(context.db, input.tradeNo);
  if (!order) return { outcome: 'refused', reason: 'unknown' };
  if (order.provider !== input.provider) return { outcome: 'refused', reason: 'provider' };
  if (order.money !== input.money) return { outcome: 'refused', reason: 'money' };
  const { quota, money, tax } = keepRest({ ...order, tax: input.sale?.tax }, input.back);
  const done = { userId: order.user_id, quota };
  if (order.status === 'success') return { outcome: 'already', ...done, quota: order.quota };
  if (order.status !== 'pending') return { outcome: 'refused', reason: 'closed' };
  const payer = await findPayer(context, order.user_id);
  // If the team was deleted, the buyer gets the amount.
  const team = order.team_id === 0 ? undefined : await teams.find(context.db, order.team_id);
  const isBack = input.back !== undefined && quota === 0;
  const status = isBack ? 'refunded' : 'success';
  const rest = { now: context.at, ...(input.back && !isBack && { quota, money }) };
  if (!(await topUps.complete(context.db, input.tradeNo, input.provider, { status, ...rest }))) {
    const now = await topUps.findByTradeNo(context.db, input.tradeNo);
    return now?.status === 'success'
      ? { outcome: 'already', ...done, quota: now.quota }
      : { outcome: 'refused', reason: 'closed' };
  }
  if (isBack) return { outcome: 'refused', reason: 'paid back' };
  await credit(context, {
    txn: `topup:${input.tradeNo}`,
    kind: 'topup',
    accountId: team?.account_id ?? payer.account_id,
    userId: order.user_id,
    amount: quota,
    terms: {
      paid: Math.round(Number(money) * 100),
      refundable: true,
      // Prices are summed up by source, so a source has one currency.
      ...(order.provider === 'stripe' && { source: 'stripe' }),
    },
    log: { ...topUpLog(input.content(quota, money)), ...(team && { teamId: team.id }) },
  });
  if (input.sale) await writeInvoice(context, { ...order, quota, money }, { ...input.sale, tax });
  faultPoint('callback-in-transaction');
  return { outcome: 'credited', ...done };
}
