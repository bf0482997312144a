import { walletApi } from '@tollgate/contract';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { migrate, openStore, type Store, users } from '../../../store/index.ts';
import { readPdfLines } from '../../../testing/pdf-lines.ts';
import { openWalletWorld, type WalletWorld } from '../../../testing/worlds/wallet-world.ts';

let store: Store;
let world: WalletWorld;

const seller = {
  'invoice.seller_name': 'Example Ltd',
  'invoice.seller_address': '1 Main Street\nLondon',
  'invoice.seller_tax_id': 'GB 123',
  'invoice.footer': 'Thank you.',
  'invoice.prefix': 'A/',
};

beforeEach(async () => {
  store = await openStore({ url: 'sqlite::memory:' });
  await migrate(store);
  world = await openWalletWorld(store);
});
afterEach(async () => {
  await world.close();
  await store.close();
});

async function payByEpay(user: number): Promise<string> {
  const no = await world.order(user, 10);
  world.provider.pay(no);
  await world.provider.notify(no);
  return no;
}

async function payByStripe(user: number, taxes: number): Promise<string> {
  const body = { amount: 10, payment_method: 'stripe' };
  const { data } = await world.call(user, 'POST', '/api/user/stripe/pay', body);
  const { pay_link: link } = data as { pay_link: string };
  const page = [...world.stripe.checkouts.values()].find(({ id }) => link.endsWith(`/${id}`));
  const no = page?.fields.client_reference_id ?? '';
  world.stripe.pay(no, taxes);
  const webhook = `${world.settings.get('ServerAddress')}/api/stripe/webhook`;
  await world.stripe.send(webhook, world.stripe.event(no, 'checkout.session.completed'));
  return no;
}

const read = (user: number, no: string, { path } = walletApi.invoice, kind = 'invoice') =>
  world.call(user, 'GET', `${path}?trade_no=${no}&kind=${kind}`);

/** The text of the PDF, line by line. */
async function readPaper(user: number, no: string, language: string, kind = 'invoice'): Promise<string[]> {
  const url = `${world.settings.get('ServerAddress')}${walletApi.invoice.path}?trade_no=${no}&kind=${kind}&format=pdf`;
  const headers = {
    authorization: `Bearer ${user}`,
    'new-api-user': String(user),
    'accept-language': language,
  };
  const response = await fetch(url, { headers });
  expect(response.headers.get('content-type')).toBe('application/pdf');
  expect(response.headers.get('content-disposition')).toContain('A-2026-');
  return readPdfLines(Buffer.from(await response.arrayBuffer())).flatMap((page) =>
    page.map((cells) => cells.join(' | ')),
  );
}

it('there are none until the seller is filled in, and none for orders from before', async () => {
  const user = await world.user('ann');
  const no = await payByEpay(user);
  await world.settings.setMany(seller);
  expect(await read(user, no)).toMatchObject({ success: false, code: 'row_not_found' });
  const page = await world.call(user, 'GET', '/api/user/topup/self?p=1&page_size=10');
  expect(page.data).toMatchObject({ items: [{ trade_no: no, invoice: '', credit_note: '' }] });
  const numbers = await store.db.selectFrom('invoice_numbers').selectAll().execute();
  expect(numbers).toEqual([]);
});

it('each payment has one, with what was true then, and a refund names it', async () => {
  await world.settings.setMany(seller);
  const user = await world.user('ann');
  await users.update(store.db, user, { email: 'ann@example.com' });
  const first = await payByEpay(user);
  const taxed = await payByStripe(user, 190);
  await world.settings.set('invoice.seller_name', 'Other Ltd');
  await users.update(store.db, user, { username: 'anna' });
  expect((await read(user, first)).data).toMatchObject({
    number: 'A/2026-000001',
    seller: 'Example Ltd',
    buyer: 'ann',
    buyer_email: 'ann@example.com',
    money: '73.00',
    tax: '',
    currency: '',
  });
  expect(await readPaper(user, taxed, 'en')).toEqual([
    'Invoice A/2026-000002',
    'Example Ltd',
    '1 Main Street',
    'London',
    'Tax id: GB 123',
    '',
    'Bill to: ann, ann@example.com',
    'Date: 2026-09-21',
    `Order: ${taxed}`,
    'Item | Amount (USD)',
    '$10.00 of credit | 10.00',
    'Taxes | 1.90',
    'Total, paid | 11.90',
    'Thank you.',
    'Page 1 of 1',
  ]);
  await world.payments.refund({ id: 1 }, { tradeNo: first, reason: 'x' });
  const note = await readPaper(user, first, 'zh', 'credit_note');
  expect(note).toEqual(
    expect.arrayContaining([
      '贷项通知单 A/2026-C000001',
      'Other Ltd',
      '针对 2026-09-21 的发票 A/2026-000001',
      '合计，退还 | 73.00',
    ]),
  );
  expect((await read(user, taxed, walletApi.invoice, 'credit_note')).code).toBe('row_not_found');
});

it('a credit note says what Stripe has paid back, once it has', async () => {
  await world.settings.setMany({ ...seller, 'stripe.currency': 'JPY', 'stripe.unit_price': '151.37' });
  const user = await world.user('ann');
  const accountId = (await users.find(store.db, user))!.account_id;
  const noteOf = async (no: string) => (await read(user, no, walletApi.invoice, 'credit_note')).data;
  const refund = (tradeNo: string) => world.payments.refund({ id: 1 }, { tradeNo, reason: 'x' });
  // A third is used, and 1,009.33 of 1,514 are left: Stripe has no smaller unit.
  const first = await payByStripe(user, 0);
  const use = { txn: 'use', accountId, userId: user, actorId: 1, reason: 'use' };
  await world.ledger.adjust({ ...use, change: { by: -1_666_667 } });
  world.stripe.fail('An unknown error occurred');
  await expect(refund(first)).rejects.toMatchObject({ code: 'refund_not_paid' });
  expect(await noteOf(first)).toBeNull();
  world.stripe.fail(undefined);
  await Promise.all([refund(first), refund(first), refund(first)]);
  expect(await noteOf(first)).toMatchObject({ number: 'A/2026-C000001', money: '1009.00' });
  // A part was paid back in the dashboard.
  const second = await payByStripe(user, 0);
  world.stripe.refund(second, 1_000);
  expect(await refund(second)).toEqual({ quota: 5_000_000, money: 514 });
  expect(await noteOf(second)).toMatchObject({ number: 'A/2026-C000002', money: '514.00' });
  expect(world.stripe.refunds.map(({ amount }) => amount)).toEqual([1_009, 1_000, 514]);
});

it('is read by its buyer and by administrators', async () => {
  await world.settings.setMany(seller);
  const [ann, bob, eve] = [await world.user('ann'), await world.user('bob'), await world.user('eve')];
  await users.update(store.db, eve, { role: 10 });
  const no = await payByEpay(ann);
  expect((await read(bob, no)).code).toBe('row_not_found');
  expect((await read(eve, no)).code).toBe('row_not_found');
  expect((await read(bob, no, walletApi.anyInvoice)).success).toBe(false);
  expect((await read(eve, no, walletApi.anyInvoice)).data).toMatchObject({ buyer: 'ann', trade_no: no });
  expect((await read(eve, 'USR1NO', walletApi.anyInvoice)).code).toBe('row_not_found');
});
