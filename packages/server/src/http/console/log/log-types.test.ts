import { type LogData, logApi, logType, type Page, role, selfApi, userApi } from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../../../testing/agent.ts';
import { type House, openHouse, operatorCalls } from '../../../testing/harness.ts';

let house: House;
let admin: Agent;
let ann: Agent;
beforeAll(async () => {
  house = await openHouse({
    routes: operatorCalls,
  });
  admin = await house.person('admin', { role: role.admin });
  ann = await house.person('ann', { quota: 500_000 });
});
afterAll(() => house.close());

/** The rows of a type about ann, as both lists return them with that filter. */
async function readRows(type: number) {
  const own = (await ann.must(logApi.ownList, { type })) as Page<LogData>;
  const all = (await admin.must(logApi.list, { type, username: 'ann' })) as Page<LogData>;
  const found = (await ann.must(logApi.ownSearch, { keyword: String(type) })) as LogData[];
  for (const row of [...own.items, ...all.items, ...found])
    expect(row).toMatchObject({ type, username: 'ann' });
  const texts = all.items.map(({ content }) => content);
  expect(own.items.map(({ content }) => content)).toEqual(texts);
  expect(found.map(({ content }) => content)).toEqual(texts);
  return texts;
}

describe('the usage log has rows of its own', () => {
  it('for each sign-in, and none for a failed one', async () => {
    const before = await readRows(logType.login);
    await house.signIn('ann');
    await house.guest.send({
      method: 'POST',
      url: '/api/user/login',
      payload: { username: 'ann', password: 'not the password' },
    });
    expect(await readRows(logType.login)).toEqual(['登录成功，方式：密码', ...before]);
  });

  it('that a list may leave out', async () => {
    const listed = async (exclude_type: number) => {
      const own = (await ann.must(logApi.ownList, { exclude_type })) as Page<LogData>;
      const all = (await admin.must(logApi.list, { exclude_type, username: 'ann' })) as Page<LogData>;
      expect(own.total).toBe(all.total);
      return own.items.map(({ type }) => type);
    };
    await house.signIn('ann');
    const whole = await listed(0);
    expect(whole).toContain(logType.login);
    expect(await listed(logType.login)).toEqual(whole.filter((type) => type !== logType.login));
  });

  it('for a balance that an administrator changed, by either call', async () => {
    const before = await readRows(logType.manage);
    await admin.must(userApi.update, { id: ann.userId, quota: 1_000_000 });
    await admin.must(userApi.manage, { id: ann.userId, action: 'add_quota', value: 500_000 });
    expect(await readRows(logType.manage)).toEqual([
      '管理员将用户额度从 ＄2.000000 额度修改为 ＄3.000000 额度',
      '管理员将用户额度从 ＄1.000000 额度修改为 ＄2.000000 额度',
      ...before,
    ]);
    expect(await ann.must(selfApi.get, {})).toMatchObject({ quota: 1_500_000 });
  });
});
