import { autoTopUpApi } from '@tollgate/contract';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkBooks } from '../../../services/money/ledger/index.ts';
import { autoTopUps, migrate, openStore, type Store, topUps, users } from '../../../store/index.ts';
import { openWalletWorld, type WalletWorld } from '../../../testing/worlds/wallet-world.ts';

let store: Store;
let world: WalletWorld;
let ann: number;

beforeEach(async () => {
  store = await openStore({ url: 'sqlite::memory:' });
  await migrate(store);
  world = await openWalletWorld(store);
  ann = await world.user('ann');
});
afterEach(async () => {
  expect(await checkBooks(store.db)).toEqual([]);
  await world.close();
  await store.close();
});

const dollar = 500_000;
const terms = { enabled: true, below: 5, amount: 20, month_limit: 50 };
const path = autoTopUpApi.get.path;
const read = async () => (await world.call(ann, 'GET', path)).data;
const set = (change: Partial<typeof terms> = {}) =>
  world.call(ann, 'PUT', autoTopUpApi.set.path, { ...terms, ...change });
const orders = async () =>
  (await topUps.list(store.db, ann, { offset: 0, limit: 50 })).map(({ status }) => status);

/** Saves a card on the page of Stripe. */
async function saveCard(): Promise<void> {
  const answer = await world.call(ann, 'POST', autoTopUpApi.card.path, {});
  const { pay_link: link } = answer.data as { pay_link: string };
  const page = [...world.stripe.checkouts.values()].find(({ id }) => link.endsWith(`/c/pay/${id}`));
  world.stripe.pay(page!.fields.client_reference_id!);
  await read();
}

async function use(amount: number): Promise<void> {
  const accountId = (await users.find(store.db, ann))!.account_id;
  const txn = `use:${amount}:${await world.balance(ann)}`;
  await world.ledger.adjust({
    txn,
    accountId,
    userId: ann,
    change: { by: -amount },
    actorId: 1,
    reason: 'use',
  });
}
const run = async (ms = 5_000) => {
  world.clock.now += ms;
  await world.autoTopUps.run();
};

it('needs a card and a limit that covers a top-up, and is off without them', async () => {
  expect(await read()).toMatchObject({ available: true, enabled: false, card: '' });
  expect(await set()).toMatchObject({ success: false, code: 'auto_topup_no_card' });
  await saveCard();
  expect(await read()).toMatchObject({ card: 'visa 4242', enabled: false });
  expect(await set({ month_limit: 19 })).toMatchObject({ success: false, code: 'auto_topup_limit' });
  await run();
  expect(await orders()).toEqual([]);
  await world.settings.set('stripe.automatic_tax', 'true');
  expect(await read()).toMatchObject({ available: false });
  expect(await set()).toMatchObject({ code: 'payment_not_configured' });
});

it('charges the card once each time the balance falls below, up to the limit of the month', async () => {
  await saveCard();
  await set();
  await Promise.all([run(), run(), run()]);
  await run();
  expect(world.stripe.charges).toMatchObject([{ amount: 2_000, customer: 'cus_cs_test_1' }]);
  expect([await world.balance(ann), await orders()]).toEqual([20 * dollar, ['success']]);
  await use(16 * dollar);
  await run();
  await run();
  expect([await world.balance(ann), await orders()]).toEqual([24 * dollar, ['success', 'success']]);
  // A third would be more than the limit.
  await use(24 * dollar);
  await run();
  expect([world.stripe.charges.length, await read()]).toMatchObject([2, { charged: 40, enabled: true }]);
  await run(31 * 86_400_000);
  expect([world.stripe.charges.length, await world.balance(ann)]).toEqual([3, 20 * dollar]);
});

it.each([
  ['card_declined', 'declined'],
  ['authentication_required', 'authentication'],
] as const)(
  'stops after %s, tells its user once, and goes on when it is switched on again',
  async (cards, problem) => {
    await saveCard();
    await set();
    world.stripe.setCards(cards);
    await run();
    await run();
    expect(world.stripe.charges.length).toBe(1);
    expect(await read()).toMatchObject({ enabled: false, problem });
    expect([world.notices, await orders()]).toEqual([[{ userId: ann, reason: 'auto' }], ['failed']]);
    world.stripe.setCards('succeeded');
    await set();
    await run();
    expect(await read()).toMatchObject({ enabled: true, problem: '' });
    expect(await world.balance(ann)).toBe(20 * dollar);
  },
);

it('finds a charge with a lost answer, and one that takes its time', async () => {
  await saveCard();
  await set();
  world.stripe.setCards('lost');
  await run();
  expect([await world.balance(ann), await orders()]).toEqual([0, ['pending']]);
  await run(11_000);
  expect([await world.balance(ann), world.stripe.charges.length]).toEqual([20 * dollar, 1]);
  await use(20 * dollar);
  world.stripe.setCards('processing');
  await run();
  await run(60_000);
  expect([await world.balance(ann), world.stripe.charges.length]).toEqual([0, 2]);
  world.stripe.charges[1]!.status = 'succeeded';
  await run(3_600_000);
  expect([await world.balance(ann), await orders()]).toEqual([20 * dollar, ['success', 'success']]);
});

it('credits a charge after a crash while it was credited, and gives up one that never left', async () => {
  await saveCard();
  await set();
  world.fault.crediting = () => Promise.reject(new Error('killed'));
  await run();
  world.fault.crediting = null;
  expect(await orders()).toEqual(['pending']);
  await run(11_000);
  expect([await world.balance(ann), world.stripe.charges.length]).toEqual([20 * dollar, 1]);
  await use(20 * dollar);
  // The process dies between its order and the call.
  const order = { user_id: ann, amount: 20, quota: 20 * dollar, money: '20.00', trade_no: 'AUTO1NOlost' };
  const create_time = Math.floor(world.clock.now / 1_000);
  await topUps.create(store.db, {
    ...order,
    provider: 'stripe',
    payment_method: 'auto',
    currency: 'usd',
    create_time,
  });
  await autoTopUps.change(store.db, ann, '', { order_no: order.trade_no });
  await world.payments.askPending();
  await run(130_000);
  expect([await orders(), world.notices.length]).toEqual([['failed', 'success'], 0]);
  await run();
  expect([await world.balance(ann), world.stripe.charges.length]).toEqual([20 * dollar, 2]);
});

it('obeys a limit that is lowered, and a ban, while other cards are charged', async () => {
  const blank = { page_id: '', problem: '', order_no: '', due_time: 0, card: 'visa 4242' };
  const add = async (name: string, change = {}) => {
    const id = await world.user(name);
    const card = { customer: `cus_${name}`, method: `pm_${name}` };
    const row = { ...terms, ...blank, ...card, ...change, user_id: id, enabled: 1 };
    await autoTopUps.create(store.db, row);
    return id;
  };
  await add('first');
  const [limited, lowered, banned] = [await add('limited'), await add('lowered'), await add('banned')];
  // While the first card is charged.
  const others = world.stripe.whileCharged(async () => {
    await autoTopUps.change(store.db, limited, '', { month_limit: 10 });
    await autoTopUps.change(store.db, lowered, '', { below: 0 });
    await users.update(store.db, banned, { status: 2 });
  });
  await run();
  await others;
  expect(world.stripe.charges.map(({ customer }) => customer)).toEqual(['cus_first']);
});

it('charges others when amounts are not sold any more, and is not switched on without a pause', async () => {
  const blank = { page_id: '', problem: '', order_no: '', due_time: 0, card: 'visa 4242' };
  for (const [name, amount] of [
    ['a', 1],
    ['b', 2],
    ['c', 3],
    ['d', 20],
  ] as const) {
    const row = { ...terms, ...blank, amount, customer: `cus_${name}`, method: `pm_${name}`, enabled: 1 };
    await autoTopUps.create(store.db, { ...row, user_id: await world.user(name) });
  }
  await world.settings.set('MinTopUp', '5');
  await run();
  expect(world.stripe.charges.map(({ customer }) => customer)).toEqual(['cus_d']);
  await saveCard();
  const codes: unknown[] = [];
  for (let times = 0; times < 11; times += 1) codes.push((await set())['code']);
  expect(new Set(codes)).toEqual(new Set([undefined, 'too_many_requests']));
  expect(await set({ enabled: false })).toMatchObject({ success: true });
});

it('is refunded like any top-up at Stripe, and ends with its card', async () => {
  await saveCard();
  await set();
  await run();
  const [order] = await topUps.list(store.db, ann, { offset: 0, limit: 1 });
  const refund = { tradeNo: order!.trade_no, reason: 'by mistake' };
  for (let times = 0; times < 2; times += 1)
    expect(await world.payments.refund({ id: 1 }, refund)).toEqual({ quota: 20 * dollar, money: 20 });
  expect(world.stripe.refunds).toMatchObject([{ amount: 2_000 }]);
  await world.call(ann, 'DELETE', autoTopUpApi.removeCard.path);
  await run();
  expect(await read()).toMatchObject({ enabled: false, card: '' });
  expect(world.stripe.charges.length).toBe(1);
});
