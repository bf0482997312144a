import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eachDialect } from '../../../store/each-dialect.ts';
import { budgets, plans as planRows, topUps, users } from '../../../store/index.ts';
import { openSecondNode, openWalletWorld, type WalletWorld } from '../../../testing/worlds/wallet-world.ts';
import { checkBooks } from '../ledger/index.ts';

const runs = Number(process.env['FUZZ_RUNS'] ?? 12);
const events = [
  'checkout.session.completed',
  'invoice.paid',
  'invoice.payment_failed',
  'customer.subscription.updated',
] as const;

/** One step of a history. Numbers choose among what is there. */
const which = fc.nat(50);
const step = fc.record({
  what: fc.oneof(
    fc.record({ op: fc.constant('balance' as const), plan: which }),
    fc.record({ op: fc.constant('gift' as const), plan: which }),
    fc.record({ op: fc.constant('stripe' as const), plan: which, pays: fc.boolean() }),
    fc.record({
      op: fc.constant('wait' as const),
      hours: fc.integer({ min: 1, max: 1_000 }),
      both: fc.boolean(),
    }),
    fc.record({ op: fc.constant('period' as const), of: which, paid: fc.boolean() }),
    fc.record({ op: fc.constant('pay' as const), of: which }),
    fc.record({
      op: fc.constant('tell' as const),
      of: which,
      type: fc.constantFrom(...events),
      times: fc.integer({ min: 1, max: 3 }),
    }),
    fc.record({ op: fc.constant('renew' as const), of: which, renews: fc.boolean() }),
    fc.record({ op: fc.constant('end' as const), of: which }),
    fc.record({ op: fc.constant('refund' as const), of: which }),
    fc.record({ op: fc.constant('use' as const), amount: fc.integer({ min: 1, max: 20_000 }) }),
  ),
  killed: fc.option(fc.constantFrom('rolled back' as const, 'committed' as const), {
    nil: undefined,
    freq: 4,
  }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Credit of a period in the model. */
interface ModelGrant {
  order: string;
  quota: number;
  left: number;
  /** Taken back by a refund; a repetition answers the same. */
  back?: number;
  ends: number;
  price: number;
}

/** A subscription without Stripe in the model. */
interface ModelPlan {
  plan: number;
  start: number;
  end: number;
  pays: boolean;
  renews: boolean;
  isOver: boolean;
}

const prices = [10_000, 3_000, 2_000];
const quotas = [15_000, 4_001, 3_000];
const limits = [
  { name: 'Plan 0', amount: 5_000, period: 'day' },
  { name: 'Plan 1', amount: 0, period: 'hour' },
  { name: 'Plan 2', amount: 9_000, period: 'month' },
] as const;

/** What a wallet should have, written without looking at the code. */
class Model {
  cash = 50_000;
  grants: ModelGrant[] = [];
  plans: ModelPlan[] = [];

  balance(at: number): number {
    return this.cash + this.grants.reduce((sum, { left, ends }) => sum + (ends > at ? left : 0), 0);
  }

  use(amount: number, at: number): void {
    let rest = amount;
    for (const grant of this.grants.filter(({ ends }) => ends > at).toSorted((a, b) => a.ends - b.ends)) {
      const part = Math.min(rest, grant.left);
      grant.left -= part;
      rest -= part;
    }
    this.cash -= rest;
  }

  begin(plan: number, pays: boolean, at: number): boolean {
    if (pays && this.cash < prices[plan]!) return false;
    const begun = { plan, start: at, end: 0, pays, renews: pays, isOver: false };
    this.plans.push(begun);
    this.pay(begun, at);
    return true;
  }

  lookAfter(at: number): void {
    for (const each of this.plans
      .filter(({ isOver, end }) => !isOver && end <= at)
      .toSorted((a, b) => a.end - b.end))
      if (each.renews && this.cash >= prices[each.plan]!) this.pay(each, at);
      else each.isOver = true;
  }

  private pay(each: ModelPlan, at: number): void {
    each.end = nextEnd(each.start, at);
    const price = each.pays ? prices[each.plan]! : 0;
    this.cash -= price;
    const quota = quotas[each.plan]!;
    this.grants.push({ order: '', quota, left: quota, ends: each.end, price });
  }
}

/** The same day of the first later month, or its last day. */
function nextEnd(start: number, at: number): number {
  for (let months = 1; ; months += 1) {
    const date = new Date(start * 1_000);
    const day = date.getUTCDate();
    date.setUTCDate(1);
    date.setUTCMonth(date.getUTCMonth() + months);
    const month = date.getUTCMonth();
    date.setUTCDate(day);
    if (date.getUTCMonth() !== month) date.setUTCDate(0);
    if (date.getTime() / 1_000 > at) return date.getTime() / 1_000;
  }
}

eachDialect('histories of plans', ({ open, openAgain }) => {
  let world: WalletWorld;
  let other: Awaited<ReturnType<typeof openSecondNode>>;
  let plans: number[];
  let serial = 0;

  beforeEach(async () => {
    world = await openWalletWorld(await open());
    other = await openSecondNode(await openAgain(), world.stripe.url);
    const common = { name_zh: '套餐', price: 5, period: 'month' } as const;
    plans = [];
    for (const [index, quota] of quotas.entries()) {
      const group = ['vip', 'svip', ''][index]!;
      const { name: name_en, amount: budget, period: budget_period } = limits[index]!;
      const given = { quota, user_group: group, name_en, budget, budget_period };
      const terms = { ...common, ...given, balance_price: prices[index]!, hidden: false };
      plans.push((await world.plans.create(terms)).id);
    }
  });
  afterEach(async () => {
    await other.close();
    await world.close();
  });

  /** Runs one history of one user. */
  async function live(history: readonly Step[]): Promise<void> {
    const { db } = world.store;
    const user = await world.user(`user${(serial += 1)}`);
    const { account_id: accountId } = (await users.find(db, user))!;
    const model = new Model();
    await world.ledger.credit({
      txn: `gift:${user}`,
      kind: 'gift',
      accountId,
      userId: user,
      amount: model.cash,
    });
    // Budgets of the user and the operator that look like those of a plan.
    const { name, amount, period } = limits[0];
    const alike = { token_id: 0, team_id: 0, group: '', model: '', name, amount, period, time_zone: 'UTC' };
    const others: number[] = [];
    for (const setBy of ['own', 'site']) {
      const window = { window_start: 0, window_end: 0, created_time: 1 };
      const terms = { ...alike, ...window, user_id: user, mode: 'hard', enabled: 1, set_by: setBy };
      others.push(await budgets.create(db, terms));
    }
    const webhook = `${world.settings.get('ServerAddress')}/api/stripe/webhook`;
    const now = () => Math.floor(world.clock.now / 1_000);
    const ignored = () => undefined;
    const all = async () =>
      (await planRows.listSubscriptions(db, { offset: 0, limit: 100 })).rows.filter(
        (row) => row.user_id === user,
      );
    const pages = () =>
      [...world.stripe.checkouts.values()].filter(({ fields }) =>
        fields.client_reference_id?.startsWith(`SUB${user}NO`),
      );
    const begunPages = () => pages().filter(({ status }) => status === 'complete');
    const pick = <T>(list: readonly T[], at: number): T | undefined => list[at % Math.max(1, list.length)];

    /** Stripe's periods enter the model when their orders appear; the rest of the model is the model's own. */
    const readOrders = async () => {
      const rows = (await topUps.list(db, user, { offset: 0, limit: 200 })).toReversed();
      const known = new Set(model.grants.map(({ order }) => order));
      for (const row of rows.filter(({ trade_no: no }) => !known.has(no))) {
        if (row.provider === 'stripe') {
          const invoices = begunPages().flatMap(
            ({ fields }) => world.stripe.subscription(fields.client_reference_id!).invoices,
          );
          const { end } = invoices.find(({ id }) => `PLAN${id}` === row.trade_no)!;
          model.grants.push({
            order: row.trade_no,
            quota: row.quota,
            left: row.quota,
            // A late one lasts as long as its period.
            ends: Math.max(end + 7_200, row.create_time + 2_592_000),
            price: 0,
          });
        } else {
          const grant = model.grants.find(
            ({ order, quota, price }) => order === '' && quota === row.quota && price === row.balance_price,
          );
          if (!grant) throw new Error(`the order ${row.trade_no} is not in the model`);
          grant.order = row.trade_no;
        }
      }
      expect(model.grants.filter(({ order }) => order === '')).toEqual([]);
      expect(rows.length).toBe(model.grants.length);
    };

    /** A plan that goes on has one budget; nothing else has changed. */
    const checkBudgets = async () => {
      const byStripe = (await all()).flatMap((row) =>
        row.paid_by === 'stripe' && row.state === 'active' ? [plans.indexOf(row.plan_id)] : [],
      );
      const going = model.plans.flatMap(({ plan, isOver }) => (isOver ? [] : [plan]));
      const expected = [...byStripe, ...going]
        .map((plan) => limits[plan]!)
        .filter((limit) => limit.amount > 0);
      const rows = await budgets.list(db, { user_id: user }, { limit: 100 });
      expect(rows.slice(0, 2)).toMatchObject(others.map((id) => ({ ...alike, id, enabled: 1 })));
      const shown = rows.slice(2).map(({ name, amount, period, mode, set_by: setBy }) => ({
        name,
        amount,
        period,
        mode,
        setBy,
      }));
      const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);
      const wanted = expected.map((limit) => ({ ...limit, mode: 'hard', setBy: 'site' }));
      expect(shown.toSorted(byName)).toEqual(wanted.toSorted(byName));
    };

    const lookAfter = async (both: boolean) => {
      await Promise.all([world.plans.lookAfter(), ...(both ? [other.plans.lookAfter()] : [])]);
      // A killed part is done by the next run.
      world.fault.change = undefined;
      await world.plans.lookAfter();
      model.lookAfter(now());
    };

    const perform = async ({ what, killed }: Step): Promise<void> => {
      if (what.op === 'wait') {
        world.clock.now += what.hours * 3_600_000;
        other.clock.now = world.clock.now;
        world.fault.change = killed;
        return lookAfter(what.both);
      }
      if (what.op === 'balance' || what.op === 'gift') {
        const index = what.plan % plans.length;
        const held = (await planRows.ofUser(db, user)).some(
          ({ plan_id: plan, state }) => plan === plans[index] && state !== 'pending',
        );
        world.fault.change = killed;
        await (
          what.op === 'gift'
            ? world.plans.gift(plans[index]!, user)
            : world.plans.subscribe(user, plans[index]!, 'balance')
        ).catch(ignored);
        if (!held && killed !== 'rolled back') model.begin(index, what.op === 'balance', now());
      } else if (what.op === 'stripe') {
        world.fault.change = killed;
        await world.plans.subscribe(user, pick(plans, what.plan)!, 'stripe').catch(ignored);
        const page = pages().at(-1);
        if (what.pays && page?.status === 'open') world.stripe.pay(page.fields.client_reference_id!);
      } else if (what.op === 'use') {
        const amount = Math.min(what.amount, model.balance(now()));
        const change = { by: -amount };
        await world.ledger.adjust({
          txn: `use:${(serial += 1)}`,
          accountId,
          userId: user,
          change,
          actorId: 1,
          reason: 'use',
        });
        model.use(amount, now());
      } else if (what.op === 'refund') {
        const grant = pick(model.grants, what.of);
        if (!grant) return;
        const taken = grant.ends > now() ? grant.left : 0;
        const back = world.payments.refund({ id: 1 }, { tradeNo: grant.order, reason: 'history' });
        const quota = await back.then(
          (done) => done.quota,
          () => 0,
        );
        if (quota !== (grant.back ?? taken))
          throw new Error(`the refund of ${grant.order} took ${quota}, and not ${grant.back ?? taken}`);
        if (taken > 0) grant.back = taken;
        grant.left -= taken;
        model.cash += Math.floor((grant.price * taken) / grant.quota);
      } else if (what.op === 'renew' || what.op === 'end') {
        const row = pick(
          (await all()).filter(({ state }) => state !== 'ended'),
          what.of,
        );
        if (!row) return;
        const mine = model.plans.find(
          ({ start, isOver }) => !isOver && start === row.start_time && row.paid_by !== 'stripe',
        );
        if (what.op === 'end') {
          const ended = world.plans.end(row.id);
          // One that was cancelled may have ended at Stripe.
          await ended.catch(async (error: unknown) => {
            if ((await planRows.findSubscription(db, row.id))?.state !== 'ended' || mine) throw error;
          });
          if (mine) mine.isOver = true;
        } else {
          const done = await world.plans.setRenewal(user, row.id, what.renews).then(
            () => true,
            () => false,
          );
          if (mine && done) mine.renews = what.renews;
        }
      } else {
        const name = pick(begunPages(), what.of)?.fields.client_reference_id;
        if (name === undefined) return;
        const found = world.stripe.subscription(name);
        if (what.op === 'period' && found.status === 'active')
          world.stripe.endPeriod(name, what.paid ? 'paid' : 'open');
        if (what.op === 'pay' && found.status === 'past_due') world.stripe.payOpen(name);
        if (what.op !== 'tell') return;
        world.fault.change = killed;
        await Promise.all(
          Array.from({ length: what.times }, () =>
            world.stripe.send(webhook, world.stripe.event(name, what.type)),
          ),
        );
      }
    };

    for (const each of history) {
      world.clock.now += 1_000;
      other.clock.now = world.clock.now;
      await perform(each);
      world.fault.change = undefined;
      await readOrders();
      await world.ledger.settleExpired(100);
      expect(await world.balance(user)).toBe(model.balance(now()));
      await checkBudgets();
    }
    for (let hours = 0; hours < 24; hours += 8) {
      world.clock.now += 8 * 3_600_000;
      other.clock.now = world.clock.now;
      await lookAfter(true);
    }
    await readOrders();
    const invoices = begunPages().flatMap(
      ({ fields }) => world.stripe.subscription(fields.client_reference_id!).invoices,
    );
    const paid = invoices.filter(({ status }) => status === 'paid').map(({ id }) => `PLAN${id}`);
    const orders = await topUps.list(db, user, { offset: 0, limit: 200 });
    expect(
      orders.flatMap(({ provider, trade_no: no }) => (provider === 'stripe' ? [no] : [])).toSorted(),
    ).toEqual(paid.toSorted());
    await checkBudgets();
    for (const { id, state } of await all()) if (state !== 'ended') await world.plans.end(id);
    const left = await budgets.list(db, { user_id: user }, { limit: 100 });
    expect(left.map(({ id }) => id)).toEqual(others);
    expect((await users.find(db, user))?.group).toBe('default');
    expect(await checkBooks(db)).toEqual([]);
  }

  it(
    'credit each period once, keep one budget, and agree with a model, over lost, doubled and late webhooks and kills',
    { timeout: 1_200_000 },
    async () => {
      await other.settings.reload();
      await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), live), {
        numRuns: runs,
      });
    },
  );
});
