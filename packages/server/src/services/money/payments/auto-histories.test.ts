import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eachDialect } from '../../../store/each-dialect.ts';
import { autoTopUps, topUps, users } from '../../../store/index.ts';
import { openSecondNode, openWalletWorld, type WalletWorld } from '../../../testing/worlds/wallet-world.ts';
import { checkBooks } from '../ledger/index.ts';

const runs = Number(process.env['FUZZ_RUNS'] ?? 12);
const dollar = 500_000;
const terms = { enabled: true, below: 5, amount: 20, month_limit: 60 };
const cards = ['succeeded', 'processing', 'card_declined', 'lost'] as const;

const step = fc.oneof(
  fc.record({ op: fc.constant('use' as const), dollars: fc.integer({ min: 1, max: 30 }) }),
  fc.record({
    op: fc.constant('run' as const),
    seconds: fc.integer({ min: 1, max: 400 }),
    killed: fc.boolean(),
  }),
  fc.record({ op: fc.constant('card' as const), card: fc.constantFrom(...cards) }),
  fc.record({ op: fc.constant('arrive' as const) }),
  fc.record({ op: fc.constant('switch' as const) }),
  fc.record({ op: fc.constant('month' as const) }),
  fc.record({ op: fc.constant('back' as const), all: fc.boolean() }),
  fc.record({ op: fc.constant('tell' as const), of: fc.nat(20) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

eachDialect('histories of automatic top-up', ({ open, openAgain }) => {
  let world: WalletWorld;
  let other: Awaited<ReturnType<typeof openSecondNode>>;
  let serial = 0;

  beforeEach(async () => {
    world = await openWalletWorld(await open());
    other = await openSecondNode(await openAgain(), world.stripe.url);
    await other.settings.reload();
  });
  afterEach(async () => {
    await other.close();
    await world.close();
  });

  /** One history of one user, over two processes. */
  async function live(history: readonly Step[]): Promise<void> {
    const { db } = world.store;
    const id = await world.user(`user${(serial += 1)}`);
    const { account_id: accountId } = (await users.find(db, id))!;
    const [customer, method] = [`cus_${id}`, `pm_${id}`];
    const blank = { page_id: '', card: 'visa 4242', problem: '', order_no: '', due_time: 0 };
    await autoTopUps.create(db, { ...terms, ...blank, user_id: id, enabled: 1, customer, method });
    const mine = () => world.stripe.charges.filter((charge) => charge.customer === customer);
    const paid = () => mine().filter(({ status }) => status === 'succeeded');
    /** What is left of a charge after refunds at Stripe. */
    const restOf = ({ id: intent, amount }: { id: string; amount: number }) =>
      world.stripe.refunds.reduce((sum, each) => sum - (each.intent === intent ? each.amount : 0), amount);
    const quotaOf = (charge: { id: string; amount: number }) => (restOf(charge) * dollar) / 100;
    const webhook = `${world.settings.get('ServerAddress')}/api/stripe/webhook`;
    let used = 0;

    const runBoth = async (seconds: number) => {
      world.clock.now += seconds * 1_000;
      other.clock.now = world.clock.now;
      const before = mine().length;
      const low = (await world.balance(id)) < terms.below * dollar;
      await Promise.all([world.autoTopUps.run(), other.autoTopUps.run(), world.autoTopUps.run()]);
      // However many processes look, one charges, and only while the balance is low.
      expect(mine().length - before).toBeLessThanOrEqual(low ? 1 : 0);
    };

    const perform = async (each: Step): Promise<void> => {
      if (each.op === 'card') return world.stripe.setCards(each.card);
      if (each.op === 'switch') {
        // No more often than a user may.
        world.clock.now += 61_000;
        return world.autoTopUps.set({ id, group: 'default' }, terms);
      }
      if (each.op === 'month') return void (world.clock.now += 31 * 86_400_000);
      if (each.op === 'back') {
        // Parts of what was credited are for root to judge.
        const last = paid().at(-1);
        const order = last && (await topUps.findByTradeNo(db, last.metadata['trade_no'] ?? ''));
        if (order?.status !== 'pending' || !last) return;
        return world.stripe.refund(order.trade_no, each.all ? restOf(last) : Math.min(500, restOf(last)));
      }
      if (each.op === 'tell') {
        const refunded = paid().filter((charge) => restOf(charge) < charge.amount);
        const no = refunded[each.of % Math.max(1, refunded.length)]?.metadata['trade_no'];
        if (no) await world.stripe.send(webhook, world.stripe.event(no, 'charge.refunded'));
        return;
      }
      if (each.op === 'arrive') {
        for (const charge of mine()) if (charge.status === 'processing') charge.status = 'succeeded';
        return;
      }
      if (each.op === 'run') {
        if (each.killed) world.fault.crediting = () => Promise.reject(new Error('killed'));
        await runBoth(each.seconds);
        world.fault.crediting = null;
        return;
      }
      const amount = Math.min(each.dollars * dollar, await world.balance(id));
      used += amount;
      const txn = `use:${(serial += 1)}`;
      await world.ledger.adjust({
        txn,
        accountId,
        userId: id,
        change: { by: -amount },
        actorId: 1,
        reason: 'use',
      });
    };

    for (const each of history) {
      await perform(each);
      const { enabled, month_limit: limit } = (await autoTopUps.find(db, id))!;
      const start = new Date(world.clock.now);
      const month = Date.UTC(start.getUTCFullYear(), start.getUTCMonth(), 1) / 1_000;
      expect(await topUps.sumAutomatic(db, id, month)).toBeLessThanOrEqual(limit);
      const credited = (await topUps.list(db, id, { offset: 0, limit: 200 })).filter(
        (row) => row.status === 'success',
      );
      expect(credited.length).toBeLessThanOrEqual(paid().length);
      const sum = credited.reduce((all, { quota }) => all + quota, 0);
      expect(await world.balance(id)).toBe(sum - used);
      for (const { trade_no: no, quota } of credited) {
        const charge = paid().find(({ metadata }) => metadata['trade_no'] === no);
        expect(quota).toBe(charge && quotaOf(charge));
      }
      // A refusal switches it off.
      const isRefused = mine().at(-1)?.status === 'requires_payment_method';
      expect(isRefused && enabled === 1 && each.op === 'run').toBe(false);
    }
    world.stripe.setCards('succeeded');
    for (const charge of mine()) if (charge.status === 'processing') charge.status = 'succeeded';
    await world.autoTopUps.set({ id, group: 'default' }, { ...terms, enabled: false });
    for (let times = 0; times < 3; times += 1) await runBoth(4_000);
    const orders = await topUps.list(db, id, { offset: 0, limit: 200 });
    const numbers = orders.flatMap(({ status, trade_no: no }) => (status === 'success' ? [no] : []));
    expect(numbers.toSorted()).toEqual(
      paid()
        .filter((charge) => restOf(charge) > 0)
        .map(({ metadata }) => metadata['trade_no'] ?? '')
        .toSorted(),
    );
    expect(orders.filter(({ status }) => status === 'pending')).toEqual([]);
    expect(await checkBooks(db)).toEqual([]);
  }

  it(
    'charge once for each crossing, within the month’s limit, and credit what was charged and not paid back',
    { timeout: 1_200_000 },
    () =>
      fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), live), { numRuns: runs }),
  );
});
