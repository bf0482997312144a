import { AppError } from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { randomText } from '../../../lib/random.ts';
import { type Db, topUps } from '../../../store/index.ts';
import type { Settings } from '../../site/settings/index.ts';
import type { EpayConfig } from './config.ts';
import { moneyText } from './money.ts';
import { quoteAmount } from './quote.ts';
import { epaySign } from './sign.ts';
import { type Buyer, epayProvider, type StartedPayment } from './types.ts';

export interface OrderDeps {
  db: Db;
  settings: Pick<Settings, 'get'>;
  clock: Clock;
  log: Log;
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
  const now = seconds(clock);
  const order = {
    user_id: buyer.id,
    team_id: buyer.team?.id ?? 0,
    amount: quote.dollars,
    quota: quote.quota,
    money: moneyText(quote.cents),
    trade_no: `USR${buyer.id}NO${randomText(6)}${now}`,
    provider: epayProvider,
    payment_method: epayType(method),
    create_time: now,
  };
  try {
    await topUps.create(db, order);
  } catch (cause) {
    throw new AppError('order_creation_failed', {}, cause);
  }
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
