import type { FaultPoint } from '../../lib/fault-point.ts';
import { topUps } from '../../store/index.ts';
import { type PaySimulator, startPaySimulator } from '../upstream/pay-simulator.ts';
import { type Campaign, withinMs } from './campaign.ts';
import type { Child } from './child.ts';

/** Quota of one order of the campaign. */
const orderQuota = 500_000;
const callbacksAtOnce = 5;

/** A paid order of each caller: in the database, as from the top-up page, and at the provider. */
async function makeOrders(campaign: Campaign, provider: PaySimulator, round: string): Promise<string[]> {
  const { db } = await campaign.store();
  const numbers: string[] = [];
  for (const { userId } of campaign.world.callers) {
    const tradeNo = `USR${userId}NO${round}`;
    const order = { user_id: userId, amount: 1, quota: orderQuota, money: '7.30', trade_no: tradeNo };
    const made = { provider: 'epay', payment_method: 'zfb', create_time: Math.floor(Date.now() / 1000) };
    await topUps.create(db, { ...order, ...made });
    const form = { pid: provider.merchantId, out_trade_no: tradeNo, type: 'alipay', name: 'TUC1' };
    const { money } = order;
    const status = await provider.submit(`${provider.url}/submit.php`, provider.sign({ ...form, money }));
    if (status !== 200) throw new Error(`the provider refused the order ${tradeNo}`);
    provider.pay(tradeNo);
    numbers.push(tradeNo);
  }
  return numbers;
}

/** The provider's callback for an order; true when the answer confirms the credit. */
async function callBack(child: Child, provider: PaySimulator, tradeNo: string): Promise<boolean> {
  const query = new URLSearchParams(provider.callback(tradeNo)).toString();
  try {
    const answer = await fetch(`${child.url}/api/user/epay/notify?${query}`);
    return (await answer.text()) === 'success';
  } catch {
    return false;
  }
}

/** Sends the callback of every order several times at once; returns the acknowledged orders. */
async function callBackAll(
  child: Child,
  provider: PaySimulator,
  orders: readonly string[],
): Promise<Set<string>> {
  const acknowledged = new Set<string>();
  const each = async (tradeNo: string): Promise<void> => {
    if (await callBack(child, provider, tradeNo)) acknowledged.add(tradeNo);
  };
  await Promise.all(orders.flatMap((no) => Array.from({ length: callbacksAtOnce }, () => each(no))));
  return acknowledged;
}

/** Credits in the ledger by trade number. */
async function readCredits(campaign: Campaign): Promise<Map<string, number[]>> {
  const { db } = await campaign.store();
  const rows = await db
    .selectFrom('ledger')
    .select(['txn', 'account_delta'])
    .where('kind', '=', 'topup')
    .execute();
  const credits = new Map<string, number[]>();
  for (const { txn, account_delta: amount } of rows) {
    const no = txn.replace(/^topup:/, '');
    credits.set(no, [...(credits.get(no) ?? []), amount]);
  }
  return credits;
}

/**
 * The process dies at a point of a payment callback (callback-received to callback-committed), each sent several times
 * at once. Then every callback is repeated several times. Each order is credited once, and an acknowledged order stays
 * credited.
 */
export async function killInCallback(
  campaign: Campaign,
  provider: PaySimulator,
  point: FaultPoint,
): Promise<void> {
  const child = await campaign.start({ FAULTS: `${point}:kill:3` });
  const row = campaign.row(point);
  const orders = await makeOrders(campaign, provider, `${point}x${row.runs}`);
  const early = await callBackAll(child, provider, orders);
  const ending = await withinMs(child.ended, 5_000);
  if (!ending) {
    row.wrong.push('the point was not reached');
    child.kill('SIGKILL');
  }
  campaign.note(point, []);
  const next = await campaign.start();
  const before = await readCredits(campaign);
  for (const no of early)
    if (!before.has(no)) row.wrong.push(`${no} was acknowledged and is not credited (I13)`);
  const late = await callBackAll(next, provider, orders);
  const credits = await readCredits(campaign);
  for (const no of orders) {
    const amounts = credits.get(no) ?? [];
    if (!late.has(no)) row.wrong.push(`${no} was not acknowledged although it was paid`);
    if (amounts.length !== 1 || amounts[0] !== orderQuota)
      row.wrong.push(`${no} was credited ${amounts.join(' + ') || 'never'}`);
  }
  row.calls += orders.length * callbacksAtOnce * 2;
  row.acknowledged += late.size;
  campaign.note(point, []);
  row.runs -= 1;
  await campaign.stop(point, next);
}

export const openProvider = (): Promise<PaySimulator> => startPaySimulator();
