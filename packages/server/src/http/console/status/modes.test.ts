import {
  authApi,
  emailApi,
  optionApi,
  selfApi,
  setupApi,
  statusApi,
  tokenApi,
  userApi,
} from '@tollgate/contract';
import { afterEach, describe, expect, it } from 'vitest';
import { type House, openHouse, testPassword } from '../../../testing/harness.ts';

let house: House;
afterEach(async () => {
  expect(await house.findings()).toEqual([]);
  await house.close();
});
const readCode = async (reply: Promise<{ body: { code?: string } }>) => (await reply).body.code;
const option = (value: string) => ({ key: 'DemoSiteEnabled', value });

describe('a demo site', () => {
  it('can be read and not changed, by users and administrators alike; root can end it', async () => {
    house = await openHouse();
    const root = await house.person('chief', { role: 100 });
    const admin = await house.person('admin', { role: 10 });
    const user = await house.person('ada', { quota: 1_000 });
    await root.must(optionApi.update, option('true'));
    expect(await house.guest.must(statusApi.status, {})).toMatchObject({
      demo_site_enabled: true,
      demo_binds_root: false,
    });
    expect(await admin.must(userApi.list, {})).toMatchObject({ total: 3 });
    expect(await user.must(selfApi.get, {})).toMatchObject({ quota: 1_000 });
    expect(await readCode(admin.call(userApi.manage, { id: user.userId, action: 'disable' }))).toBe(
      'demo_site',
    );
    expect(await readCode(user.call(tokenApi.create, { name: 'x' }))).toBe('demo_site');
    const password = { password: 'another password', original_password: testPassword };
    expect(await readCode(user.call(selfApi.update, password))).toBe('demo_site');
    expect(await readCode(user.call(selfApi.accessToken, {}, { password: testPassword }))).toBe('demo_site');
    expect(await readCode(user.call(selfApi.remove, {}, { password: testPassword }))).toBe('demo_site');
    const reset = { email: 'a@example.com', token: 'x' };
    expect(await readCode(house.guest.call(emailApi.reset, reset))).toBe('demo_site');
    // Users register and leave.
    await house.guest.must(authApi.register, { username: 'bob', password: 'a long enough password' });
    expect((await house.signIn('bob', 'a long enough password')).userId).toBeGreaterThan(0);
    await user.must(selfApi.language, { language: 'zh' });
    await root.must(optionApi.update, option('false'));
    await user.must(tokenApi.create, { name: 'x' });
  });

  it('by the environment applies to root too, and reports it; the first setup still works', async () => {
    house = await openHouse({ env: { DEMO_SITE: 'true' } });
    const root = await house.person('chief', { role: 100 });
    expect(await house.guest.must(statusApi.status, {})).toMatchObject({
      demo_site_enabled: true,
      demo_binds_root: true,
    });
    expect(await readCode(root.call(optionApi.update, option('false')))).toBe('demo_site');
    const english = await root.send({
      method: 'PUT',
      url: '/api/option/',
      headers: { 'accept-language': 'en' },
      payload: option('false'),
    });
    expect(english.body.message).toBe('This is a demo site: this cannot be done here');
    expect(await readCode(house.guest.call(setupApi.create, setUp))).not.toBe('demo_site');
  });
});

const setUp = {
  username: 'root',
  password: 'a long enough password',
  confirmPassword: 'a long enough password',
  SelfUseModeEnabled: false,
  DemoSiteEnabled: false,
};
