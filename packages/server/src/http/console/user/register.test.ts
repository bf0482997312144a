import { authApi, selfApi, tokenApi } from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { logs } from '../../../store/index.ts';
import { type House, openHouse, testPassword } from '../../../testing/harness.ts';

let house: House;
beforeEach(async () => {
  house = await openHouse();
});
afterEach(async () => {
  expect(await house.findings()).toEqual([]);
  await house.close();
});

const register = (username: string, more: object = {}) =>
  house.guest.call(authApi.register, { username, password: testPassword, ...more });

const logTexts = async (userId: number): Promise<string[]> => {
  const { rows } = await logs.list(house.core.store.db, { userId }, { offset: 0, limit: 100 });
  return rows.map((row) => row.content).toSorted();
};

describe('signing up', () => {
  it('creates an ordinary user who can sign in, and nobody with more', async () => {
    const send = (more: object) =>
      house.guest.send({
        method: 'POST',
        url: '/api/user/register',
        payload: { username: 'mallory', password: testPassword, ...more },
      });
    const refused = await send({ role: 100, quota: 1e9, status: 1, group: 'vip', id: 1 });
    expect(refused.body).toMatchObject({ success: false, code: 'unknown_members' });
    expect((await send({})).body).toEqual({ success: true, message: '', data: null });
    const mallory = await house.signIn('mallory');
    expect(await mallory.must(selfApi.get, {})).toMatchObject({ role: 1, quota: 0, group: 'default' });
  });

  it('respects its switches', async () => {
    await house.core.settings.set('PasswordRegisterEnabled', 'false');
    expect((await register('alice')).body.message).toBe(
      '管理员关闭了通过密码进行注册，请使用第三方账户验证的形式进行注册',
    );
    await house.core.settings.set('RegisterEnabled', 'false');
    expect((await register('alice')).body.message).toBe('管理员关闭了新用户注册');
  });

  it.each([
    ['a short password', { password: 'seven77' }, '密码长度不得小于 8 位！'],
    ['a password that is too long', { password: 'x'.repeat(129) }, '输入不合法 密码不能超过 128 个字符'],
    ['two passwords that differ', { password2: 'another password' }, '两次输入的密码不一致'],
    ['no name', { username: '  ' }, '输入不合法 用户名不能为空'],
    ['a name that is too long', { username: 'x'.repeat(21) }, '输入不合法 用户名不能超过 20 个字符'],
  ])('refuses %s', async (_what, change, words) => {
    const reply = await house.guest.call(authApi.register, {
      username: 'alice',
      password: testPassword,
      ...change,
    });
    expect(reply.body).toMatchObject({ success: false, message: words });
  });

  it('uses a name once, and never again after its owner was deleted', async () => {
    await house.person('alice');
    expect((await register('alice')).body.message).toBe('用户名已存在，或已注销');
    const bob = await house.person('bob');
    await bob.must(selfApi.remove, {}, { password: testPassword });
    expect((await register('bob')).body.message).toBe('用户名已存在，或已注销');
    const both = await Promise.all([register('carol'), register('carol')]);
    expect(both.filter(({ body }) => body.success)).toHaveLength(1);
  });

  it('stores no address that was not verified', async () => {
    await register('alice', { email: 'boss@example.com' });
    expect(await (await house.signIn('alice')).must(selfApi.get, {})).toMatchObject({ email: '' });
  });

  it('creates a first token where the operator wants that', async () => {
    await house.close();
    house = await openHouse({ env: { GENERATE_DEFAULT_TOKEN: 'true' } });
    await register('alice');
    const tokens = await (await house.signIn('alice')).must(tokenApi.list, {});
    expect(tokens).toMatchObject([
      { name: 'alice的初始令牌', unlimited_quota: true, remain_quota: 500_000, expired_time: -1, group: '' },
    ]);
    await house.core.settings.set('DefaultUseAutoGroup', 'true');
    await register('carol');
    expect(await (await house.signIn('carol')).must(tokenApi.list, {})).toMatchObject([{ group: 'auto' }]);
    const payload = { username: 'bob', password: testPassword };
    const headers = { 'accept-language': 'en' };
    await house.guest.send({ method: 'POST', url: '/api/user/register', payload, headers });
    const own = await (await house.signIn('bob')).must(tokenApi.list, {});
    expect(own).toMatchObject([{ name: "bob's first key" }]);
  });
});

describe('gifts and invitations', () => {
  it('are booked, logged and counted: new user, invited and inviter', async () => {
    await house.core.settings.setMany({
      QuotaForNewUser: '100000',
      QuotaForInvitee: '20000',
      QuotaForInviter: '3000000',
      DisplayInCurrencyEnabled: 'true',
    });
    const inviter = await house.person('inviter', { quota: 0 });
    const code = String(await inviter.must(selfApi.aff, {}));
    expect(code).toMatch(/^[0-9A-Za-z]{4}$/);
    expect(await inviter.must(selfApi.aff, {})).toBe(code);
    expect((await register('invitee', { aff_code: code })).body.success).toBe(true);
    const invitee = await house.signIn('invitee');
    expect(await invitee.must(selfApi.get, {})).toMatchObject({ quota: 120_000, inviter_id: inviter.userId });
    expect(await inviter.must(selfApi.get, {})).toMatchObject({
      aff_count: 1,
      aff_quota: 3_000_000,
      aff_history_quota: 3_000_000,
    });
    expect(await logTexts(invitee.userId)).toEqual([
      '使用邀请码赠送 ＄0.040000 额度',
      '新用户注册赠送 ＄0.200000 额度',
      '登录成功，方式：password',
    ]);
    expect(await logTexts(inviter.userId)).toContain('邀请用户赠送 ＄6.000000 额度');
  });

  it('count an invitation without a reward', async () => {
    const inviter = await house.person('inviter');
    const code = String(await inviter.must(selfApi.aff, {}));
    await register('invitee', { aff_code: code });
    expect(await inviter.must(selfApi.get, {})).toMatchObject({ aff_count: 1, aff_quota: 0 });
  });

  it('do not depend on a code that does not exist', async () => {
    await house.core.settings.set('QuotaForInvitee', '20000');
    expect((await register('alice', { aff_code: 'none' })).body.success).toBe(true);
    expect(await (await house.signIn('alice')).must(selfApi.get, {})).toMatchObject({
      quota: 0,
      inviter_id: 0,
    });
  });

  it('move to the balance, whole and once, in steps of a dollar at least', async () => {
    await house.core.settings.set('QuotaForInviter', '600000');
    const inviter = await house.person('inviter');
    await register('invitee', { aff_code: String(await inviter.must(selfApi.aff, {})) });
    const transfer = (quota: number) => inviter.call(selfApi.affTransfer, { quota });
    expect((await transfer(499_999)).body.message).toBe('划转失败 转移额度最小为＄1.000000 额度！');
    const both = await Promise.all([transfer(500_000), transfer(500_000)]);
    expect(new Set(both.map(({ body }) => body.message))).toEqual(
      new Set(['划转失败 邀请额度不足！', '划转成功']),
    );
    expect(await inviter.must(selfApi.get, {})).toMatchObject({ quota: 500_000, aff_quota: 100_000 });
  });
});
