import { beforeEach, expect, it } from 'vitest';
import { dialectOf } from '../db.ts';
import { eachDialect } from '../each-dialect.ts';
import type { Db } from '../dialects/types.ts';
import * as quotaData from './logs/quota-data.ts';
import * as redemptions from './redemptions.ts';
import * as topUps from './top-ups.ts';

eachDialect('redemptions', ({ open }) => {
  let db: Db;
  beforeEach(async () => {
    ({ db } = await open());
  });
  const code = (key: string, name = 'gift') => ({
    user_id: 1,
    key_hash: key,
    key_sealed: 'v2',
    name,
    quota: 500,
    created_time: 10,
  });

  it('are found by key, by id, and by the start of their name', async () => {
    await redemptions.create(db, [code('k1', 'gift a'), code('k2', 'gift b'), code('k3', '100%')]);
    const first = await redemptions.findByHash(db, 'k1');
    expect(first).toMatchObject({ status: 1, quota: 500, used_user_id: 0, deleted_at: null });
    const search = async (keyword: string): Promise<string[]> =>
      (await redemptions.search(db, { keyword, offset: 0, limit: 10 })).rows.map((row) => row.key_hash);
    expect(await search('')).toEqual(['k3', 'k2', 'k1']);
    expect(await search('GIFT')).toEqual(['k2', 'k1']);
    expect(await search('ift')).toEqual([]);
    expect(await search('%')).toEqual([]);
    expect(await search(String(first?.id))).toContain('k1');
    expect((await redemptions.search(db, { keyword: '', offset: 2, limit: 2 })).total).toBe(3);
  });

  it('have one winner among all concurrent redemptions', async () => {
    await redemptions.create(db, [code('k1')]);
    const { id } = (await redemptions.findByHash(db, 'k1')) ?? { id: 0 };
    const won = await Promise.all(Array.from({ length: 16 }, (_, i) => redemptions.use(db, id, i + 1, 77)));
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(await redemptions.find(db, id)).toMatchObject({
      status: 3,
      used_user_id: won.indexOf(true) + 1,
      redeemed_time: 77,
    });
    expect(await redemptions.update(db, id, { quota: 1 })).toBe(false);
  });

  it('can be redeemed until they expire', async () => {
    await redemptions.create(db, [{ ...code('k1'), expired_time: 77 }, code('k2')]);
    const [free, ending] = (await redemptions.search(db, { keyword: '', offset: 0, limit: 2 })).rows;
    expect(await redemptions.use(db, ending!.id, 5, 77)).toBe(false);
    expect(await redemptions.use(db, ending!.id, 5, 76)).toBe(true);
    expect(await redemptions.use(db, free!.id, 5, 77)).toBe(true);
  });

  it('cannot be redeemed once disabled or deleted', async () => {
    await redemptions.create(db, [code('k1'), code('k2')]);
    const [b, a] = (await redemptions.search(db, { keyword: '', offset: 0, limit: 2 })).rows;
    expect(await redemptions.update(db, a?.id ?? 0, { status: 2, name: 'off' })).toBe(true);
    expect(await redemptions.use(db, a?.id ?? 0, 5, 77)).toBe(false);
    expect(await redemptions.softDelete(db, b?.id ?? 0, 50)).toBe(true);
    expect(await redemptions.softDelete(db, b?.id ?? 0, 51)).toBe(false);
    expect(await redemptions.use(db, b?.id ?? 0, 5, 77)).toBe(false);
    expect(await redemptions.findByHash(db, 'k2')).toBeUndefined();
  });
});

eachDialect('top-ups', ({ open }) => {
  let db: Db;
  beforeEach(async () => {
    ({ db } = await open());
  });
  const order = (tradeNo: string, createTime = 10) => ({
    user_id: 1,
    amount: 10,
    quota: 5_000_000,
    money: '73.00',
    trade_no: tradeNo,
    provider: 'epay',
    payment_method: 'alipay',
    create_time: createTime,
  });

  it('are completed once, by their own payment provider', async () => {
    await topUps.create(db, order('USR1'));
    const paid = { status: 'success', now: 99 } as const;
    expect(await topUps.complete(db, 'USR1', 'stripe', paid)).toBe(false);
    const won = await Promise.all(Array.from({ length: 8 }, () => topUps.complete(db, 'USR1', 'epay', paid)));
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(await topUps.findByTradeNo(db, 'USR1')).toMatchObject({ status: 'success', complete_time: 99 });
    expect(await topUps.complete(db, 'USR2', 'epay', paid)).toBe(false);
  });

  it('have a trade number of their own', async () => {
    await topUps.create(db, order('USR1'));
    const error: unknown = await topUps.create(db, order('USR1')).catch((reason: unknown) => reason);
    expect(dialectOf(db).isUniqueViolation(error)).toBe(true);
  });

  it('are listed for their user, and queried while pending', async () => {
    for (const [tradeNo, time] of [
      ['a', 30],
      ['b', 20],
      ['c', 10],
    ] as const) {
      await topUps.create(db, order(tradeNo, time));
    }
    const names = (rows: topUps.TopUpRow[]): string[] => rows.map((row) => row.trade_no);
    expect(names(await topUps.list(db, 1, { offset: 0, limit: 2 }))).toEqual(['c', 'b']);
    expect(names(await topUps.pendingBefore(db, 30, 10))).toEqual(['c', 'b']);
  });
});

eachDialect('hourly sums', ({ open }) => {
  const sum = (userId: number, model: string, hour: number, quota: number) => ({
    user_id: userId,
    username: `user${userId}`,
    model_name: model,
    created_at: hour,
    token_used: quota * 2,
    count: 1,
    quota,
  });

  it('add to the row of their user, model and hour', async () => {
    const { db } = await open();
    await quotaData.add(db, [sum(1, 'a', 3600, 10), sum(1, 'b', 3600, 5), sum(2, 'a', 3600, 7)]);
    await quotaData.add(db, [sum(1, 'a', 3600, 32), sum(1, 'a', 7200, 1)]);
    const own = await quotaData.ofUser(db, 1, { start: 0, end: 9999 });
    expect(own.map((row) => [row.model_name, row.created_at, row.count, row.quota, row.token_used])).toEqual([
      ['a', 3600, 2, 42, 84],
      ['b', 3600, 1, 5, 10],
      ['a', 7200, 1, 1, 2],
    ]);
    expect(await quotaData.byModel(db, { start: 3600, end: 3600 })).toEqual([
      { model_name: 'a', created_at: 3600, count: 3, quota: 49, token_used: 98 },
      { model_name: 'b', created_at: 3600, count: 1, quota: 5, token_used: 10 },
    ]);
  });

  it('lose nothing when many settlements change one row', async () => {
    const { db } = await open();
    await Promise.all(Array.from({ length: 30 }, () => quotaData.add(db, [sum(1, 'a', 0, 3)])));
    expect(await quotaData.byModel(db, { start: 0, end: 0 })).toEqual([
      { model_name: 'a', created_at: 0, count: 30, quota: 90, token_used: 180 },
    ]);
  });
});
