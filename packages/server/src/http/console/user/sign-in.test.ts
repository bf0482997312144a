import { authApi, selfApi, userApi } from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { users } from '../../../store/index.ts';
import { type House, openHouse, testPassword } from '../../../testing/harness.ts';

let house: House;
beforeEach(async () => {
  house = await openHouse();
});
afterEach(() => house.close());

const login = (
  headers: Record<string, string>,
  payload: object = { username: 'alice', password: testPassword },
) => house.guest.send({ method: 'POST', url: '/api/user/login', payload, headers });

describe('signing in', () => {
  it('sets a cookie that scripts cannot read and other sites do not send', async () => {
    await house.person('alice');
    const reply = await login({});
    expect(reply.body).toMatchObject({ success: true, data: { username: 'alice', role: 1, status: 1 } });
    expect(reply.cookies).toHaveLength(1);
    expect(reply.cookies[0]).toMatch(/^session=[\w-]{43}; /);
    for (const part of ['HttpOnly', 'SameSite=Lax', 'Path=/']) expect(reply.cookies[0]).toContain(part);
  });

  it('answers with the original’s messages to missing and wrong credentials, the same for names that do not exist', async () => {
    await house.person('alice');
    expect((await login({}, {})).body).toMatchObject({ success: false, message: '用户名或密码为空' });
    const wrong = await login({}, { username: 'alice', password: 'nothing' });
    const nobody = await login({}, { username: 'nobody', password: 'nothing' });
    expect(wrong.body.message).toBe('用户名或密码错误，或用户已被封禁');
    expect(nobody.body).toEqual({ ...wrong.body, request_id: nobody.body['request_id'] });
    expect(wrong.cookies).toEqual([]);
  });

  it('tells by no wait which names exist, nor which address belongs to which name', async () => {
    await house.close();
    house = await openHouse({ env: { CRITICAL_RATE_LIMIT_ENABLE: 'false' } });
    const ann = await house.person('ann');
    await users.update(house.core.store.db, ann.userId, { email: 'ann@example.com' });
    const guess = async (username: string) => (await login({}, { username, password: 'nothing' })).body.code;
    /** Answers to six guesses under one spelling, then to one guess under each of the other spellings. */
    const answers = async (...[first, ...others]: [string, ...string[]]) => {
      const codes = [];
      for (let i = 0; i < 6; i += 1) codes.push(await guess(first));
      for (const other of others) codes.push(await guess(other));
      return codes;
    };
    const unknown = await answers('bob', 'BOB', 'Bob ', 'bob@example.com', 'BOB@example.com');
    expect(unknown.slice(4, 6)).toEqual(['wrong_credentials', 'too_many_attempts']);
    expect(await answers('ann', 'ANN', 'Ann ', 'ann@example.com', 'ANN@example.com')).toEqual(unknown);
  });

  it('goes by the mail address of its owner, whom nobody can shut out by taking it as a name', async () => {
    const ann = await house.person('ann');
    await users.update(house.core.store.db, ann.userId, { email: 'ann@example.com' });
    const eve = await house.person('eve');
    const taken = { username: 'ann@example.com', password: testPassword };
    expect((await house.guest.call(authApi.register, taken)).body.code).toBe('username_unclear');
    const renamed = { username: taken.username, original_password: testPassword };
    expect((await eve.call(selfApi.update, renamed)).body.code).toBe('username_unclear');
    expect((await login({}, taken)).body).toMatchObject({ success: true, data: { username: 'ann' } });
  });

  it('may not be caused by another site: nobody is signed in as somebody else unawares', async () => {
    await house.person('alice');
    const reply = await login({ 'sec-fetch-site': 'cross-site' });
    expect(reply).toMatchObject({ status: 403, body: { code: 'cross_site' } });
    expect(reply.cookies).toEqual([]);
  });

  it('over plain http works within a local network, unless the operator requires https; nowhere else', async () => {
    await house.person('alice');
    const publicHost = { host: 'gate.example' };
    expect(await login(publicHost)).toMatchObject({ status: 403, body: { code: 'insecure_transport' } });
    expect((await login({ host: 'tollgate.local:3000' })).body.success).toBe(true);
    const form = { username: 'bob', password: testPassword };
    for (const [url, more] of [
      ['/api/user/register', {}],
      ['/api/setup', { confirmPassword: testPassword }],
      ['/api/setup/rehearse', { source_database: 'x.db' }],
    ] as const) {
      const payload = { ...(url.endsWith('rehearse') ? {} : form), ...more };
      const reply = await house.guest.send({ method: 'POST', url, payload, headers: publicHost });
      expect(reply, url).toMatchObject({ status: 403, body: { code: 'insecure_transport' } });
    }
  });

  it('over plain http from another machine is refused where the operator requires https', async () => {
    await house.close();
    house = await openHouse({ env: { INSECURE_COOKIES: 'false' } });
    await house.person('alice');
    expect((await login({ host: 'gate.example' })).body).toMatchObject({ code: 'insecure_transport' });
    expect((await login({ host: 'localhost:3000' })).body).toMatchObject({ success: true });
  });
});

describe('a session', () => {
  const self = selfApi.get;

  it('needs the user-id header, with refusals in the order and words that clients know', async () => {
    const alice = await house.person('alice');
    const { cookie = '' } = alice.headers;
    const ask = (headers: Record<string, string>) => house.guest.send({ url: '/api/user/self', headers });
    const id = String(alice.userId);
    expect(await ask({})).toMatchObject({
      status: 401,
      body: { success: false, message: '无权进行此操作，未登录且未提供 access token' },
    });
    expect(await ask({ authorization: 'Bearer nothing' })).toMatchObject({
      status: 200,
      body: { success: false, message: '无权进行此操作，access token 无效' },
    });
    expect(await ask({ cookie })).toMatchObject({
      status: 401,
      body: { message: '无权进行此操作，未提供 New-Api-User' },
    });
    expect(await ask({ cookie, 'new-api-user': 'abc' })).toMatchObject({
      status: 401,
      body: { message: '无权进行此操作，New-Api-User 格式错误' },
    });
    expect(await ask({ cookie, 'new-api-user': '999' })).toMatchObject({
      status: 401,
      body: { message: '无权进行此操作，New-Api-User 与登录用户不匹配' },
    });
    expect(await ask({ cookie, 'new-api-user': id })).toMatchObject({ status: 200, body: { success: true } });
    expect(await alice.call(userApi.list, {})).toMatchObject({
      status: 200,
      body: { success: false, message: '无权进行此操作，权限不足' },
    });
  });

  it('cannot be used by another site, even for calls that only read', async () => {
    const alice = await house.person('alice');
    for (const url of ['/api/user/self', '/api/user/token']) {
      const reply = await alice.send({ url, headers: { 'sec-fetch-site': 'cross-site' } });
      expect(reply).toMatchObject({ status: 403, body: { code: 'cross_site' } });
    }
    const logout = await alice.send({ url: '/api/user/logout', headers: { 'sec-fetch-site': 'cross-site' } });
    expect(logout.body).toMatchObject({ code: 'cross_site' });
    expect((await alice.call(self, {})).body.success).toBe(true);
  });

  it('ends with a logout: a copied cookie is invalid afterwards', async () => {
    const alice = await house.person('alice');
    const reply = await alice.call(authApi.logout, {});
    expect(reply.body.success).toBe(true);
    expect(reply.cookies[0]).toMatch(/^session=; .*Expires=Thu, 01 Jan 1970/);
    expect((await alice.call(self, {})).status).toBe(401);
  });

  it.each(['disable', 'delete'] as const)('ends at once when an administrator acts: %s', async (action) => {
    const admin = await house.person('admin', { role: 10 });
    const alice = await house.person('alice');
    await admin.must(userApi.manage, { id: alice.userId, action });
    expect((await alice.call(self, {})).body.success).toBe(false);
  });

  it('ends when its owner is demoted, and their new one has the new role', async () => {
    const root = await house.person('chief', { role: 100 });
    const bob = await house.person('bob', { role: 10 });
    expect((await bob.call(userApi.list, {})).body.success).toBe(true);
    await root.must(userApi.manage, { id: bob.userId, action: 'demote' });
    expect((await bob.call(userApi.list, {})).status).toBe(401);
    const again = await house.signIn('bob');
    expect((await again.call(userApi.list, {})).body.message).toBe('无权进行此操作，权限不足');
  });

  it('of other browsers ends when its owner changes the password', async () => {
    const here = await house.person('alice');
    const elsewhere = await house.signIn('alice');
    await here.must(selfApi.update, { original_password: testPassword, password: 'another good one' });
    expect((await elsewhere.call(self, {})).status).toBe(401);
    expect((await here.call(self, {})).body.success).toBe(true);
    await expect(house.signIn('alice')).rejects.toThrow('用户名或密码错误');
    await expect(house.signIn('alice', 'another good one')).resolves.toBeDefined();
  });

  it('can be listed and ended by its owner alone', async () => {
    const here = await house.person('alice');
    const elsewhere = await house.signIn('alice');
    const bob = await house.person('bob');
    const list = (await here.must(authApi.sessions, {})) as { id: string; current: boolean }[];
    expect(list).toHaveLength(2);
    const other = list.find((each) => !each.current);
    expect((await bob.call(authApi.endSession, { session: other!.id })).body).toMatchObject({
      success: false,
    });
    await here.must(authApi.endSession, { session: other!.id });
    expect((await elsewhere.call(self, {})).status).toBe(401);
    expect((await here.call(self, {})).body.success).toBe(true);
  });
});

describe('the system access token', () => {
  it('authorizes the management calls with the user-id header, and is invalid after a new one', async () => {
    const alice = await house.person('alice');
    const token = String(await alice.must(selfApi.accessToken, {}, { password: testPassword }));
    const ask = (authorization: string) =>
      house.guest.send({
        url: '/api/user/self',
        headers: { authorization, 'new-api-user': String(alice.userId) },
      });
    expect((await ask(token)).body).toMatchObject({ success: true, data: { username: 'alice' } });
    expect((await ask(`Bearer ${token}`)).body.success).toBe(true);
    await alice.must(selfApi.accessToken, {}, { password: testPassword });
    expect((await ask(token)).body.message).toBe('无权进行此操作，access token 无效');
  });

  it('of a banned user is refused with that reason', async () => {
    const admin = await house.person('admin', { role: 10 });
    const alice = await house.person('alice');
    const token = String(await alice.must(selfApi.accessToken, {}, { password: testPassword }));
    await admin.must(userApi.manage, { id: alice.userId, action: 'disable' });
    const reply = await house.guest.send({
      url: '/api/user/self',
      headers: { authorization: token, 'new-api-user': String(alice.userId) },
    });
    expect(reply).toMatchObject({ status: 200, body: { success: false, message: '用户已被封禁' } });
  });
});
