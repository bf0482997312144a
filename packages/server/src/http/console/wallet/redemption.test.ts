import { type Page, type RedemptionData, redemptionApi, role, type Route } from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../../lib/hash.ts';
import { redemptions } from '../../../store/index.ts';
import type { Agent } from '../../../testing/agent.ts';
import { type House, openHouse, operatorCalls } from '../../../testing/harness.ts';

describe('redemption code calls', () => {
  let house: House;
  let admin: Agent;

  beforeAll(async () => {
    house = await openHouse({
      routes: operatorCalls,
    });
    admin = await house.person('admin', { role: role.admin });
  });
  afterAll(() => house.close());

  it.each(Object.entries(redemptionApi as Record<string, Route>))(
    '%s is for administrators',
    async (name, route) => {
      const sample = { id: 1, name: 'x', quota: 1, count: 1 };
      const user = await house.person(`u-${name}`);
      expect((await user.call(route, sample)).body.code).toBe('insufficient_role');
      expect((await house.guest.call(route, sample)).status).toBe(401);
    },
  );

  it('create codes, list, find, edit, enable, disable and delete them', async () => {
    const keys = (await admin.must(redemptionApi.create, { name: 'gift', quota: 500, count: 3 })) as string[];
    expect(keys).toHaveLength(3);
    const page = (await admin.must(redemptionApi.list, { p: 1, page_size: 2 })) as Page<RedemptionData>;
    expect(page).toMatchObject({ total: 3, page: 1, page_size: 2 });
    const { id } = page.items[0]!;
    expect(page.items[0]).toMatchObject({ user_id: admin.userId, quota: 500, status: 1, DeletedAt: null });
    const found = (await admin.must(redemptionApi.search, { keyword: 'gi' })) as Page<RedemptionData>;
    expect(found.total).toBe(3);
    expect(await admin.must(redemptionApi.update, { id, name: 'new', quota: 9, status: 2 })).toMatchObject({
      name: 'new',
      quota: 9,
      status: 1,
    });
    expect(await admin.must(redemptionApi.update, { id, quota: 11 })).toMatchObject({
      name: 'new',
      quota: 11,
    });
    for (const quota of [null, '', []])
      expect(
        (await admin.send({ method: 'PUT', url: '/api/redemption/', payload: { id, quota } })).body.success,
      ).toBe(false);
    expect(await admin.must(redemptionApi.get, { id })).toMatchObject({ quota: 11 });
    const off = await admin.send({
      method: 'PUT',
      url: '/api/redemption/?status_only=true',
      payload: { id, status: 2 },
    });
    expect(off.body.data).toMatchObject({ name: 'new', status: 2 });
    expect(await admin.must(redemptionApi.get, { id })).toMatchObject({ status: 2 });
    await admin.must(redemptionApi.remove, { id });
    expect((await admin.call(redemptionApi.get, { id })).body.code).toBe('redemption_not_found');
  });

  it('delete all codes that nobody can redeem by one call', async () => {
    await admin.must(redemptionApi.create, { name: 'invalid', quota: 1, count: 2 });
    const found = () =>
      admin.must(redemptionApi.search, { keyword: 'invalid' }) as Promise<Page<RedemptionData>>;
    const { id } = (await found()).items[0]!;
    await admin.must(redemptionApi.update, { id, status: 2, status_only: true });
    await admin.must(redemptionApi.removeInvalid, {});
    expect((await found()).total).toBe(1);
  });

  it('show codes shortened, and a whole one by the one call that is recorded', async () => {
    const [code] = (await admin.must(redemptionApi.create, {
      name: 'shown',
      quota: 1,
      count: 1,
    })) as string[];
    const short = `${code!.slice(0, 4)}…${code!.slice(-4)}`;
    const page = (await admin.must(redemptionApi.list, { p: 1 })) as Page<RedemptionData>;
    const { id } = page.items[0]!;
    const { items } = (await admin.must(redemptionApi.search, { keyword: 'shown' })) as Page<RedemptionData>;
    const one = (await admin.must(redemptionApi.get, { id })) as RedemptionData;
    const changed = (await admin.must(redemptionApi.update, { id, quota: 2 })) as RedemptionData;
    expect([page.items[0]!, items[0]!, one, changed].map(({ key }) => key)).toEqual(Array(4).fill(short));
    const readings = () =>
      house.core.audit
        .list({ kind: 'redemption.reveal', before: 0, limit: 10 })
        .then(({ items }) => items.length);
    expect(await readings()).toBe(0);
    expect(await admin.must(redemptionApi.reveal, { id })).toBe(code);
    expect(await readings()).toBe(1);
    const rows = await house.core.store.db.selectFrom('redemptions').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(code);
  });

  it('refuse with the messages of the API', async () => {
    const refusal = async (fields: object) =>
      (await admin.call(redemptionApi.create, { name: 'x', quota: 1, count: 1, ...fields })).body.message;
    expect(await refusal({ name: '' })).toBe('兑换码名称长度必须在1-20之间');
    expect(await refusal({ count: 0 })).toBe('兑换码个数必须大于0');
    expect(await refusal({ count: 101 })).toBe('一次兑换码批量生成的个数不能大于 100');
    expect(await refusal({ quota: -1 })).not.toBe('');
  });

  it('never make a used code usable again', async () => {
    const [key] = (await admin.must(redemptionApi.create, { name: 'once', quota: 5, count: 1 })) as string[];
    const { db } = house.core.store;
    const code = await redemptions.findByHash(db, sha256(key!));
    await redemptions.use(db, code!.id, 3, 1);
    for (const change of [{ status: 1, status_only: true }, { name: 'x' }, { quota: 1 }]) {
      const { body } = await admin.call(redemptionApi.update, { id: code!.id, ...change });
      expect(body).toMatchObject({ success: false, message: '该兑换码已被使用' });
    }
  });
});
