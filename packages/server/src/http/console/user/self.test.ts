import { authApi, role, secretMask, selfApi, type UserData, type UserSetting } from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSecret } from '../../../services/site/notify/index.ts';
import { users } from '../../../store/index.ts';
import type { Agent } from '../../../testing/agent.ts';
import { type House, openHouse, testPassword } from '../../../testing/harness.ts';

let house: House;
let alice: Agent;
beforeEach(async () => {
  house = await openHouse();
  alice = await house.person('alice');
});
afterEach(() => house.close());

const self = async () => (await alice.must(selfApi.get, {})) as UserData;

describe('one’s own account', () => {
  it('shows everything but secrets', async () => {
    const { has_password, ...rest } = await self();
    expect(has_password).toBe(true);
    const text = JSON.stringify(rest);
    expect(text).toContain('"username":"alice"');
    for (const secret of ['password', 'argon2', 'access_token']) expect(text).not.toContain(secret);
  });

  it('changes its display name freely, name and password only with the current password', async () => {
    await alice.must(selfApi.update, { display_name: 'Alice A.' });
    expect(await self()).toMatchObject({ display_name: 'Alice A.' });
    for (const change of [{ username: 'alicia' }, { password: 'another good one' }]) {
      for (const original_password of [undefined, '', 'wrong']) {
        const reply = await alice.call(selfApi.update, { ...change, original_password });
        expect(reply.body.message).toBe('原密码错误');
        // Each try counts as a guess. The clock moves past the delay.
        house.time.ms += 3_700_000;
      }
    }
    const same = { password: testPassword, original_password: testPassword };
    expect((await alice.call(selfApi.update, same)).body.message).toBe('新密码需要和原密码不一致！');
    await alice.must(selfApi.update, { username: 'alicia', original_password: testPassword });
    expect(await self()).toMatchObject({ username: 'alicia' });
  });

  it('rate limits guesses of the current password, also with a stolen session', async () => {
    const guess = () =>
      alice.call(selfApi.update, { password: 'another good one', original_password: 'wrong' });
    for (let i = 0; i < 5; i += 1) await guess();
    expect(await guess()).toMatchObject({ status: 429, body: { code: 'too_many_attempts' } });
  });

  it('cannot give itself role, quota or group', async () => {
    const before = await self();
    await alice.send({
      method: 'PUT',
      url: '/api/user/self',
      payload: { role: 100, quota: 1e9, group: 'vip', status: 1, used_quota: -5, display_name: 'x' },
    });
    expect(await self()).toEqual({ ...before, display_name: 'x' });
  });

  it('deletes itself, with sessions and tokens; root cannot', async () => {
    const root = await house.person('chief', { role: role.root });
    expect((await root.call(selfApi.remove, {}, { password: testPassword })).body.message).toBe(
      '不能删除超级管理员账户',
    );
    await alice.must(selfApi.remove, {}, { password: testPassword });
    expect((await alice.call(selfApi.get, {})).status).toBe(401);
    await expect(house.signIn('alice')).rejects.toThrow('用户名或密码错误');
  });
});

describe('one’s own settings', () => {
  const good: UserSetting = {
    notify_type: 'webhook',
    quota_warning_threshold: 500_000,
    webhook_url: 'https://hook.example/x',
    webhook_secret: 's',
    notification_email: '',
    accept_unset_model_ratio_model: true,
  };
  const save = (change: object) =>
    alice.send({ method: 'PUT', url: '/api/user/setting', payload: { ...good, ...change } });

  it('are replaced as a whole', async () => {
    expect((await save({})).body).toEqual({ success: true, message: '设置已更新', data: null });
    expect(JSON.parse((await self()).setting)).toEqual({ ...good, webhook_secret: secretMask });
    await save({ webhook_secret: '' });
    expect(JSON.parse((await self()).setting)).toEqual({ ...good, webhook_secret: '' });
  });

  it('stay as they are when the body does not contain them', async () => {
    await save({});
    const slip = await alice.send({ method: 'PUT', url: '/api/user/setting', payload: {} });
    expect(slip.body).toMatchObject({ success: false, message: '无效的预警类型' });
    expect(JSON.parse((await self()).setting)).toEqual({ ...good, webhook_secret: secretMask });
  });

  it('keep the user’s language, which changes alone and survives a save without it', async () => {
    const setting = async () => JSON.parse((await self()).setting) as object;
    await alice.must(selfApi.language, { language: 'en' });
    expect(await setting()).toEqual({ language: 'en' });
    await save({});
    expect(await setting()).toMatchObject({ language: 'en', webhook_url: good.webhook_url });
    await alice.must(selfApi.language, { language: 'zh' });
    expect(await setting()).toMatchObject({ language: 'zh', webhook_url: good.webhook_url });
    await save({ language: '' });
    expect(await setting()).toMatchObject({ language: '' });
    const odd = await alice.send({
      method: 'PUT',
      url: '/api/user/self/language',
      payload: { language: 'xx' },
    });
    expect(odd.body).toMatchObject({ success: false, code: 'invalid_input' });
  });

  it('never show the secret of the webhook, and keep it when its mask is sent back for the same address', async () => {
    const stored = async () => (await users.find(house.core.store.db, alice.userId))?.setting ?? '';
    const secretNow = async () => {
      const { webhook_secret } = JSON.parse(await stored()) as UserSetting;
      return openSecret(house.core.sealer, alice.userId, webhook_secret);
    };
    await save({ webhook_secret: 'a secret of the webhook' });
    await save({ webhook_secret: secretMask, quota_warning_threshold: 7 });
    expect(await secretNow()).toBe('a secret of the webhook');
    expect(JSON.parse(await stored())).toMatchObject({ quota_warning_threshold: 7 });
    const elsewhere = await save({ webhook_secret: secretMask, webhook_url: 'https://other.example/x' });
    expect(elsewhere.body).toMatchObject({ success: false, code: 'webhook_secret_required' });
    await save({ webhook_secret: 'a new one' });
    expect(await secretNow()).toBe('a new one');
    const answers = [await alice.call(selfApi.get, {}), await alice.call(authApi.sessions, {})];
    expect(JSON.stringify(answers)).not.toMatch(/a new one|a secret of/);
  });

  it('keep the secret of the webhook sealed in the database', async () => {
    await save({ webhook_secret: 'a secret of the webhook' });
    const rows = await house.core.store.db.selectFrom('users').select('setting').execute();
    expect(JSON.stringify(rows)).toContain('https://hook.example/x');
    expect(JSON.stringify(rows)).not.toContain('a secret of the webhook');
  });

  it.each([
    [{ notify_type: 'pigeon' }, '无效的预警类型'],
    [{ quota_warning_threshold: 0 }, '预警阈值必须大于0'],
    [{ quota_warning_threshold: 'many' }, '预警阈值必须大于0'],
    [{ quota_warning_threshold: true }, '预警阈值必须大于0'],
    [{ webhook_url: '' }, 'Webhook地址不能为空'],
    [{ webhook_url: 'http://hook.example' }, '无效的Webhook地址'],
    [{ webhook_url: 'https://' }, '无效的Webhook地址'],
    [{ notification_email: 'nobody' }, '无效的邮箱地址'],
  ])('are refused with the original’s messages: %o', async (change, words) => {
    expect((await save(change)).body).toMatchObject({ success: false, message: words });
    expect((await self()).setting).toBe('');
  });
});

describe('groups and models', () => {
  it('are those on offer, one’s own among them', async () => {
    const vip = await house.person('vip', { group: 'vip' });
    await house.core.settings.setMany({
      GroupRatio: '{"default":1,"vip":0.5,"hidden":3}',
      UserUsableGroups: '{"default":"默认分组"}',
    });
    expect(await alice.must(selfApi.groups, {})).toEqual({ default: { ratio: 1, desc: '默认分组' } });
    expect(await vip.must(selfApi.groups, {})).toEqual({
      default: { ratio: 1, desc: '默认分组' },
      vip: { ratio: 0.5, desc: '用户分组' },
    });
    expect((await house.guest.call(selfApi.publicGroups, {})).body.data).toEqual({
      default: { ratio: 1, desc: '默认分组' },
    });
    expect(await alice.must(selfApi.models, {})).toEqual([]);
  });

  it('are described in the reader’s language where the operator has not described them', async () => {
    const vip = await house.person('vip', { group: 'vip' });
    await house.core.settings.setMany({
      GroupRatio: '{"default":1,"vip":0.5,"gold":3}',
      UserUsableGroups: '{"default":"默认分组","gold":"金牌"}',
    });
    const read = async (language: string) =>
      (await vip.send({ url: '/api/user/self/groups', headers: { 'accept-language': language } })).body.data;
    expect(await read('en')).toMatchObject({
      default: { desc: 'Default group' },
      gold: { desc: '金牌' },
      vip: { desc: "The user's group" },
    });
    await house.core.settings.setMany({ UserUsableGroups: '{"default":"标准"}' });
    expect(await read('en')).toMatchObject({ default: { desc: '标准' } });
    expect(await read('zh')).toMatchObject({ vip: { desc: '用户分组' } });
  });
});
