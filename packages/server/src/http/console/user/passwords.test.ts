import * as contract from '@tollgate/contract';
import { currentPasswordHeader, type Route, type UserData } from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Agent } from '../../../testing/agent.ts';
import { type House, openHouse, testPassword } from '../../../testing/harness.ts';

let house: House;
let alice: Agent;
let root: Agent;
beforeEach(async () => {
  house = await openHouse();
  alice = await house.person('alice');
  root = await house.person('chief', { role: contract.role.root });
});
afterEach(() => house.close());

const isRoute = (value: unknown): value is Route =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'input' in value;

const declared = Object.values<unknown>(contract)
  .filter((value) => typeof value === 'object' && value !== null)
  .flatMap((value) => Object.values(value as object).filter(isRoute));

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

/** The fields of a call that carry a password or the set-up token; 'header' for a secret outside the input. */
function secretFields({ path, input, reauthenticate }: Route): string[] {
  const fields = input instanceof z.ZodObject ? Object.keys(input.shape) : [];
  const found = fields.filter(
    (field) =>
      /password/i.test(field) ||
      (path.startsWith('/api/setup') && field === 'token') ||
      (path === '/api/verify' && field === 'code'),
  );
  return reauthenticate === 'always' ? [...found, 'header'] : found;
}

/** A wrong guess at each secret of the server, by the call that checks it. */
const guesses: Record<string, () => Promise<{ status: number }>> = {
  'POST /api/user/login': () =>
    house.guest.call(contract.authApi.login, { username: 'alice', password: 'a wrong guess' }),
  'PUT /api/user/self': () =>
    alice.call(contract.selfApi.update, { password: 'a new password', original_password: 'a wrong guess' }),
  'DELETE /api/user/self': () => alice.call(contract.selfApi.remove, {}, { password: 'a wrong guess' }),
  'GET /api/user/token': () => alice.call(contract.selfApi.accessToken, {}, { password: 'a wrong guess' }),
  'POST /api/user/access_token': () =>
    alice.call(
      contract.selfApi.createAccessToken,
      { name: 'x', scope: 'read', days: 1 },
      { password: 'a wrong guess' },
    ),
  'GET /api/oauth/email/bind': () =>
    alice.call(
      contract.emailApi.bindByGet,
      { email: 'a@example.com', code: '123456' },
      { password: 'a wrong guess' },
    ),
  'POST /api/oauth/email/bind': () =>
    alice.call(
      contract.emailApi.bind,
      { email: 'a@example.com', code: '123456' },
      { password: 'a wrong guess' },
    ),
  'POST /api/oauth/bind/:provider': () =>
    alice.call(contract.oauthApi.startBind, { provider: 'github' }, { password: 'a wrong guess' }),
  'DELETE /api/oauth/bind/:provider': () =>
    alice.call(contract.oauthApi.unbind, { provider: 'github' }, { password: 'a wrong guess' }),
  'GET /api/oauth/wechat/bind': () =>
    alice.call(contract.oauthApi.wechatBind, { code: 'x' }, { password: 'a wrong guess' }),
  'GET /api/oauth/telegram/bind': () =>
    alice.call(
      contract.oauthApi.telegramBind,
      { id: '1', auth_date: '1', hash: '0'.repeat(64) },
      { password: 'a wrong guess' },
    ),
  ...Object.fromEntries(
    [
      contract.secondFactorApi.setUp,
      contract.secondFactorApi.disable,
      contract.secondFactorApi.renewCodes,
      contract.passkeyApi.removeAll,
      contract.passkeyApi.beginRegistration,
    ].map((route) => [nameOf(route), () => alice.call(route, {}, { password: 'a wrong guess' })]),
  ),
  'POST /api/user/2fa/enable': () =>
    alice.call(contract.secondFactorApi.enable, { code: '123456' }, { password: 'a wrong guess' }),
  'DELETE /api/user/passkey/:id': () =>
    alice.call(contract.passkeyApi.remove, { id: 1 }, { password: 'a wrong guess' }),
  'DELETE /api/user/:id/2fa': () =>
    root.call(contract.secondFactorApi.reset, { id: alice.userId }, { password: 'a wrong guess' }),
  'DELETE /api/user/:id/reset_passkey': () =>
    root.call(contract.secondFactorApi.resetPasskeys, { id: alice.userId }, { password: 'a wrong guess' }),
  'POST /api/verify': () =>
    alice.call(contract.secondFactorApi.verify, { method: 'password', code: 'a wrong guess' }),
  'POST /api/setup': () =>
    house.guest.call(contract.setupApi.create, {
      username: 'chief',
      password: 'a good password',
      confirmPassword: 'a good password',
      token: 'a wrong guess',
    }),
  'POST /api/setup/rehearse': () =>
    house.guest.call(contract.setupApi.rehearse, { source_database: 'x.db', token: 'a wrong guess' }),
};

/** A new password, by each call that stores one. */
const choices: Record<string, (password: string) => Promise<{ body: { code?: string } }>> = {
  'POST /api/user/register': (password) =>
    house.guest.call(contract.authApi.register, { username: 'bob', password }),
  'PUT /api/user/self': (password) =>
    alice.call(contract.selfApi.update, { password, original_password: testPassword }),
  'POST /api/user/': (password) => root.call(contract.userApi.create, { username: 'bob', password }),
  'PUT /api/user/': (password) => root.call(contract.userApi.update, { id: alice.userId, password }),
  'POST /api/setup': (password) =>
    house.guest.call(contract.setupApi.create, {
      username: 'bob',
      password,
      confirmPassword: password,
      token: house.people.setup.token() ?? '',
    }),
};

describe('every call that takes a password', () => {
  it('is among those tested here', () => {
    const found = declared.filter((route) => secretFields(route).length > 0).map(nameOf);
    expect(found.toSorted()).toEqual(
      [...new Set([...Object.keys(guesses), ...Object.keys(choices)])].toSorted(),
    );
  });

  it.each(Object.keys(guesses))(
    '%s checks five of sixty concurrent guesses, and delays the others',
    async (name) => {
      const replies = await Promise.all(Array.from({ length: 60 }, () => guesses[name]!()));
      expect(replies.filter(({ status }) => status !== 429)).toHaveLength(5);
    },
  );

  it('counts the guesses for one account together, whichever call makes them', async () => {
    for (let round = 0; round < 5; round += 1) {
      const name = Object.keys(guesses)[round % 4]!;
      expect((await guesses[name]!()).status, name).not.toBe(429);
    }
    for (const name of Object.keys(guesses).slice(0, 4))
      expect((await guesses[name]!()).status, name).toBe(429);
  });

  it('is among the calls that are limited by address', () => {
    const weighing = declared.filter((route) => Object.hasOwn(guesses, nameOf(route)));
    expect(weighing.filter((route) => route.critical !== true).map(nameOf)).toEqual([]);
  });

  it.each(Object.keys(choices))('%s refuses common passwords', async (name) => {
    for (const password of ['password', '12345678', 'aaaaaaaa', 'PASSWORD123', ' iloveyou '])
      expect((await choices[name]!(password)).body.code, password).toBe('password_common');
    expect((await choices[name]!('a quite rare password')).body).toMatchObject({ success: true });
  });
});

describe('a call that asks for the password again', () => {
  const ask = (headers: Record<string, string>) => alice.send({ url: '/api/user/token', headers });

  it('is refused without it, with a wrong one, and whatever a query or body contains', async () => {
    expect(await ask({})).toMatchObject({ status: 403, body: { code: 'password_required' } });
    expect(await ask({ [currentPasswordHeader]: 'wrong' })).toMatchObject({
      status: 403,
      body: { code: 'wrong_password' },
    });
    expect(await ask({ [currentPasswordHeader]: '%' })).toMatchObject({
      body: { code: 'invalid_parameter' },
    });
    const query = `password=${encodeURIComponent(testPassword)}`;
    expect(await alice.send({ url: `/api/user/token?${query}` })).toMatchObject({ status: 403 });
    const url = `/api/user/self?${query}`;
    const payload = { password: testPassword };
    expect(await alice.send({ method: 'DELETE', url, payload })).toMatchObject({ status: 403 });
    expect((await alice.must(contract.selfApi.get, {})) as UserData).toMatchObject({ username: 'alice' });
  });

  it('accepts it percent-encoded, so that it may have any characters', async () => {
    const password = '密码 with % and ünïcode';
    const original = { original_password: testPassword };
    await alice.must(contract.selfApi.update, { password, ...original });
    expect(await alice.must(contract.selfApi.accessToken, {}, { password })).toMatch(/^\w{32}$/);
  });

  it('refuses it from a caller with an access token alone', async () => {
    const token = String(await alice.must(contract.selfApi.accessToken, {}, { password: testPassword }));
    const stolen = { authorization: token, 'new-api-user': String(alice.userId) };
    for (const [method, url] of [
      ['GET', '/api/user/token'],
      ['DELETE', '/api/user/self'],
    ] as const)
      expect(await house.guest.send({ method, url, headers: stolen })).toMatchObject({ status: 403 });
  });
});

describe('a change of password', () => {
  const readAccess = async (agent: Agent) => {
    const token = String(await agent.must(contract.selfApi.accessToken, {}, { password: testPassword }));
    const headers = { authorization: token, 'new-api-user': String(agent.userId) };
    return async () => (await house.guest.send({ url: '/api/user/self', headers })).body.success === true;
  };
  const edits: Record<string, () => Promise<unknown>> = {
    'of one’s own': () =>
      alice.must(contract.selfApi.update, { password: 'another good one', original_password: testPassword }),
    'by root': () => root.must(contract.userApi.update, { id: alice.userId, password: 'another good one' }),
    'by an admin': async () =>
      (await house.person('admin', { role: contract.role.admin })).must(contract.userApi.update, {
        id: alice.userId,
        password: 'another good one',
      }),
  };

  it.each(Object.keys(edits))(
    '%s ends the system access token, and an edit of other fields does not',
    async (name) => {
      const mayEnter = await readAccess(alice);
      await alice.must(contract.selfApi.update, { display_name: 'Alice A.' });
      await root.must(contract.userApi.update, { id: alice.userId, group: 'vip', password: '' });
      expect(await mayEnter()).toBe(true);
      await edits[name]!();
      expect(await mayEnter()).toBe(false);
    },
  );
});
