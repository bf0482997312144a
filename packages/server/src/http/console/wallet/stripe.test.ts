import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fromMinor, invoiceTax, minorDigits, toMinor } from '../../../services/money/payments/stripe.ts';
import { readWebhook } from '../../../services/money/payments/stripe-webhook.ts';
import { checkBooks } from '../../../services/money/ledger/index.ts';
import { logs, migrate, openStore, type Store, topUps } from '../../../store/index.ts';
import { openWalletWorld, type WalletWorld } from '../../../testing/worlds/wallet-world.ts';

let store: Store;
let world: WalletWorld;
let webhook: string;

beforeEach(async () => {
  store = await openStore({ url: 'sqlite::memory:' });
  await migrate(store);
  world = await openWalletWorld(store);
  webhook = `${world.settings.get('ServerAddress')}/api/stripe/webhook`;
});
afterEach(async () => {
  expect(await checkBooks(store.db)).toEqual([]);
  await world.close();
  await store.close();
});

const completed = 'checkout.session.completed';

/** Opens an order as the console does; returns its number. */
async function order(user: number, amount: number): Promise<string> {
  const answer = await world.call(user, 'POST', '/api/user/stripe/pay', { amount, payment_method: 'stripe' });
  const { pay_link: link } = answer.data as { pay_link: string };
  const checkout = [...world.stripe.checkouts.values()].find(({ id }) => link.endsWith(`/c/pay/${id}`));
  return checkout?.fields.client_reference_id ?? '';
}

const stateOf = async (no: string) => (await topUps.findByTradeNo(store.db, no))?.status;
const tell = (no: string, type = completed) => world.stripe.send(webhook, world.stripe.event(no, type));

describe('a top-up at Stripe', () => {
  it('opens a page for the price, and credits the payment once, however often it is reported', async () => {
    const user = await world.user('ann');
    await world.settings.set('stripe.unit_price', '1.15');
    const price = await world.call(user, 'POST', '/api/user/stripe/amount', { amount: 10 });
    expect(price).toEqual({ message: 'success', data: '11.50' });
    const no = await order(user, 10);
    const { fields } = world.stripe.of(no);
    expect(fields).toMatchObject({ mode: 'payment', 'line_items[0][price_data][unit_amount]': '1150' });
    expect(await tell(no)).toBe(200);
    expect([await world.balance(user), await stateOf(no)]).toEqual([0, 'pending']);
    world.stripe.pay(no);
    const all = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => tell(no)));
    expect(new Set(all)).toEqual(new Set([200]));
    expect([await world.balance(user), await stateOf(no)]).toEqual([5_000_000, 'success']);
    const { rows } = await logs.list(store.db, { userId: user }, { offset: 0, limit: 5 });
    expect(rows.length).toBe(1);
    const page = await world.call(user, 'GET', '/api/user/topup/self?p=1&page_size=10');
    expect(page.data).toMatchObject({
      items: [{ money: 11.5, currency: 'usd', payment_method: 'stripe', status: 'success' }],
    });
  });

  it('is credited when a payment by bank debit arrives, and ends when it fails or is given up', async () => {
    const user = await world.user('ann');
    const late = await order(user, 1);
    await tell(late);
    world.stripe.pay(late);
    await tell(late, 'checkout.session.async_payment_succeeded');
    expect(await world.balance(user)).toBe(500_000);
    const failed = await order(user, 1);
    await tell(failed, 'checkout.session.async_payment_failed');
    const expired = await order(user, 1);
    await tell(expired, 'checkout.session.expired');
    expect([await stateOf(failed), await stateOf(expired)]).toEqual(['failed', 'expired']);
    // A late payment of an expired order is credited; nothing was lost.
    world.stripe.pay(expired);
    await tell(expired);
    expect(await world.balance(user)).toBe(1_000_000);
  });

  it('is found by asking when its webhook was lost', async () => {
    const user = await world.user('ann');
    const paid = await order(user, 2);
    const unpaid = await order(user, 2);
    world.stripe.pay(paid);
    world.clock.now += 60_000;
    await world.payments.askPending();
    expect([await stateOf(paid), await stateOf(unpaid)]).toEqual(['success', 'pending']);
    world.clock.now += 25 * 3_600_000;
    await world.payments.askPending();
    expect([await world.balance(user), await stateOf(unpaid)]).toEqual([1_000_000, 'expired']);
  });

  it('cannot be opened while Stripe is off, but an open one is still credited', async () => {
    const user = await world.user('ann');
    const no = await order(user, 1);
    await world.settings.set('stripe.enabled', 'false');
    const answer = await world.call(user, 'POST', '/api/user/stripe/pay', { amount: 1 });
    expect(answer).toMatchObject({ message: 'error', code: 'payment_not_configured' });
    world.stripe.pay(no);
    await tell(no);
    expect(await world.balance(user)).toBe(500_000);
  });

  it('keeps the price apart from taxes', async () => {
    await world.settings.set('stripe.automatic_tax', 'true');
    const user = await world.user('ann');
    const no = await order(user, 10);
    expect(world.stripe.of(no).fields).toMatchObject({
      'automatic_tax[enabled]': 'true',
      'line_items[0][price_data][tax_behavior]': 'exclusive',
    });
    world.stripe.pay(no, 190);
    await tell(no);
    expect(await world.balance(user)).toBe(5_000_000);
  });

  it('is cheaper from a step on, and has an invoice of Stripe if that is wanted', async () => {
    await world.settings.setMany({ TopUpSteps: '{"10":0.9,"50":0.815}', 'stripe.invoices': 'true' });
    const user = await world.user('ann');
    const prices = [];
    for (const amount of [9, 10, 49, 50, 333]) {
      const { data } = await world.call(user, 'POST', '/api/user/stripe/amount', { amount });
      prices.push(data);
    }
    expect(prices).toEqual(['9.00', '9.00', '44.10', '40.75', '271.40']);
    const no = await order(user, 50);
    const { fields } = world.stripe.of(no);
    expect(fields).toMatchObject({
      'line_items[0][price_data][unit_amount]': '4075',
      'invoice_creation[enabled]': 'true',
    });
    world.stripe.pay(no);
    await tell(no);
    expect(await world.balance(user)).toBe(25_000_000);
  });

  it('costs whole units of a currency without smaller ones', async () => {
    await world.settings.setMany({ 'stripe.currency': 'JPY', 'stripe.unit_price': '151.37' });
    const user = await world.user('ann');
    const price = await world.call(user, 'POST', '/api/user/stripe/amount', { amount: 3 });
    expect(price.data).toBe('454.00');
    const no = await order(user, 3);
    expect(world.stripe.of(no).fields['line_items[0][price_data][unit_amount]']).toBe('454');
    world.stripe.pay(no);
    // The currency of an order is fixed with it.
    await world.settings.set('stripe.currency', 'usd');
    await tell(no);
    expect(await world.balance(user)).toBe(1_500_000);
  });
});

describe('a webhook that is not genuine', () => {
  it('credits nothing', async () => {
    const user = await world.user('ann');
    const no = await order(user, 1);
    world.stripe.pay(no);
    const body = world.stripe.event(no, completed);
    const now = Math.floor(world.clock.now / 1000);
    const sign: WalletWorld['stripe']['sign'] = (text, options) => world.stripe.sign(text, options);
    for (const signature of [
      '',
      't=,v1=',
      sign(body, { secret: 'whsec_other' }),
      sign(body, { secret: '' }),
      sign(`${body} `),
      sign(body, { at: now - 301 }),
      sign(body, { at: now + 301 }),
      sign(body).replace('v1=', 'v2='),
    ])
      expect(await world.stripe.send(webhook, body, signature)).toBe(400);
    const unsigned = await fetch(webhook, { method: 'POST', body });
    expect([unsigned.status, await world.balance(user)]).toEqual([400, 0]);
    await world.settings.set('stripe.webhook_secret', '');
    expect(await world.stripe.send(webhook, body, sign(body, { secret: '' }))).toBe(400);
    const answer = await world.call(user, 'POST', '/api/user/stripe/pay', { amount: 1 });
    expect(answer).toMatchObject({ message: 'error', code: 'payment_not_configured' });
  });

  it('cannot complete an order of another provider, of another amount, or of another currency', async () => {
    const user = await world.user('ann');
    const epay = await world.order(user, 1);
    const no = await order(user, 10);
    world.stripe.pay(no);
    const genuine = world.stripe.event(no, completed);
    const changed = [
      genuine.replace(no, epay),
      genuine.replace('"amount_subtotal":1000', '"amount_subtotal":1'),
      genuine.replace('"currency":"usd"', '"currency":"jpy"'),
    ];
    for (const body of changed) expect(await world.stripe.send(webhook, body)).toBe(200);
    expect([await world.balance(user), await stateOf(epay), await stateOf(no)]).toEqual([
      0,
      'pending',
      'pending',
    ]);
    expect(world.lines.length).toBe(3);
  });

  it('is told to come again if the database fails', async () => {
    const user = await world.user('ann');
    const no = await order(user, 1);
    world.stripe.pay(no);
    world.fault.crediting = () => Promise.reject(new Error('the disk is full'));
    expect(await tell(no)).toBe(500);
    world.fault.crediting = null;
    expect(await tell(no)).toBe(200);
    expect(await world.balance(user)).toBe(500_000);
  });
});

describe('a refund of a top-up at Stripe', () => {
  const refund = (no: string) => world.payments.refund({ id: 1 }, { tradeNo: no, reason: 'by mistake' });

  async function paidOrder(): Promise<{ user: number; no: string }> {
    const user = await world.user('ann');
    const no = await order(user, 10);
    world.stripe.pay(no);
    await tell(no);
    return { user, no };
  }

  it('pays back once, also after a failure at Stripe', async () => {
    const { user, no } = await paidOrder();
    world.stripe.fail('An unknown error occurred');
    await expect(refund(no)).rejects.toMatchObject({ code: 'refund_not_paid' });
    expect([await world.balance(user), world.stripe.refunds.length]).toEqual([0, 0]);
    world.stripe.fail(undefined);
    const [one, other] = await Promise.all([refund(no), refund(no)]);
    expect([one, other, await refund(no)]).toEqual(Array(3).fill({ quota: 5_000_000, money: 10 }));
    expect(world.stripe.refunds).toMatchObject([{ amount: 1_000, metadata: { trade_no: no } }]);
    // Stripe reports its own refund as well.
    expect(await tell(no, 'charge.refunded')).toBe(200);
    expect([await world.balance(user), await stateOf(no)]).toEqual([0, 'refunded']);
  });

  it('pays back no more than is left at Stripe', async () => {
    const { no } = await paidOrder();
    world.stripe.refund(no, 300);
    await refund(no);
    expect(world.stripe.refunds.map(({ amount }) => amount)).toEqual([300, 700]);
    await refund(no);
    expect(world.stripe.refunds.length).toBe(2);
  });

  it('that was made at Stripe takes what is left of the credit', async () => {
    const { user, no } = await paidOrder();
    const event = JSON.parse(world.stripe.event(no, 'charge.refunded')) as {
      data: { object: { refunded: boolean } };
    };
    expect(await world.stripe.send(webhook, JSON.stringify(event))).toBe(200);
    expect(await world.balance(user)).toBe(5_000_000);
    event.data.object.refunded = true;
    expect(await world.stripe.send(webhook, JSON.stringify(event))).toBe(200);
    expect(await world.stripe.send(webhook, JSON.stringify(event))).toBe(200);
    expect([await world.balance(user), await stateOf(no)]).toEqual([0, 'refunded']);
    expect(world.stripe.refunds).toEqual([]);
  });
});

describe('a payment that is paid back at Stripe before it is credited', () => {
  const reports = {
    'by its late webhook': (no: string) => tell(no),
    'by asking': () => {
      world.clock.now += 60_000;
      return world.payments.askPending();
    },
  };
  const ways = Object.entries(reports).flatMap(([way, report]) =>
    [true, false].map((told) => ({ way, report, told })),
  );

  it.each(ways)('is never credited when found $way; its refund is told: $told', async ({ report, told }) => {
    const user = await world.user('ann');
    const no = await order(user, 10);
    world.stripe.pay(no, 190);
    world.stripe.refund(no, 190);
    if (told) await tell(no, 'charge.refunded');
    world.stripe.refund(no, 1_000);
    if (told) for (let times = 0; times < 2; times += 1) await tell(no, 'charge.refunded');
    await report(no);
    await report(no);
    expect([await world.balance(user), await stateOf(no)]).toEqual([0, 'refunded']);
    await expect(world.payments.complete(no)).rejects.toMatchObject({ code: 'order_not_payable' });
  });

  it.each(ways)('in part is credited with the rest when found $way', async ({ report, told }) => {
    const user = await world.user('ann');
    const no = await order(user, 10);
    world.stripe.pay(no);
    world.stripe.refund(no, 333);
    if (told) await tell(no, 'charge.refunded');
    await report(no);
    await report(no);
    if (told) await tell(no, 'charge.refunded');
    const rest = { money: '6.67', quota: 3_335_000, status: 'success' };
    expect([await world.balance(user), await topUps.findByTradeNo(store.db, no)]).toMatchObject([
      3_335_000,
      rest,
    ]);
    // Nothing more is paid back than what was paid.
    await world.payments.refund({ id: 1 }, { tradeNo: no, reason: 'asked for' });
    expect(world.stripe.refunds.map(({ amount }) => amount)).toEqual([333, 667]);
  });

  it('is not credited, although the order had expired', async () => {
    const user = await world.user('ann');
    const no = await order(user, 10);
    await tell(no, 'checkout.session.expired');
    world.stripe.pay(no);
    world.stripe.refund(no, 1_000);
    await tell(no, 'charge.refunded');
    await tell(no);
    expect([await world.balance(user), await stateOf(no)]).toEqual([0, 'refunded']);
  });
});

describe('amounts', () => {
  it.each([
    ['usd', 2, 1_234n, 1_234],
    ['jpy', 0, 45_400n, 454],
    ['kwd', 3, 1_234n, 12_340],
    ['isk', 2, 500n, 500],
  ])('of %s have %i digits at Stripe', (currency, digits, cents, minor) => {
    expect(minorDigits(currency)).toBe(digits);
    expect(toMinor(cents, currency)).toBe(BigInt(minor));
    expect(fromMinor(minor, currency)).toBe(`${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`);
  });

  it.each([
    [{ total: 2_380, total_excluding_tax: 2_000 }, '3.80'],
    [{ total: 2_000, total_excluding_tax: 2_000 }, undefined],
    [{ total: 2_000, total_excluding_tax: null }, undefined],
    [{}, undefined],
  ])('of taxes are those that an invoice names: %j', (totals, tax) => {
    expect(invoiceTax({ id: 'in_1', currency: 'usd', subtotal: 2_000, lines: { data: [] }, ...totals })).toBe(
      tax,
    );
  });

  it('of events that nothing here needs are not read', () => {
    const at = Math.floor(world.clock.now / 1000);
    for (const body of [
      '{"type":"customer.created","data":{"object":{}}}',
      '{"type":"v2.core.event"}',
      '[]',
    ]) {
      const read = readWebhook(body, world.stripe.sign(body), world.stripe.webhookSecret, at);
      expect(read).toEqual({ kind: 'other' });
    }
  });
});
