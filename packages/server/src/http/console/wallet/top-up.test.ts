import { walletApi } from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { logs, migrate, openStore, redemptions, type Store, topUps } from '../../../store/index.ts';
import { sha256 } from '../../../lib/hash.ts';
import { openWalletWorld, type WalletWorld } from '../../../testing/worlds/wallet-world.ts';

let world: WalletWorld;
afterEach(() => world.close());

describe('top-up on SQLite', () => {
  let store: Store;
  beforeEach(async () => {
    store = await openStore({ url: 'sqlite::memory:' });
    await migrate(store);
    world = await openWalletWorld(store);
  });
  afterEach(() => store.close());

  const readAmount = async (user: number, amount: unknown) =>
    world.call(user, walletApi.amount.method as 'POST', walletApi.amount.path, { amount, top_up_code: '' });

  describe('prices', () => {
    it('are amount × price × group ratio, to the hundredth, without a success field', async () => {
      const user = await world.user('ann', 'gold');
      await world.settings.set('TopupGroupRatio', '{"default":1,"gold":0.85,"zero":0}');
      expect(await readAmount(user, 10)).toEqual({ message: 'success', data: '62.05' });
      await world.settings.set('Price', '0.07');
      // 3 × 0.07 × 0.85 = 0.1785: a binary product would be slightly below or above.
      expect(await readAmount(user, 3)).toEqual({ message: 'success', data: '0.18' });
      expect(await readAmount(await world.user('zoe', 'zero'), 10)).toMatchObject({ data: '0.70' });
      expect(await readAmount(await world.user('bob', 'unnamed'), 10)).toMatchObject({ data: '0.70' });
    });

    it('are for quota units when amounts are not shown in currency, and exactly those are credited', async () => {
      await world.settings.set('DisplayInCurrencyEnabled', 'false');
      const user = await world.user('ann');
      expect(await readAmount(user, 499_999)).toMatchObject({
        message: 'error',
        data: '充值数量不能小于 500000',
      });
      expect(await readAmount(user, 750_000)).toEqual({ message: 'success', data: '10.95' });
      const no = await world.order(user, 750_000);
      world.provider.pay(no);
      await world.provider.notify(no);
      expect(await world.balance(user)).toBe(750_000);
      const [row] = (await logs.list(store.db, { userId: user }, { offset: 0, limit: 5 })).rows;
      expect(row).toMatchObject({
        type: 1,
        username: 'ann',
        content: '使用在线充值成功，充值金额: 750000 点额度，支付金额：10.95',
      });
    });

    it('refuse amounts that are too small, too cheap or not whole, with the original message', async () => {
      const user = await world.user('ann');
      await world.settings.set('MinTopUp', '5');
      expect(await readAmount(user, 4)).toMatchObject({ message: 'error', data: '充值数量不能小于 5' });
      expect(await readAmount(user, -5)).toMatchObject({ message: 'error', data: '充值数量不能小于 5' });
      for (const odd of [1.5, 2 ** 53, 1e308, '1e400', 'ten', null, {}]) {
        expect(await readAmount(user, odd)).toMatchObject({ message: 'error' });
      }
      expect(await readAmount(user, 1.5)).toMatchObject({ data: '参数错误' });
      await world.settings.set('Price', '0.0001');
      expect(await readAmount(user, 5)).toMatchObject({ message: 'error', data: '充值金额过低' });
    });
  });

  describe('an order', () => {
    it('is a signed form for the provider, and a pending row', async () => {
      const user = await world.user('ann');
      const answer = await world.call(user, 'POST', '/api/user/pay', { amount: 2, payment_method: 'wx' });
      const fields = answer.data as Record<string, string>;
      const origin = world.settings.get('ServerAddress');
      expect(answer).toMatchObject({ message: 'success', url: `${world.provider.url}/submit.php` });
      expect(answer).not.toHaveProperty('success');
      expect(fields).toMatchObject({
        pid: '1001',
        type: 'wxpay',
        notify_url: `${origin}/api/user/epay/notify`,
        return_url: `${origin}/log`,
        name: 'TUC2',
        money: '14.60',
        device: 'pc',
        sign_type: 'MD5',
      });
      expect(fields.out_trade_no).toMatch(new RegExp(`^USR${user}NO[0-9A-Za-z]{6}1790000000$`));
      expect(world.provider.sign(fields).sign).toBe(fields.sign);
      expect(await topUps.findByTradeNo(store.db, fields.out_trade_no!)).toMatchObject({
        user_id: user,
        amount: 2,
        quota: 1_000_000,
        money: '14.60',
        provider: 'epay',
        status: 'pending',
      });
    });

    it('names the callback address that the administrator set', async () => {
      await world.settings.set('CustomCallbackAddress', 'https://pay.gate.example/');
      const answer = await world.call(await world.user('ann'), 'POST', '/api/user/pay', { amount: 1 });
      expect(answer.data).toMatchObject({ notify_url: 'https://pay.gate.example/api/user/epay/notify' });
    });

    it('returns the buyer to that address, too, while the site has no address', async () => {
      await world.settings.set('ServerAddress', '');
      await world.settings.set('CustomCallbackAddress', 'https://pay.gate.example');
      const answer = await world.call(await world.user('ann'), 'POST', '/api/user/pay', { amount: 1 });
      expect(answer.data).toMatchObject({ return_url: 'https://pay.gate.example/log' });
    });

    it.each(['PayAddress', 'EpayId', 'EpayKey'])('cannot be opened without %s', async (key) => {
      await world.settings.set(key, '');
      const answer = await world.call(await world.user('ann'), 'POST', '/api/user/pay', { amount: 1 });
      expect(answer).toMatchObject({ message: 'error', data: '当前管理员未配置支付信息' });
    });

    it('is visible to its buyer alone, newest first', async () => {
      const [ann, bob] = [await world.user('ann'), await world.user('bob')];
      const first = await world.order(ann, 1);
      const second = await world.order(ann, 3);
      await world.order(bob, 5);
      const page = await world.call(ann, 'GET', '/api/user/topup/self?p=1&page_size=10');
      expect(page).toMatchObject({ success: true, data: { total: 2, page: 1, page_size: 10 } });
      const { items } = page.data as { items: Record<string, unknown>[] };
      expect(items.map((item) => item.trade_no)).toEqual([second, first]);
      expect(items[0]).toMatchObject({ amount: 3, money: 21.9, payment_method: 'alipay', status: 'pending' });
    });

    it('is listed for administrators with those of all users, by order number, username and state', async () => {
      const [ann, bob] = [await world.user('ann'), await world.user('bob')];
      const first = await world.order(ann, 1);
      const second = await world.order(bob, 5);
      const found = async (keyword: string, status: string) => {
        const { items, total } = await world.payments.allOrders(
          { keyword, status },
          { page: 1, pageSize: 10 },
        );
        expect(total).toBe(items.length);
        return items.map(({ username, trade_no: no }) => [username, no]);
      };
      expect(await found('', '')).toEqual([
        ['bob', second],
        ['ann', first],
      ]);
      expect(await found('ann', '')).toEqual([['ann', first]]);
      expect(await found(second, 'pending')).toEqual([['bob', second]]);
      expect(await found('', 'success')).toEqual([]);
    });

    it('is completed by hand once, however often that is asked and reported, also when it was given up', async () => {
      const ann = await world.user('ann');
      for (const [at, state] of (['pending', 'expired'] as const).entries()) {
        const no = await world.order(ann, 2);
        await store.db.updateTable('top_ups').set({ status: state }).where('trade_no', '=', no).execute();
        await Promise.all([1, 2, 3].map(() => world.payments.complete(no)));
        world.provider.pay(no);
        await world.provider.notify(no);
        expect(await world.balance(ann)).toBe((at + 1) * 1_000_000);
        expect((await topUps.findByTradeNo(store.db, no))?.status).toBe('success');
      }
      const no = await world.order(ann, 2);
      const byBuyer = await world.call(ann, 'POST', walletApi.complete.path, { trade_no: no });
      expect(byBuyer).toMatchObject({ success: false, code: 'insufficient_role' });
      await store.db.updateTable('top_ups').set({ status: 'failed' }).where('trade_no', '=', no).execute();
      await expect(world.payments.complete(no)).rejects.toMatchObject({ code: 'order_not_payable' });
      await expect(world.payments.complete('none')).rejects.toMatchObject({ code: 'order_not_found' });
      expect(await world.balance(ann)).toBe(2_000_000);
    });

    it('is refunded by root: what is left of it, with its share of the price', async () => {
      const ann = await world.user('ann');
      const no = await world.order(ann, 2);
      const refund = { tradeNo: no, reason: 'wrong amount' };
      await expect(world.payments.refund({ id: 1 }, refund)).rejects.toMatchObject({
        code: 'order_not_refundable',
      });
      await world.payments.complete(no);
      const byBuyer = await world.call(ann, 'POST', walletApi.refund.path, { trade_no: no, reason: 'mine' });
      expect(byBuyer).toMatchObject({ success: false, code: 'insufficient_role' });
      await store.db
        .updateTable('accounts')
        .set((e) => ({ balance: e('balance', '-', 500_000) }))
        .where('balance', '=', 1_000_000)
        .execute();
      for (let again = 0; again < 2; again += 1)
        expect(await world.payments.refund({ id: 1 }, refund)).toEqual({ quota: 500_000, money: 7.3 });
      expect(await world.balance(ann)).toBe(0);
      const unknown = world.payments.refund({ id: 1 }, { ...refund, tradeNo: 'none' });
      await expect(unknown).rejects.toMatchObject({ code: 'order_not_found' });
    });

    it('is bounded in number per user', async () => {
      const user = await world.user('ann');
      for (let i = 0; i < 10; i += 1) await world.order(user, 1);
      const answer = await world.call(user, 'POST', '/api/user/pay', { amount: 1 });
      expect(answer).toMatchObject({ success: false, code: 'too_many_requests' });
    });
  });

  describe('redeeming', () => {
    it('reports what is wrong with a code, and rate limits wrong guesses only', async () => {
      const user = await world.user('ann');
      const keys = Array.from({ length: 12 }, (_, i) => `code${i}`);
      await redemptions.create(
        store.db,
        keys.map((key) => ({
          user_id: 1,
          key_hash: sha256(key),
          key_sealed: '',
          name: 'gift',
          quota: 100,
          created_time: 1,
        })),
      );
      for (const key of keys) {
        expect(await world.call(user, 'POST', '/api/user/topup', { key })).toMatchObject({ data: 100 });
      }
      expect(await world.call(user, 'POST', '/api/user/topup', { key: ' ' })).toMatchObject({
        success: false,
        message: '未提供兑换码',
      });
      for (let i = 0; i < 10; i += 1) {
        expect(await world.call(user, 'POST', '/api/user/topup', { key: `no${i}` })).toMatchObject({
          message: '兑换失败，无效的兑换码',
        });
      }
      expect(await world.call(user, 'POST', '/api/user/topup', { key: 'code0' })).toMatchObject({
        code: 'redeem_too_many_guesses',
      });
      // Other users are not delayed. After the hour no user is delayed.
      const other = await world.user('bob');
      expect(await world.call(other, 'POST', '/api/user/topup', { key: 'no' })).toMatchObject({
        message: '兑换失败，无效的兑换码',
      });
      world.clock.now += 3_600_000;
      expect(await world.call(user, 'POST', '/api/user/topup', { key: 'code0' })).toMatchObject({
        message: '兑换失败，该兑换码已被使用',
      });
      const { rows } = await logs.list(store.db, { userId: user }, { offset: 0, limit: 1 });
      expect(rows[0]?.content).toMatch(/^通过兑换码充值 ＄0\.000200 额度，兑换码ID \d+$/);
    });
  });
});
