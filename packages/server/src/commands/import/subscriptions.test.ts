import { afterAll, describe, expect, it } from 'vitest';
import { checkBooks } from '../../services/money/ledger/index.ts';
import { writeForeign } from '../../store/foreign/write-foreign.ts';
import { openStore, plans, type Store, users } from '../../store/index.ts';
import { imported, MovingDesk, sumsOf } from '../../testing/moving-in/importing.ts';
import { openWalletWorld, type WalletWorld } from '../../testing/worlds/wallet-world.ts';

const desk = new MovingDesk();
afterAll(() => desk.close());

const day = 86_400;
const now = Math.floor(Date.now() / 1_000);

interface Running {
  total?: number;
  used?: number;
  plan?: number;
  reset?: number;
  end: number;
  group?: string;
  before?: string;
}

/** The old site with one subscription of user 6, and a plan of a rhythm. */
async function siteWith(running: Running, rhythm: string, length = 0): Promise<string> {
  const file = await desk.oldFile('new-api');
  const { total = 1_000, used = 400, plan = 1, reset = 0, end, group = '', before = '' } = running;
  await writeForeign(`sqlite:${file}`, [
    ...['upgrade_group', 'downgrade_group', 'prev_user_group'].map(
      (name) => `alter table user_subscriptions add column ${name} text`,
    ),
    'delete from user_subscriptions',
    `update subscription_plans set quota_reset_period = '${rhythm}', quota_reset_custom_seconds = ${length}`,
    `insert into user_subscriptions (id, user_id, plan_id, amount_total, amount_used, end_time, next_reset_time, status,
      upgrade_group, prev_user_group) values (9, 6, ${plan}, ${total}, ${used}, ${end}, ${reset}, 'active', '${group}', '${before}')`,
    ...(group === '' ? [] : [`update users set "group" = '${group}' where id = 6`]),
  ]);
  return file;
}

/** A Tollgate with the imported site, whose clock a test moves. */
async function openMoved(from: string) {
  const dataDir = desk.place();
  const report = await imported(dataDir, { from });
  const store = await openStore({ url: '', dataDir });
  const world = await openWalletWorld(store);
  return { report, store, world };
}

/** The usable balance of user 6 some seconds after now, when the jobs have run. */
async function balanceAt(world: WalletWorld, at: number): Promise<number> {
  world.clock.now = at * 1_000;
  await world.plans.lookAfter();
  await world.ledger.settleExpired(10);
  return world.balance(6);
}

async function close({ store, world }: { store: Store; world: WalletWorld }): Promise<void> {
  expect(await checkBooks(store.db)).toEqual([]);
  await world.close();
  await store.close();
}

describe('a subscription that new-api refills', () => {
  it('has its rest now and each refill when new-api would give it, and its group until the end', async () => {
    const end = now + 2.75 * day;
    const running = { reset: now + day / 2, end, group: 'vip', before: 'default' };
    const moved = await openMoved(await siteWith(running, 'daily'));
    const { report, store, world } = moved;
    expect(sumsOf(report)['Refills of subscriptions to come']).toBe(3_000);
    expect(report.notes.join('\n')).not.toMatch(/Could not come|User 6 is in the group/);
    expect(await plans.list(store.db)).toMatchObject([
      { name_en: 'Daily', period: 'day', quota: 1_000, hidden: 1, price: '0.00', balance_price: 0 },
    ]);
    const own = async () => (await world.plans.offers(6)).subscriptions;
    expect(await own()).toMatchObject([{ paid_by: 'gift', period: 'day', renews: true }]);
    expect(await balanceAt(world, now)).toBe(600);
    expect(await balanceAt(world, now + day / 2 - 1)).toBe(600);
    expect(await balanceAt(world, now + day / 2)).toBe(1_000);
    expect(await balanceAt(world, now + 1.5 * day + 5)).toBe(1_000);
    expect(await balanceAt(world, now + 2.5 * day)).toBe(1_000);
    expect(await own()).toMatchObject([{ renews: false, period_end: end }]);
    expect(await balanceAt(world, end - 1)).toBe(1_000);
    expect((await users.find(store.db, 6))?.group).toBe('vip');
    expect(await balanceAt(world, end)).toBe(0);
    expect([await own(), (await users.find(store.db, 6))?.group]).toEqual([[], 'default']);
    expect(await balanceAt(world, end + 9 * day)).toBe(0);
    await close(moved);
  });

  it('has what a refill that is due would give, and is not refilled for times when nobody ran', async () => {
    const moved = await openMoved(await siteWith({ reset: now - 1.5 * day, end: now + 5.25 * day }, 'daily'));
    expect(sumsOf(moved.report)['Refills of subscriptions to come']).toBe(5_000);
    expect(await balanceAt(moved.world, now)).toBe(1_000);
    expect(await balanceAt(moved.world, now + 4 * day)).toBe(1_000);
    expect(await balanceAt(moved.world, now + 5.25 * day)).toBe(0);
    await close(moved);
  });

  it('has its refills also when its user was banned for a while, as in new-api', async () => {
    const moved = await openMoved(await siteWith({ reset: now + day, end: now + 3 * day }, 'daily'));
    await users.update(moved.store.db, 6, { status: 2 });
    expect(await balanceAt(moved.world, now + day)).toBe(1_000);
    await close(moved);
  });

  it('begins its months at midnight of its time zone, also after a short month', async () => {
    const at = (text: string) => Date.parse(text) / 1_000;
    const year = new Date().getUTCFullYear() + 1;
    const file = await siteWith(
      { reset: at(`${year}-04-30T16:00:00Z`), end: at(`${year}-07-10T00:00:00Z`) },
      'monthly',
    );
    const moved = await openMoved(file);
    expect(sumsOf(moved.report)['Refills of subscriptions to come']).toBe(3_000);
    await balanceAt(moved.world, at(`${year}-04-30T16:00:00Z`));
    const { subscriptions } = await moved.world.plans.offers(6);
    expect(subscriptions).toMatchObject([{ period_end: at(`${year}-05-31T16:00:00Z`), renews: true }]);
    await close(moved);
  });
});

describe('what has no counterpart goes on, and is named:', () => {
  it.for([
    ['use without limit', { total: 0, used: 77, end: now + 9 * day }, 'daily', 0, 0],
    ['32 refills of 1000 units', { reset: now + 3_600, end: now + 4 * day }, 'custom', 10_800, 600],
    ['refills until', { plan: 7, reset: now + 3_600, end: now + 4 * day }, 'daily', 0, 600],
    ['refills until', { reset: now + 3_600, end: now + 4 * day }, 'quarterly', 0, 600],
  ] as const)('%s', async ([words, running, rhythm, length, left]) => {
    const file = await siteWith(running, rhythm, length);
    const moved = await openMoved(file);
    const named = moved.report.notes.filter((note) => note.startsWith('Could not come: user 6'));
    expect(named).toEqual([expect.stringContaining(words)]);
    expect(sumsOf(moved.report)['Refills of subscriptions to come']).toBe(undefined);
    expect([await balanceAt(moved.world, now), await plans.list(moved.store.db)]).toEqual([left, []]);
    await close(moved);
  });

  it('custom refills of a whole week are weekly', async () => {
    const file = await siteWith({ reset: now + day, end: now + 20 * day }, 'custom', 7 * day);
    const moved = await openMoved(file);
    expect(sumsOf(moved.report)['Refills of subscriptions to come']).toBe(3_000);
    expect(await plans.list(moved.store.db)).toMatchObject([{ period: 'week' }]);
    await close(moved);
  });
});
