import { type Clock, seconds } from '../../../lib/clock.ts';
import type { Http } from '../../../lib/outbound/http.ts';
import type { Log } from '../../../lib/log.ts';
import { topUps } from '../../../store/index.ts';
import { epayConfig, type EpayConfig } from './config.ts';
import { creditPayment, type CreditDeps, type Payment } from './credit.ts';
import { isPaid, paidMoney, paidTax, Stripe, stripeConfig, stripeProvider } from './stripe.ts';
import { epayProvider, type TopUpRow } from './types.ts';

export interface AskDeps extends CreditDeps {
  http: Pick<Http, 'request'>;
  /** Origin of Stripe's API. */
  stripeUrl: string;
  clock: Clock;
  log: Log;
}

/** Younger orders are skipped: their callback may still arrive. */
const minAgeSeconds = 30;
/**
 * An order that the provider reports as unpaid is cancelled after a day; one that its buyer never opened, after two
 * hours.
 */
const giveUpSeconds = 86_400;
const neverCameSeconds = 7_200;
/** Maximum number of orders read, and of queries sent, in one run. */
const maxOrders = 5_000;
const maxQuestions = 100;
/** After this many failures in a row the provider counts as unavailable, and the rest waits for the next run. */
const maxFailures = 3;
const timeoutMs = 10_000;
const maxAnswerBytes = 64 * 1024;

/** The provider's data about an order. */
type Finding = ({ paid: true } & Pick<Payment, 'money' | 'tax' | 'back'>) | { paid: false; known: boolean };

/**
 * Queries orders with a possibly lost callback: the youngest first, and older ones less often, so that orders that are
 * never paid do not delay others. Several processes may query at once: a payment is credited only once.
 */
export function createPendingAsker(deps: AskDeps): () => Promise<void> {
  /** Time of the last query for each pending order, Unix seconds. */
  let asked = new Map<string, number>();

  return async () => {
    const asks = askersOf(deps);
    if (asks.size === 0) return;
    const now = seconds(deps.clock);
    const pending = await topUps.pendingBefore(deps.db, now - minAgeSeconds, maxOrders);
    // Automatic ones are looked after by their own job.
    const open = pending.filter((order) => asks.has(order.provider) && order.payment_method !== 'auto');
    asked = new Map(open.flatMap(({ trade_no: no }) => (asked.has(no) ? [[no, asked.get(no)!]] : [])));
    const due = open
      .filter((order) => isDue(order, asked.get(order.trade_no), now))
      .toReversed()
      .slice(0, maxQuestions);
    let failures = 0;
    for (const order of due) {
      asked.set(order.trade_no, now);
      try {
        await settleOrder(order, await asks.get(order.provider)!(order), now, deps);
        failures = 0;
      } catch (error) {
        failures += 1;
        deps.log.warn(
          { trade_no: order.trade_no, reason: messageOf(error) },
          'an order could not be asked for',
        );
        if (failures >= maxFailures) return;
      }
    }
  };
}

/** The pause between two queries grows to a fifth of the order's age. */
function isDue(order: TopUpRow, last: number | undefined, now: number): boolean {
  return (
    last === undefined || last > now || now - last >= Math.max(minAgeSeconds, (now - order.create_time) / 5)
  );
}

/** How each configured provider is asked for an order. */
function askersOf({
  settings,
  http,
  stripeUrl,
}: AskDeps): Map<string, (order: TopUpRow) => Promise<Finding>> {
  const epay = epayConfig(settings);
  const stripe = stripeConfig(settings, stripeUrl);
  const asks = new Map<string, (order: TopUpRow) => Promise<Finding>>();
  if (epay) asks.set(epayProvider, (order) => askEpay(order.trade_no, epay, http));
  if (stripe) asks.set(stripeProvider, (order) => askStripe(order, new Stripe(http, stripe)));
  return asks;
}

async function askStripe(order: TopUpRow, stripe: Stripe): Promise<Finding> {
  // The page was never opened.
  if (order.page_id === '') return { paid: false, known: false };
  const found = await stripe.read(order.page_id);
  if (!isPaid(found)) return { paid: false, known: true };
  const back = await stripe.backOfPage(found);
  return { paid: true, money: paidMoney(found, order), tax: paidTax(found), back };
}

async function settleOrder(order: TopUpRow, finding: Finding, now: number, deps: AskDeps): Promise<void> {
  if (finding.paid) {
    const { provider, trade_no: tradeNo } = order;
    const { money, tax, back } = finding;
    const credit = await creditPayment({ provider, tradeNo, money, tax, back }, deps);
    const fields = { trade_no: order.trade_no, money: finding.money };
    if (credit.done) deps.log.info(fields, 'a payment was found by asking');
    else deps.log.warn({ ...fields, audit: 'payment', reason: credit.reason }, 'a payment was refused');
    return;
  }
  if (now - order.create_time < (finding.known ? giveUpSeconds : neverCameSeconds)) return;
  await topUps.complete(deps.db, order.trade_no, order.provider, { status: 'expired', now });
}

/** The order query of the epay protocol: `api.php?act=order`. Throws if there is no valid answer. */
async function askEpay(tradeNo: string, config: EpayConfig, http: Pick<Http, 'request'>): Promise<Finding> {
  const query = new URLSearchParams({
    act: 'order',
    pid: config.merchantId,
    key: config.key,
    out_trade_no: tradeNo,
  });
  const { status, body } = await http.request(
    {
      method: 'GET',
      url: `${config.address}/api.php?${query.toString()}`,
      headers: { accept: 'application/json' },
      scope: 'operator',
      headersTimeoutMs: timeoutMs,
      bodyTimeoutMs: timeoutMs,
    },
    maxAnswerBytes,
  );
  if (status !== 200) throw new Error(`the payment provider answered ${status}`);
  return readAnswer(body.toString('utf8'), tradeNo, config);
}

/** Providers send numbers as numbers or as texts. */
function readAnswer(text: string, tradeNo: string, { merchantId }: EpayConfig): Finding {
  const answer: unknown = JSON.parse(text);
  if (typeof answer !== 'object' || answer === null || !('code' in answer)) {
    throw new Error('the payment provider answered something else');
  }
  const field = (name: string): string => {
    const value = (answer as Record<string, unknown>)[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  // The provider does not know an order if the buyer never opened the payment page.
  if (field('code') !== '1') return { paid: false, known: false };
  if (field('out_trade_no') !== tradeNo) throw new Error('the payment provider answered for another order');
  if (field('pid') !== '' && field('pid') !== merchantId) {
    throw new Error('the payment provider answered for another merchant');
  }
  return field('status') === '1' ? { paid: true, money: field('money') } : { paid: false, known: true };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
