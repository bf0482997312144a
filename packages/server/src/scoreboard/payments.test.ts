import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkBooks, LedgerUnavailable } from '../services/ledger/index.ts';
import { eachDialect } from '../store/each-dialect.ts';
import { migrate, openStore, type Store } from '../store/index.ts';
import { sized } from '../testing/scoreboard-size.ts';
import { openSecondNode, openWalletWorld, type WalletWorld } from '../testing/wallet-world.ts';

const quotaPerDollar = 500_000;

let world: WalletWorld;
afterEach(() => world.close());

/** Paid orders of one dollar, by their trade numbers, over some buyers (each may open ten). */
async function paidOrders(count: number): Promise<{ no: string; user: number }[]> {
  const orders: { no: string; user: number }[] = [];
  let user = 0;
  for (let i = 0; i < count; i += 1) {
    if (i % 10 === 0) user = await world.user(`buyer${i}`);
    const no = await world.order(user, 1);
    world.provider.pay(no);
    orders.push({ no, user });
  }
  return orders;
}

/** Quota that arrived at the buyers of some orders. */
async function credited(orders: readonly { user: number }[]): Promise<number> {
  let sum = 0;
  for (const user of new Set(orders.map((order) => order.user))) sum += await world.balance(user);
  return sum;
}

eachDialect('Q7 double credits ', ({ open, openAgain }) => {
  beforeEach(async () => {
    world = await openWalletWorld(await open());
  });

  it(
    'are none of all orders under 20 parallel callbacks each over two processes',
    { timeout: 600_000 },
    async () => {
      const orders = await paidOrders(sized(500, 60));
      const other = await openSecondNode(await openAgain());
      for (let start = 0; start < orders.length; start += 20) {
        const credits = await Promise.all(
          orders
            .slice(start, start + 20)
            .flatMap(({ no }) =>
              Array.from({ length: 20 }, (_, i) =>
                (i % 2 === 0 ? world : other).payments.notify(world.provider.callback(no)),
              ),
            ),
        );
        expect(credits.every(({ done }) => done)).toBe(true);
      }
      await other.close();
      expect(await credited(orders)).toBe(orders.length * quotaPerDollar);
      expect(await checkBooks(world.store.db)).toEqual([]);
    },
  );
});

describe('payments on SQLite', () => {
  let store: Store;
  beforeEach(async () => {
    store = await openStore({ url: 'sqlite::memory:' });
    await migrate(store);
    world = await openWalletWorld(store);
  });
  afterEach(() => store.close());

  it('Q8 paid but not credited: no order, though every tenth callback never comes and the database fails', async () => {
    const orders = await paidOrders(sized(500, 100));
    const called = orders.filter((_, index) => index % 10 !== 0);
    // Down at the first callback of every third order: the provider hears no "success" and comes again.
    world.fault.crediting = () => Promise.reject(new LedgerUnavailable());
    for (const { no } of called.filter((_, index) => index % 3 === 0)) {
      expect((await world.provider.notify(no)).status).toBe(500);
    }
    world.fault.crediting = null;
    for (const { no } of called) expect((await world.provider.notify(no)).body).toBe('success');
    expect(await credited(orders)).toBe(orders.length * 0.9 * quotaPerDollar);
    // Ten minutes of the job that asks for pending orders.
    for (let minute = 0; minute < 10; minute += 1) {
      world.clock.now += 60_000;
      await world.payments.askPending();
    }
    expect(await credited(orders)).toBe(orders.length * quotaPerDollar);
    expect(await checkBooks(world.store.db)).toEqual([]);
  });

  it('Q9 forged callbacks: none of 300 is accepted, and the genuine one still is', async () => {
    const [order] = await paidOrders(1);
    const { no, user } = order!;
    const genuine = world.provider.callback(no);
    const { sign: _, sign_type: __, ...unsigned } = genuine;
    const keys = ['', ' ', 'key', '1001', 'secret', `${world.provider.key} `, world.provider.key.slice(1)];
    const forgeries: Record<string, string>[] = [];
    for (let i = 0; forgeries.length < 300; i += 1) {
      const digit = i % 32;
      const flipped = genuine.sign![digit] === 'a' ? 'b' : 'a';
      const wrong = `${genuine.sign!.slice(0, digit)}${flipped}${genuine.sign!.slice(digit + 1)}`;
      forgeries.push(
        // One digit of the signature, another amount or order under it, another key, fields added or changed and signed.
        { ...genuine, sign: wrong },
        { ...genuine, money: `${7 + i}.31` },
        { ...genuine, out_trade_no: `${no}${i}` },
        world.provider.sign(unsigned, `${keys[i % keys.length]}`),
        world.provider.sign({ ...unsigned, money: `${(i + 1) / 100}` }),
        world.provider.sign({ ...unsigned, pid: String(2_000 + i) }),
        world.provider.sign({ ...unsigned, trade_status: `TRADE_${i}` }),
        world.provider.sign({ ...unsigned, out_trade_no: `USR${user}NO${i}` }),
        { ...genuine, [`extra${i}`]: 'x' },
        { ...genuine, sign_type: `MD${i + 6}` },
      );
    }
    for (const [index, fields] of forgeries.entries()) {
      const answer = await world.provider.forge(no, fields, index % 2 === 0 ? 'GET' : 'POST');
      expect(answer.body, JSON.stringify(fields)).not.toBe('success');
    }
    expect(await world.balance(user)).toBe(0);
    expect((await world.provider.notify(no)).body).toBe('success');
    expect(await world.balance(user)).toBe(quotaPerDollar);
  });
});
