import { AppError } from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { createAttempts } from '../../../lib/attempts.ts';
import type { Log } from '../../../lib/log.ts';
import type { Http } from '../../../lib/outbound/http.ts';
import { randomText } from '../../../lib/random.ts';
import { type Db, topUps } from '../../../store/index.ts';
import type { Settings } from '../../site/settings/index.ts';
import type { EpayConfig } from './config.ts';
import { moneyText } from './money.ts';
import { type Quote, quoteAmount } from './quote.ts';
import { epaySign } from './sign.ts';
import { minorDigits, Stripe, type StripeConfig, stripeProvider } from './stripe.ts';
import { type Buyer, epayProvider, type StartedPayment } from './types.ts';
import { shownQuota } from './words.ts';

export interface OrderDeps {
  db: Db;
  settings: Pick<Settings, 'get'>;
  clock: Clock;
  log: Log;
}

/** Maximum number of pages that a user may open in ten minutes: each is a row, and a later query to the provider. */
const maxPages = 10;
const windowMs = 600_000;

/** Counts the pages that users open. The result throws AppError for one too many. */
export function createPageLimit(clock: Clock): (userId: number) => void {
  const opened = createAttempts(maxPages, windowMs, clock);
  return (userId) => {
    const retryAfter = opened.take(userId);
    if (retryAfter > 0) throw new AppError('too_many_requests', { retryAfter });
  };
}

/** `zfb` is Alipay, all others are WeChat (docs/compatibility.md#online-top-up). */
const epayType = (method: string): string => (method === 'zfb' ? 'alipay' : 'wxpay');

/** Addresses for the provider's callback and for the buyer's return; null if no address is set. */
function returnAddresses(settings: Pick<Settings, 'get'>): { notify: string; back: string } | null {
  const site = settings.get('ServerAddress');
  const callback = settings.get('CustomCallbackAddress') || site;
  return callback === ''
    ? null
    : { notify: `${callback}/api/user/epay/notify`, back: `${site || callback}/log` };
}

/** Stores a pending order. Throws `order_creation_failed`. */
async function storeOrder(
  buyer: Buyer,
  quote: Quote,
  { provider, method, currency = '' }: { provider: string; method: string; currency?: string },
  { db, clock }: Pick<OrderDeps, 'db' | 'clock'>,
): Promise<topUps.NewTopUp> {
  const now = seconds(clock);
  const order = {
    user_id: buyer.id,
    team_id: buyer.team?.id ?? 0,
    amount: quote.dollars,
    quota: quote.quota,
    money: moneyText(quote.cents),
    trade_no: `USR${buyer.id}NO${randomText(6)}${now}`,
    provider,
    payment_method: method,
    currency,
    create_time: now,
  };
  try {
    await topUps.create(db, order);
  } catch (cause) {
    throw new AppError('order_creation_failed', {}, cause);
  }
  return order;
}

/** Stores an order and returns the signed form that pays it. Throws AppError. */
export async function startOrder(
  buyer: Buyer,
  { amount, method }: { amount: number; method: string },
  config: EpayConfig,
  { db, settings, clock, log }: OrderDeps,
): Promise<StartedPayment> {
  const quote = quoteAmount(settings, buyer.group, amount);
  const addresses = returnAddresses(settings);
  if (!addresses) {
    log.error({}, 'payments need the server address, or the provider cannot report them');
    throw new AppError('payment_start_failed');
  }
  const order = await storeOrder(
    buyer,
    quote,
    { provider: epayProvider, method: epayType(method) },
    { db, clock },
  );
  const fields: Record<string, string> = {
    pid: config.merchantId,
    type: order.payment_method,
    out_trade_no: order.trade_no,
    notify_url: addresses.notify,
    return_url: addresses.back,
    name: `TUC${amount}`,
    money: order.money,
    device: 'pc',
    sign_type: 'MD5',
  };
  return {
    url: `${config.address}/submit.php`,
    fields: { ...fields, sign: epaySign(fields, config.key) },
  };
}

/** The price of an amount at Stripe, in whole units of a currency without smaller ones. Throws AppError. */
export function quoteStripe(
  settings: Pick<Settings, 'get'>,
  group: string,
  amount: number,
  { price, currency }: Pick<StripeConfig, 'price' | 'currency'>,
): Quote {
  const quote = quoteAmount(settings, group, amount, price);
  if (minorDigits(currency) >= 2) return quote;
  const cents = ((quote.cents + 50n) / 100n) * 100n;
  if (cents < 1n) throw new AppError('topup_too_cheap');
  return { ...quote, cents };
}

/** Stores an order and returns the address of the page that pays it. Throws AppError. */
export async function startCheckout(
  buyer: Buyer,
  amount: number,
  config: StripeConfig,
  { db, settings, clock, log, http }: OrderDeps & { http: Pick<Http, 'request'> },
): Promise<string> {
  const quote = quoteStripe(settings, buyer.group, amount, config);
  const site = settings.get('ServerAddress');
  if (site === '') {
    log.error({}, 'payments need the server address, to which the buyer returns');
    throw new AppError('payment_start_failed');
  }
  const { currency } = config;
  const order = await storeOrder(
    buyer,
    quote,
    { provider: stripeProvider, method: stripeProvider, currency },
    { db, clock },
  );
  try {
    const { id, url } = await new Stripe(http, config).open({
      tradeNo: order.trade_no,
      cents: quote.cents,
      title: `${settings.get('SystemName')} ${shownQuota(quote.quota, settings)}`,
      back: { success: `${site}/topup`, cancel: `${site}/topup` },
    });
    await topUps.notePage(db, order.trade_no, id);
    if (url) return url;
    log.error({ trade_no: order.trade_no }, 'Stripe opened an order without a page');
  } catch (error) {
    log.error({ err: error, trade_no: order.trade_no }, 'Stripe opened no page for an order');
  }
  throw new AppError('payment_start_failed');
}
