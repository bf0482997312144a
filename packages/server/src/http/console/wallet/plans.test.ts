import { maxBudgets, type Page, planApi, type PlanData, type UserSubscription } from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { moneyRoutes, openAutoTopUps, openPlans, openStatements } from '../../../boot/money.ts';
import { checkBooks, findFacts } from '../../../services/money/ledger/index.ts';
import { createPayments } from '../../../services/money/payments/index.ts';
import { firstEndAfter } from '../../../services/money/payments/plan-periods.ts';
import {
  budgets,
  migrate,
  openStore,
  plans as planRows,
  type Store,
  topUps,
  users,
} from '../../../store/index.ts';
import { noMail, openHouse, testPassword } from '../../../testing/harness.ts';
import { openWalletWorld, type WalletWorld } from '../../../testing/worlds/wallet-world.ts';

let store: Store;
let world: WalletWorld;
let ann: number;
let plan: number;

const terms = {
  name_zh: '专业版',
  name_en: 'Pro',
  price: 20,
  balance_price: 10_000,
  period: 'month',
  quota: 15_000,
  user_group: 'vip',
  budget: 0,
  budget_period: 'day',
  hidden: false,
} as const;

beforeEach(async () => {
  store = await openStore({ url: 'sqlite::memory:' });
  await migrate(store);
  world = await openWalletWorld(store);
  ann = await world.user('ann');
  plan = (await world.plans.create(terms)).id;
});
afterEach(async () => {
  expect(await checkBooks(store.db)).toEqual([]);
  await world.close();
  await store.close();
});

const day = 86_400_000;
const give = async (amount: number) => {
  const accountId = (await users.find(store.db, ann))!.account_id;
  const txn = `gift:${ann}:${amount}`;
  await world.ledger.credit({ txn, kind: 'gift', accountId, userId: ann, amount });
};
const settled = async () => {
  await world.ledger.settleExpired(10);
  return world.balance(ann);
};
const groupOf = async () => (await users.find(store.db, ann))?.group;
const subscribe = (pay: 'stripe' | 'balance') =>
  world.call(ann, 'POST', '/api/plan/subscribe', { plan, pay });
const own = async () => (await world.plans.offers(ann)).subscriptions;
const orders = async () => (await topUps.list(store.db, ann, { offset: 0, limit: 50 })).length;

/** Subscribes at Stripe; returns the name of the subscription. */
async function open(): Promise<string> {
  const answer = await subscribe('stripe');
  const { pay_link: link } = answer.data as { pay_link: string };
  const page = [...world.stripe.checkouts.values()].find(({ id }) => link.endsWith(`/c/pay/${id}`));
  return page?.fields.client_reference_id ?? '';
}
const tell = (name: string, type: string) => {
  const webhook = `${world.settings.get('ServerAddress')}/api/stripe/webhook`;
  return world.stripe.send(webhook, world.stripe.event(name, type));
};
const wait = async (ms: number) => {
  world.clock.now += ms;
  await world.plans.lookAfter();
};

describe('a plan paid from the balance', () => {
  it('takes its price, gives its credit until the end of the month, and its group', async () => {
    await give(25_000);
    expect(await subscribe('balance')).toMatchObject({ success: true, data: { pay_link: '' } });
    expect([await world.balance(ann), await groupOf(), await orders()]).toEqual([30_000, 'vip', 1]);
    expect(await subscribe('balance')).toMatchObject({ success: false, code: 'plan_held' });
    expect(await own()).toMatchObject([{ state: 'active', renews: true, paid_by: 'balance' }]);
    await wait(32 * day);
    expect([await settled(), await orders()]).toEqual([20_000, 2]);
    // What is left does not cover the next period; credit of the plan does not pay for it.
    await wait(31 * day);
    expect([await settled(), await groupOf(), await own()]).toEqual([5_000, 'default', []]);
    expect(world.notices).toEqual([{ userId: ann, reason: 'short' }]);
  });

  it('ends after its period if that is wanted, and goes on if that is taken back', async () => {
    await give(30_000);
    await subscribe('balance');
    const [{ id } = { id: 0 }] = await own();
    const renew = (renews: boolean) => world.call(ann, 'POST', '/api/plan/renew', { id, renews });
    await renew(false);
    await renew(true);
    await wait(32 * day);
    expect(await orders()).toBe(2);
    await renew(false);
    await wait(day);
    expect(await own()).toMatchObject([{ state: 'active', renews: false }]);
    await wait(31 * day);
    expect([await own(), await orders(), await groupOf()]).toEqual([[], 2, 'default']);
    expect(await renew(true)).toMatchObject({ code: 'subscription_not_found' });
    const bob = await world.user('bob');
    const foreign = await world.call(bob, 'POST', '/api/plan/renew', { id, renews: true });
    expect(foreign).toMatchObject({ code: 'subscription_not_found' });
  });

  it('is not renewed while its user is banned', async () => {
    await give(30_000);
    await subscribe('balance');
    await users.update(store.db, ann, { status: 2 });
    await wait(32 * day);
    expect([await settled(), await orders(), await own()]).toEqual([20_000, 1, []]);
  });

  it('is renewed in one run with all others that end at the same time', async () => {
    await world.plans.gift(plan, ann);
    const [mine] = await planRows.ofUser(store.db, ann);
    const { id: _id, ...row } = mine!;
    for (let count = 0; count < 101; count += 1) {
      const given = { name: `SUB9NO${count}`, user_group: '', renews: 1 };
      await planRows.subscribe(store.db, { ...row, ...given });
    }
    await wait(32 * day);
    expect(await settled()).toBe(101 * 15_000);
  });

  it('is not paid by credit of plans, and not begun twice by two clicks', async () => {
    await give(10_000);
    const answers = await Promise.all([subscribe('balance'), subscribe('balance'), subscribe('balance')]);
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    const other = await world.plans.create({ ...terms, name_en: 'Other' });
    const second = await world.call(ann, 'POST', '/api/plan/subscribe', { plan: other.id, pay: 'balance' });
    expect(second).toMatchObject({ success: false, code: 'plan_not_payable' });
    expect([await world.balance(ann), await orders()]).toEqual([15_000, 1]);
  });

  it('returns the share of its price with what is left of its credit, once', async () => {
    await give(10_000);
    await subscribe('balance');
    const accountId = (await users.find(store.db, ann))!.account_id;
    const change = { by: -5_000 };
    await world.ledger.adjust({ txn: 'use', accountId, userId: ann, change, actorId: 1, reason: 'use' });
    const [order] = await topUps.list(store.db, ann, { offset: 0, limit: 1 });
    const input = { tradeNo: order!.trade_no, reason: 'asked for' };
    for (let times = 0; times < 2; times += 1)
      expect(await world.payments.refund({ id: 1 }, input)).toEqual({ quota: 10_000, money: 0 });
    expect(await world.balance(ann)).toBe(6_666);
  });
});

describe('a plan at Stripe', () => {
  it('is credited once for each paid invoice, whatever webhooks arrive', async () => {
    const name = await open();
    expect(world.stripe.of(name).fields).toMatchObject({
      mode: 'subscription',
      'line_items[0][price_data][unit_amount]': '2000',
      'line_items[0][price_data][recurring][interval]': 'month',
      'subscription_data[metadata][subscription]': name,
    });
    expect([await own(), await orders()]).toEqual([[], 0]);
    world.stripe.pay(name);
    // The invoice arrives before the page that it is about.
    const types = ['invoice.paid', 'checkout.session.completed', 'customer.subscription.updated'];
    const answers = await Promise.all([...types, ...types].map((type) => tell(name, type)));
    expect(new Set(answers)).toEqual(new Set([200]));
    expect([await world.balance(ann), await orders(), await groupOf()]).toEqual([15_000, 1, 'vip']);
    expect(await own()).toMatchObject([{ state: 'active', paid_by: 'stripe', price: 20, currency: 'usd' }]);
    world.clock.now += 30 * day;
    world.stripe.endPeriod(name);
    await tell(name, 'invoice.paid');
    await tell(name, 'invoice.paid');
    expect([await world.balance(ann), await orders()]).toEqual([30_000, 2]);
    world.clock.now += 7_201_000;
    expect(await settled()).toBe(15_000);
  });

  it('has an invoice for each period that is paid with money', async () => {
    await world.settings.setMany({
      'invoice.seller_name': 'Example Ltd',
      'invoice.seller_address': '1 Main Street',
    });
    await give(25_000);
    await subscribe('balance');
    const other = await world.plans.create({ ...terms, name_en: 'Two', user_group: '' });
    plan = other.id;
    const name = await open();
    world.stripe.pay(name);
    await tell(name, 'checkout.session.completed');
    await tell(name, 'invoice.paid');
    const rows = await topUps.list(store.db, ann, { offset: 0, limit: 50 });
    expect(rows.map(({ provider, invoice }) => [provider, invoice.slice(4)])).toEqual([
      ['stripe', '-000001'],
      ['balance', ''],
    ]);
    const facts = await findFacts(store.db, rows[0]!.trade_no, 'invoice');
    expect(facts).toMatchObject({ plan: { en: 'Two' }, money: '20.00', currency: 'usd', quota: 15_000 });
  });

  it('is found by asking when its webhooks were lost', async () => {
    const name = await open();
    world.stripe.pay(name);
    await wait(61_000);
    expect([await orders(), await groupOf()]).toEqual([1, 'vip']);
    world.stripe.endPeriod(name);
    await wait(30 * day + 61_000);
    expect(await orders()).toBe(2);
    world.stripe.endPeriod(name, 'open');
    await wait(30 * day);
    expect(await own()).toMatchObject([{ state: 'overdue' }]);
    expect([await orders(), await groupOf(), world.notices]).toEqual([
      2,
      'default',
      [{ userId: ann, reason: 'failed' }],
    ]);
    world.stripe.payOpen(name);
    await wait(3_600_000);
    expect([await orders(), await groupOf()]).toEqual([3, 'vip']);
  });

  it('ends after its period if its user wants that, and at once if root does', async () => {
    const name = await open();
    world.stripe.pay(name);
    await tell(name, 'checkout.session.completed');
    const [{ id } = { id: 0 }] = await own();
    await world.call(ann, 'POST', '/api/plan/renew', { id, renews: false });
    expect(world.stripe.subscription(name).cancel_at_period_end).toBe(true);
    expect(await own()).toMatchObject([{ renews: false }]);
    await world.call(ann, 'POST', '/api/plan/renew', { id, renews: true });
    expect(world.stripe.subscription(name).cancel_at_period_end).toBe(false);
    await world.plans.end(id);
    expect([world.stripe.subscription(name).status, await own(), await groupOf()]).toEqual([
      'canceled',
      [],
      'default',
    ]);
    // Its credit was paid for.
    expect(await world.balance(ann)).toBe(15_000);
    await tell(name, 'customer.subscription.deleted');
    expect([await orders(), world.notices.length]).toEqual([1, 1]);
  });

  it('leaves one page to pay, and refuses a second subscription', async () => {
    const first = await open();
    const second = await open();
    expect([world.stripe.of(first).status, world.stripe.of(second).status]).toEqual(['expired', 'open']);
    world.stripe.pay(second);
    expect(await subscribe('stripe')).toMatchObject({ code: 'plan_held' });
    expect(await orders()).toBe(1);
    await wait(2 * day);
    expect((await planRows.ofUser(store.db, ann)).length).toBe(1);
  });

  it('opens ten pages in ten minutes', async () => {
    const answers = [];
    for (let count = 0; count < 11; count += 1) answers.push(await subscribe('stripe'));
    expect(answers.map(({ success }) => success)).toEqual([...Array(10).fill(true), false]);
    expect(answers.at(-1)).toMatchObject({ code: 'too_many_requests' });
  });

  it('has one page after two clicks at once, whose payment is credited', async () => {
    const answers = await Promise.all([subscribe('stripe'), subscribe('stripe'), subscribe('stripe')]);
    const links = answers.flatMap(({ data }) => (data as { pay_link: string } | undefined)?.pay_link ?? []);
    const pages = [...world.stripe.checkouts.values()];
    const payable = pages.filter(({ status }) => status === 'open');
    expect(payable.length).toBe(1);
    expect(links.filter((link) => link.endsWith(`/c/pay/${payable[0]!.id}`))).toHaveLength(1);
    const name = payable[0]!.fields.client_reference_id!;
    world.stripe.pay(name);
    await tell(name, 'checkout.session.completed');
    expect([await world.balance(ann), await orders()]).toEqual([15_000, 1]);
  });

  it('is credited and ended at Stripe if it is paid although it was given up', async () => {
    const name = await open();
    const row = (await planRows.findByName(store.db, name))!;
    await planRows.change(store.db, row.id, { states: ['pending'] }, { state: 'ended' });
    world.stripe.pay(name);
    await tell(name, 'checkout.session.completed');
    expect([await world.balance(ann), world.stripe.subscription(name).status]).toEqual([15_000, 'canceled']);
  });

  it('is paid back once, by root or in the dashboard', async () => {
    const name = await open();
    world.stripe.pay(name);
    await tell(name, 'invoice.paid');
    const [order] = await topUps.list(store.db, ann, { offset: 0, limit: 1 });
    const input = { tradeNo: order!.trade_no, reason: 'asked for' };
    for (let times = 0; times < 2; times += 1)
      expect(await world.payments.refund({ id: 1 }, input)).toEqual({ quota: 15_000, money: 20 });
    expect(world.stripe.refunds).toMatchObject([{ amount: 2_000 }]);
    world.stripe.endPeriod(name);
    await tell(name, 'invoice.paid');
    expect(await world.balance(ann)).toBe(15_000);
    world.stripe.refund(name, 2_000);
    await tell(name, 'charge.refunded');
    await tell(name, 'charge.refunded');
    expect([await world.balance(ann), world.stripe.refunds.length]).toEqual([0, 2]);
  });

  it('is not credited after it was paid back, if only that webhook arrives', async () => {
    const name = await open();
    world.stripe.pay(name);
    world.stripe.refund(name, 2_000);
    expect(await tell(name, 'charge.refunded')).toBe(200);
    await tell(name, 'invoice.paid');
    await wait(2 * day);
    const [order] = await topUps.list(store.db, ann, { offset: 0, limit: 1 });
    expect([await world.balance(ann), order]).toMatchObject([0, { status: 'refunded' }]);
  });

  it('is credited with what was not paid back, if the webhook of its refund was lost', async () => {
    const name = await open();
    world.stripe.pay(name);
    world.stripe.refund(name, 500);
    await tell(name, 'invoice.paid');
    world.clock.now += 30 * day;
    world.stripe.endPeriod(name);
    world.stripe.refund(name, 2_000);
    await tell(name, 'invoice.paid');
    const rows = await topUps.list(store.db, ann, { offset: 0, limit: 5 });
    expect(rows).toMatchObject([
      { status: 'refunded', money: '20.00' },
      { status: 'success', money: '15.00', quota: 11_250 },
    ]);
    expect(await world.balance(ann)).toBe(11_250);
    await world.payments.refund({ id: 1 }, { tradeNo: rows[1]!.trade_no, reason: 'asked for' });
    expect(world.stripe.refunds.map(({ amount }) => amount)).toEqual([500, 2_000, 1_500]);
  });

  it('gives a whole period, once, for a payment that arrives late', async () => {
    const name = await open();
    world.stripe.pay(name);
    await tell(name, 'invoice.paid');
    world.clock.now += 30 * day;
    world.stripe.endPeriod(name, 'open');
    world.clock.now += 31 * day;
    expect(await settled()).toBe(0);
    world.stripe.payOpen(name);
    for (let times = 0; times < 2; times += 1) {
      await tell(name, 'invoice.paid');
      expect([await settled(), await orders()]).toEqual([15_000, 2]);
      world.clock.now += 29 * day;
    }
    expect(await settled()).toBe(0);
  });

  it('of others does not delay renewals from balances while Stripe does not answer', async () => {
    await give(30_000);
    await subscribe('balance');
    const [mine] = await planRows.ofUser(store.db, ann);
    const { id: _id, ended_time: _ended, ...row } = mine!;
    for (let count = 0; count < 101; count += 1) {
      const other = { ...row, name: `SUB9NO${count}`, user_id: 1_000 + count, user_group: '' };
      const stripe = { paid_by: 'stripe', provider_id: `sub_of_${count}`, due_time: 1 };
      await planRows.subscribe(store.db, { ...other, ...stripe });
    }
    world.stripe.fail('An unknown error occurred');
    await wait(32 * day);
    expect([await settled(), await orders()]).toEqual([25_000, 2]);
  });

  it('credits no invoice of another price, and tells Stripe to come again if it does not answer', async () => {
    const name = await open();
    world.stripe.pay(name);
    world.stripe.fail('An unknown error occurred');
    expect(await tell(name, 'invoice.paid')).toBe(500);
    world.stripe.fail(undefined);
    world.stripe.subscription(name).invoices[0]!.subtotal = 1;
    expect(await tell(name, 'invoice.paid')).toBe(200);
    expect([await world.balance(ann), await own()]).toEqual([0, []]);
    expect(world.lines.at(-1)?.fields).toMatchObject({ audit: 'payment', invoice: 'in_1' });
  });

  it.each([
    ['deleted', () => users.softDelete(store.db, ann, 1)],
    ['banned', () => users.update(store.db, ann, { status: 2 })],
  ])('ends there within a minute of its user being %s, or when Stripe answers again', async (_, leave) => {
    const name = await open();
    world.stripe.pay(name);
    await tell(name, 'invoice.paid');
    await leave();
    world.stripe.fail('An unknown error occurred');
    for (let times = 0; times < 3; times += 1) await wait(60_000);
    expect(await planRows.findByName(store.db, name)).toMatchObject({ state: 'active' });
    world.stripe.fail(undefined);
    await wait(60_000);
    expect(world.stripe.subscription(name).status).toBe('canceled');
    expect(await planRows.findByName(store.db, name)).toMatchObject({ state: 'ended' });
  });
});

describe('plans of the operator', () => {
  it('keep their terms for those who have them, and are deleted only without subscribers', async () => {
    await give(20_000);
    await subscribe('balance');
    await world.plans.update(plan, { ...terms, balance_price: 1, quota: 1, hidden: true });
    await expect(world.plans.remove(plan)).rejects.toMatchObject({ code: 'plan_has_subscribers' });
    await wait(32 * day);
    expect(await settled()).toBe(15_000);
    expect((await world.plans.offers(ann)).plans).toEqual([]);
    expect(await subscribe('balance')).toMatchObject({ code: 'plan_not_found' });
    expect((await world.plans.list()).map(({ subscribers }) => subscribers)).toEqual([1]);
    await wait(32 * day);
    await world.plans.remove(plan);
    expect(await world.plans.list()).toEqual([]);
  });

  it('are given for one period', async () => {
    await world.plans.gift(plan, ann);
    await expect(world.plans.gift(plan, ann)).rejects.toMatchObject({ code: 'plan_held' });
    expect([await world.balance(ann), await groupOf()]).toEqual([15_000, 'vip']);
    await wait(32 * day);
    expect([await settled(), await groupOf(), await own()]).toEqual([0, 'default', []]);
  });

  it('give the group back that the user had, in any order of their ends', async () => {
    const other = await world.plans.create({ ...terms, user_group: 'svip', period: 'year' });
    await world.plans.gift(plan, ann);
    await world.plans.gift(other.id, ann);
    expect(await groupOf()).toBe('svip');
    await wait(32 * day);
    expect(await groupOf()).toBe('svip');
    await wait(366 * day);
    expect(await groupOf()).toBe('default');
    await expect(world.plans.create({ ...terms, user_group: 'unknown' })).rejects.toMatchObject({
      code: 'group_unknown',
    });
  });
});

describe('the budget of a plan', () => {
  const limit = { budget: 2_000, budget_period: 'week' } as const;
  const limits = async () => {
    const rows = await budgets.list(store.db, { user_id: ann }, { limit: 10 });
    return rows.map(({ name, amount, period, used }) => ({ name, amount, period, used }));
  };
  const applied = () =>
    world.budgetRules.of?.({ tokenId: 1, userId: ann, teamId: 0, group: 'vip', model: 'm' })?.length ?? 0;

  it('limits its subscriber while it lasts, with the terms that it began with', async () => {
    await world.plans.update(plan, { ...terms, ...limit });
    expect((await world.plans.offers(ann)).plans).toMatchObject([limit]);
    await world.plans.gift(plan, ann);
    await world.plans.update(plan, { ...terms, budget: 1 });
    const kept = { name: 'Pro', amount: 2_000, period: 'week', used: 0 };
    expect([await limits(), applied(), await own()]).toMatchObject([[kept], 1, [limit]]);
    const [{ id } = { id: 0 }] = await budgets.list(store.db, { user_id: ann }, { limit: 10 });
    expect(await budgets.find(store.db, id)).toMatchObject({ mode: 'hard', set_by: 'site' });
    await wait(32 * day);
    expect([await limits(), applied()]).toEqual([[], 0]);
  });

  it('goes with a payment that fails, comes back with it, and ends with a deleted user', async () => {
    await world.plans.update(plan, { ...terms, ...limit, user_group: '' });
    const name = await open();
    expect(await limits()).toEqual([]);
    world.stripe.pay(name);
    await wait(61_000);
    expect(await limits()).toHaveLength(1);
    world.stripe.endPeriod(name, 'open');
    await wait(30 * day);
    expect([await limits(), applied()]).toEqual([[], 0]);
    world.stripe.payOpen(name);
    await wait(3_600_000);
    expect([(await limits()).length, applied()]).toEqual([1, 1]);
    await users.softDelete(store.db, ann, 1);
    await wait(7 * day);
    expect(await limits()).toEqual([]);
  });

  it('is one of at most eight on a site, and may be removed by an administrator', async () => {
    await world.plans.update(plan, { ...terms, ...limit });
    for (let count = 1; count < maxBudgets; count += 1) await world.plans.create({ ...terms, ...limit });
    const more = world.plans.create({ ...terms, ...limit });
    await expect(more).rejects.toMatchObject({ code: 'budget_limit_reached' });
    const plain = await world.plans.create(terms);
    const changed = world.plans.update(plain.id, { ...terms, ...limit });
    await expect(changed).rejects.toMatchObject({ code: 'budget_limit_reached' });
    await world.plans.update(plan, { ...terms, ...limit, quota: 1 });
    await world.plans.gift(plan, ann);
    const [{ id } = { id: 0 }] = await budgets.list(store.db, { user_id: ann }, { limit: 10 });
    await budgets.remove(store.db, id);
    await wait(32 * day);
    expect([await limits(), await own()]).toEqual([[], []]);
  });
});

it('the calls about plans are answered to those who may make them', async () => {
  const house = await openHouse({
    routes: (core, people) => {
      const plans = openPlans(core, { planStops: () => undefined });
      const stripeUrl = core.env.stripeUrl;
      const payments = createPayments({ ...core, db: core.store.db, plans, stripeUrl });
      return moneyRoutes(
        core,
        {
          payments,
          plans,
          autoTopUps: openAutoTopUps(core, { autoTopUpFails: () => undefined }),
          statements: openStatements(core, noMail),
        },
        people,
      );
    },
  });
  const root = await house.person('root', { role: 100 });
  const bob = await house.person('bob', { quota: 10_000 });
  const input = { ...terms, user_group: '' };
  const made = (await root.must(planApi.create, input)) as PlanData;
  expect(made).toMatchObject({ ...input, id: 1, currency: 'usd', subscribers: 0 });
  await root.must(planApi.update, { ...input, id: made.id, hidden: true });
  expect(await bob.must(planApi.offers, {})).toEqual({ plans: [], subscriptions: [] });
  await root.must(planApi.gift, { plan: made.id, user_id: bob.userId }, { password: testPassword });
  expect(await root.must(planApi.list, {})).toMatchObject([{ hidden: true, subscribers: 1 }]);
  const page = (await root.must(planApi.subscriptions, {})) as Page<UserSubscription>;
  expect(page.items).toMatchObject([{ username: 'bob', paid_by: 'gift', state: 'active', renews: false }]);
  await root.must(planApi.end, { id: page.items[0]!.id });
  await root.must(planApi.remove, { id: made.id });
  expect(await root.must(planApi.list, {})).toEqual([]);
  await house.close();
});

it('periods are counted from the first, so short months do not move later ones', () => {
  const at = (text: string) => Date.parse(`${text}Z`) / 1_000;
  const start = at('2027-01-31T10:30:00');
  expect(firstEndAfter(start, 'month', start)).toBe(at('2027-02-28T10:30:00'));
  expect(firstEndAfter(start, 'month', at('2027-02-28T10:30:00'))).toBe(at('2027-03-31T10:30:00'));
  expect(firstEndAfter(at('2028-02-29T00:00:01'), 'year', start)).toBe(at('2029-02-28T00:00:01'));
  expect(firstEndAfter(start, 'month', at('2027-06-30T10:29:59'))).toBe(at('2027-06-30T10:30:00'));
  expect(firstEndAfter(start, 'day', start - 1)).toBe(at('2027-02-01T10:30:00'));
  expect(firstEndAfter(start, 'day', at('2027-03-01T10:30:00'))).toBe(at('2027-03-02T10:30:00'));
  expect(firstEndAfter(start, 'week', at('2027-02-08T00:00:00'))).toBe(at('2027-02-14T10:30:00'));
});
