import { keptText } from '@tollgate/contract';
import { type Db, topUps } from '../../../store/index.ts';
import { type Ledger, MissingRow, type PaidBack } from '../ledger/index.ts';
import type { Settings } from '../../site/settings/index.ts';
import { invoiceIssuer } from './invoices.ts';
import { readMoney } from './money.ts';
import type { Credit, TopUpRow } from './types.ts';
import { shownQuota } from './words.ts';

export interface CreditDeps {
  db: Db;
  ledger: Pick<Ledger, 'completeTopUp'>;
  settings: Pick<Settings, 'get'>;
}

/** A payment reported by a trusted source. */
export interface Payment {
  /** Who reports it; only the order's own provider may. */
  provider: string;
  tradeNo: string;
  /** In the provider's format. */
  money: string;
  /** Taxes that were paid on top, if they are known. */
  tax?: string | undefined;
  /** What the provider has paid back by now, if it was asked for that. */
  back?: PaidBack | undefined;
}

const refused = (reason: string): Credit => ({ done: false, reason });

/**
 * Credits a reported payment, exactly once over any number of reports, processes and crashes: the order's own state,
 * changed in the ledger's transaction, decides. Rejects when the database fails; nothing is credited then.
 */
export async function creditPayment(payment: Payment, deps: CreditDeps): Promise<Credit> {
  const { db } = deps;
  const order = await topUps.findByTradeNo(db, payment.tradeNo);
  if (!order || order.provider !== payment.provider) return refused('unknown order');
  if (order.status === 'success') return { done: true, now: false };
  const paid = readMoney(payment.money);
  if (paid === null || paid !== readMoney(order.money)) return refused('the amount is not that of the order');
  if (order.status === 'failed') return refused('the order has failed');
  // A cancelled order may have been paid: it is credited even after a late report.
  if (order.status === 'expired') await topUps.reopen(db, order.trade_no, order.provider);
  const credited = await complete(order, payment, deps);
  if (credited.outcome === 'refused') return refused(`the ledger refuses: ${credited.reason}`);
  return { done: true, now: credited.outcome === 'credited' };
}

/** The ledger's result. An erased account of the buyer is a refusal too, for an administrator to examine. */
async function complete(order: TopUpRow, { tax, back }: Payment, { ledger, settings }: CreditDeps) {
  const issuer = invoiceIssuer(settings);
  try {
    return await ledger.completeTopUp({
      tradeNo: order.trade_no,
      provider: order.provider,
      money: order.money,
      content: (quota, money) => creditText(quota, money, settings),
      sale: issuer && { issuer, tax },
      back,
    });
  } catch (error) {
    if (error instanceof MissingRow) return { outcome: 'refused', reason: 'the buyer is gone' } as const;
    throw error;
  }
}

/** Text of the log row (docs/compatibility.md#online-top-up). */
const creditText = (quota: number, money: string, settings: Pick<Settings, 'get'>): string =>
  keptText('toppedUp', { amount: shownQuota(quota, settings), money });
