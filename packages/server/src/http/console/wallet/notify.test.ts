import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LedgerUnavailable } from '../../../services/money/ledger/index.ts';
import { migrate, openStore, type Store, topUps, users } from '../../../store/index.ts';
import { openWalletWorld, type WalletWorld } from '../../../testing/worlds/wallet-world.ts';

let store: Store;
let world: WalletWorld;
let ann: number;
let bob: number;

beforeEach(async () => {
  store = await openStore({ url: 'sqlite::memory:' });
  await migrate(store);
  world = await openWalletWorld(store);
  ann = await world.user('ann');
  bob = await world.user('bob');
});
afterEach(async () => {
  await world.close();
  await store.close();
});

const without = (fields: Record<string, string>, ...names: string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

describe('a payment callback', () => {
  describe('that is forged', () => {
    /** Each forged request, made from the genuine callback of a paid order. */
    const forgeries: [name: string, forge: (no: string) => Record<string, string> | string][] = [
      ['without a signature', (no) => without(world.provider.callback(no), 'sign')],
      ['with an empty signature', (no) => ({ ...world.provider.callback(no), sign: '' })],
      ['with a wrong signature', (no) => ({ ...world.provider.callback(no), sign: '0'.repeat(32) })],
      ['with a signature cut short', (no) => ({ ...world.provider.callback(no), sign: 'ab' })],
      ['without a kind of signature', (no) => without(world.provider.callback(no), 'sign_type')],
      ['with another kind of signature', (no) => ({ ...world.provider.callback(no), sign_type: 'RSA' })],
      ['signed with the empty key', (no) => world.provider.sign(unsigned(no), '')],
      ['signed with a default key', (no) => world.provider.sign(unsigned(no), 'key')],
      ['signed with a blank key', (no) => world.provider.sign(unsigned(no), ' ')],
      ['with the amount changed', (no) => ({ ...world.provider.callback(no), money: '0.01' })],
      ['with a smaller amount, signed', (no) => world.provider.sign({ ...unsigned(no), money: '0.01' })],
      ['with a larger amount, signed', (no) => world.provider.sign({ ...unsigned(no), money: '7300.00' })],
      ['with no amount, signed', (no) => world.provider.sign(without(unsigned(no), 'money'))],
      ['with a negative amount, signed', (no) => world.provider.sign({ ...unsigned(no), money: '-7.30' })],
      [
        'with a hair more than the amount',
        (no) => world.provider.sign({ ...unsigned(no), money: '7.3000001' }),
      ],
      ['with an exponent', (no) => world.provider.sign({ ...unsigned(no), money: '73e-1' })],
      ['with an amount in hexadecimal', (no) => world.provider.sign({ ...unsigned(no), money: '0x7.4' })],
      ['of another merchant, signed', (no) => world.provider.sign({ ...unsigned(no), pid: '1002' })],
      ['without a merchant, signed', (no) => world.provider.sign(without(unsigned(no), 'pid'))],
      [
        'for an unknown order, signed',
        (no) => world.provider.sign({ ...unsigned(no), out_trade_no: `${no}x` }),
      ],
      ['for no order, signed', (no) => world.provider.sign(without(unsigned(no), 'out_trade_no'))],
      [
        'with the status WAIT_BUYER_PAY',
        (no) => world.provider.sign({ ...unsigned(no), trade_status: 'WAIT_BUYER_PAY' }),
      ],
      [
        'with the status TRADE_CLOSED',
        (no) => world.provider.sign({ ...unsigned(no), trade_status: 'TRADE_CLOSED' }),
      ],
      [
        'with the status in lower case',
        (no) => world.provider.sign({ ...unsigned(no), trade_status: 'trade_success' }),
      ],
      [
        'with a blank behind the status',
        (no) => world.provider.sign({ ...unsigned(no), trade_status: 'TRADE_SUCCESS ' }),
      ],
      ['without a status, signed', (no) => world.provider.sign(without(unsigned(no), 'trade_status'))],
      ['with a field that is not signed', (no) => ({ ...world.provider.callback(no), param: 'x' })],
      [
        'with another amount behind the genuine one',
        (no) => `${encode(world.provider.callback(no))}&money=73.00`,
      ],
      [
        'with another order before the genuine one',
        (no) => `out_trade_no=USR1NO&${encode(world.provider.callback(no))}`,
      ],
      [
        'with names in brackets',
        (no) => encode(world.provider.callback(no)).replace('money=', 'money%5B%5D='),
      ],
      ['with a thousand fields', (no) => `${encode(world.provider.callback(no))}${'&a=1&b=2'.repeat(500)}`],
      ['that is empty', () => ''],
      ['that is no form', () => '{"out_trade_no":{"$ne":""},"sign":["a"],"trade_status":"TRADE_SUCCESS"}'],
    ];
    const unsigned = (no: string): Record<string, string> =>
      without(world.provider.callback(no), 'sign', 'sign_type');
    const encode = (fields: Record<string, string>): string => new URLSearchParams(fields).toString();

    it.each(forgeries)(
      '%s: credits nothing, by GET or POST, and leaves an audit line',
      async (_name, forge) => {
        const no = await world.order(ann, 1);
        world.provider.pay(no);
        for (const method of ['GET', 'POST'] as const) {
          const before = world.lines.length;
          const answer = await world.provider.forge(no, forge(no), method);
          expect(answer.body).not.toBe('success');
          const audit = world.lines.slice(before).filter(({ fields }) => fields.audit === 'payment');
          expect(audit).toHaveLength(1);
          expect(JSON.stringify(audit)).not.toContain(world.provider.key);
        }
        expect(await world.balance(ann)).toBe(0);
        expect((await topUps.findByTradeNo(store.db, no))?.status).toBe('pending');
        // The genuine callback still counts afterwards.
        expect((await world.provider.notify(no)).body).toBe('success');
        expect(await world.balance(ann)).toBe(500_000);
      },
    );

    it.each(['PayAddress', 'EpayId', 'EpayKey'])(
      'with the empty key, while %s is not configured: payment is disabled',
      async (key) => {
        const no = await world.order(ann, 1);
        world.provider.pay(no);
        const fields = unsigned(no);
        await world.settings.set(key, '');
        for (const secret of ['', ' ', world.provider.key]) {
          for (const pid of ['', world.provider.merchantId]) {
            const answer = await world.provider.forge(no, world.provider.sign({ ...fields, pid }, secret));
            expect(answer).toEqual({ status: 200, body: 'fail' });
          }
        }
        expect(await world.balance(ann)).toBe(0);
      },
    );

    it('for the order of another provider credits nothing', async () => {
      const no = await world.order(ann, 1);
      world.provider.pay(no);
      await store.db.updateTable('top_ups').set({ provider: 'other' }).where('trade_no', '=', no).execute();
      expect((await world.provider.notify(no)).body).toBe('fail');
      expect(await world.balance(ann)).toBe(0);
    });
  });

  it('credits the buyer of its order and no one else, with the log row’s text', async () => {
    const [first, second] = [await world.order(ann, 3), await world.order(bob, 1)];
    world.provider.pay(first);
    world.provider.pay(second);
    expect(await world.provider.notify(first, { method: 'POST' })).toEqual({ status: 200, body: 'success' });
    expect([await world.balance(ann), await world.balance(bob)]).toEqual([1_500_000, 0]);
    // Ann's callback with Bob's order in it has the wrong signature.
    await world.provider.forge(first, { ...world.provider.callback(first), out_trade_no: second });
    expect([await world.balance(ann), await world.balance(bob)]).toEqual([1_500_000, 0]);
  });

  it('is credited by the price of its order, whatever the options are by then', async () => {
    const no = await world.order(ann, 2);
    world.provider.pay(no);
    await world.settings.setMany({ Price: '1', QuotaPerUnit: '7' });
    expect((await world.provider.notify(no)).body).toBe('success');
    expect(await world.balance(ann)).toBe(1_000_000);
  });

  it('with the amount formatted differently is the same amount', async () => {
    const no = await world.order(ann, 10);
    const fields = {
      ...without(world.provider.callback(no), 'sign', 'sign_type'),
      trade_status: 'TRADE_SUCCESS',
    };
    const answer = await world.provider.forge(no, world.provider.sign({ ...fields, money: '73' }));
    expect(answer.body).toBe('success');
    expect(await world.balance(ann)).toBe(5_000_000);
  });

  it('during a database failure is not accepted, and credited when the provider repeats it', async () => {
    const no = await world.order(ann, 1);
    world.provider.pay(no);
    world.fault.crediting = () => Promise.reject(new LedgerUnavailable());
    const failed = await world.provider.storm(no, 5);
    expect(new Set(failed.map(({ status, body }) => `${status} ${body}`))).toEqual(new Set(['500 fail']));
    expect(await world.balance(ann)).toBe(0);
    world.fault.crediting = null;
    expect(await world.provider.notify(no)).toEqual({ status: 200, body: 'success' });
    expect(await world.balance(ann)).toBe(500_000);
  });

  it('whose credit fails half-way leaves nothing behind', async () => {
    const no = await world.order(ann, 1);
    world.provider.pay(no);
    // The log row is the last step of the transaction. Without its table, the order and the balance must stay unchanged
    // too.
    await store.db.schema.alterTable('logs').renameTo('logs_gone').execute();
    expect(await world.provider.notify(no)).toEqual({ status: 500, body: 'fail' });
    expect(await world.balance(ann)).toBe(0);
    expect((await topUps.findByTradeNo(store.db, no))?.status).toBe('pending');
    await store.db.schema.alterTable('logs_gone').renameTo('logs').execute();
    expect((await world.provider.notify(no)).body).toBe('success');
    expect(await world.balance(ann)).toBe(500_000);
  });

  it('for a buyer who was erased meanwhile is refused, and logged for the operator', async () => {
    const no = await world.order(bob, 1);
    world.provider.pay(no);
    await users.remove(store.db, bob);
    expect(await world.provider.notify(no)).toEqual({ status: 200, body: 'fail' });
    expect(world.lines.at(-1)?.fields).toMatchObject({ audit: 'payment', out_trade_no: no, money: '7.30' });
    expect((await topUps.findByTradeNo(store.db, no))?.status).toBe('pending');
  });

  it('that arrives after the order has expired is credited all the same', async () => {
    const no = await world.order(ann, 1);
    await topUps.complete(store.db, no, 'epay', { status: 'expired', now: 5 });
    world.provider.pay(no);
    const answers = await world.provider.storm(no, 10);
    expect(answers.every(({ body }) => body === 'success')).toBe(true);
    expect(await world.balance(ann)).toBe(500_000);
  });
});

describe('orders whose callback never arrived', () => {
  const later = (seconds: number): void => void (world.clock.now += seconds * 1000);

  it('are credited by querying the provider, once, with all callbacks lost', async () => {
    const orders = await Promise.all([1, 2, 3].map((amount) => world.order(ann, amount)));
    for (const no of orders) world.provider.pay(no);
    await world.payments.askPending();
    // These orders are too young: their callback may still arrive.
    expect(world.provider.questions).toBe(0);
    later(31);
    await Promise.all([world.payments.askPending(), world.payments.askPending()]);
    expect(await world.balance(ann)).toBe(3_000_000);
    await world.provider.notify(orders[0]!);
    later(3_600);
    await world.payments.askPending();
    expect(await world.balance(ann)).toBe(3_000_000);
  });

  it('are queried less often the older they are, and expire after a day', async () => {
    const no = await world.order(ann, 1);
    for (let minute = 0; minute < 60; minute += 1) {
      later(60);
      await world.payments.askPending();
    }
    // The query interval is a minute for a young order, later a fifth of its age: far fewer than 60 queries.
    expect(world.provider.questions).toBeGreaterThan(10);
    expect(world.provider.questions).toBeLessThan(25);
    later(86_400);
    await world.payments.askPending();
    expect((await topUps.findByTradeNo(store.db, no))?.status).toBe('expired');
    expect(await world.balance(ann)).toBe(0);
  });

  it('are not delayed by a user who opens orders and never pays', async () => {
    const spammers = await Promise.all(Array.from({ length: 15 }, (_, i) => world.user(`spam${i}`)));
    for (const user of spammers)
      for (let i = 0; i < 10; i += 1) await world.payments.start({ id: user, group: 'default' }, 1, 'wx');
    later(60);
    const no = await world.order(ann, 1);
    world.provider.pay(no);
    later(31);
    await world.payments.askPending();
    expect(world.provider.questions).toBe(100);
    expect(await world.balance(ann)).toBe(500_000);
  });

  it('that the buyer never took to the provider expire after two hours', async () => {
    await world.call(ann, 'POST', '/api/user/pay', { amount: 1 });
    later(7_201);
    await world.payments.askPending();
    const [row] = await topUps.list(store.db, ann, { offset: 0, limit: 1 });
    expect(row?.status).toBe('expired');
  });

  it('stay pending while the provider’s answers are invalid, however old they are', async () => {
    const no = await world.order(ann, 1);
    world.provider.pay(no);
    const order = world.provider.orders.get(no)!;
    const lies = [
      { status: 500, body: 'down' },
      { status: 302, body: '' },
      { status: 200, body: '<html>' },
      { status: 200, body: 'null' },
      { status: 200, body: JSON.stringify({ code: 1, out_trade_no: 'another', status: 1, money: '7.30' }) },
      {
        status: 200,
        body: JSON.stringify({ code: 1, out_trade_no: no, pid: '9', status: 1, money: '7.30' }),
      },
      { status: 200, body: JSON.stringify({ code: 1, out_trade_no: no, status: 1, money: '0.01' }) },
      { status: 200, body: JSON.stringify({ code: 1, out_trade_no: no, status: 1 }) },
    ];
    for (const lie of lies) {
      later(200_000);
      world.provider.answerQueries(lie);
      await world.payments.askPending();
      expect((await topUps.findByTradeNo(store.db, no))?.status).toBe('pending');
      expect(await world.balance(ann)).toBe(0);
    }
    expect(JSON.stringify(world.lines)).not.toContain(world.provider.key);
    world.provider.answerQueries(undefined);
    later(200_000);
    await world.payments.askPending();
    expect(order.paid).toBe(true);
    expect(await world.balance(ann)).toBe(500_000);
  });

  it('are not queried while payment is disabled', async () => {
    const no = await world.order(ann, 1);
    world.provider.pay(no);
    await world.settings.set('EpayKey', '');
    later(60);
    await world.payments.askPending();
    expect(world.provider.questions).toBe(0);
  });
});
