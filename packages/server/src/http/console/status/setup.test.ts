import { authApi, type DataOf, selfApi, setupApi, statusApi } from '@tollgate/contract';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { users } from '../../../store/index.ts';
import { type House, openHouse } from '../../../testing/harness.ts';
import { MovingDesk } from '../../../testing/moving-in/importing.ts';

let house: House;
beforeEach(async () => {
  house = await openHouse();
});
afterEach(async () => {
  expect(await house.findings()).toEqual([]);
  await house.close();
});

const form = { username: 'chief', password: 'long enough', confirmPassword: 'long enough' };
/** Sends the form with the printed token, unless `change` has another. */
const setUp = (change: object = {}, headers: Record<string, string> = {}) =>
  house.guest.send({
    method: 'POST',
    url: '/api/setup',
    payload: { ...form, token: house.people.setup.token() ?? '', ...change },
    headers,
  });

describe('a fresh site', () => {
  it('has no account at all, and reports that it needs a setup', async () => {
    expect(await users.hasRole(house.core.store.db, 1)).toBe(false);
    expect((await house.guest.call(setupApi.get, {})).body.data).toEqual({
      status: false,
      root_init: false,
      database_type: 'sqlite',
      token_required: true,
    });
    expect((await house.guest.call(statusApi.status, {})).body.data).toMatchObject({ setup: false });
    const login = await house.guest.call(authApi.login, { username: 'root', password: '123456' });
    expect(login.body.success).toBe(false);
  });

  it('is set up once: root with their quota, and the chosen mode', async () => {
    const reply = await setUp({ SelfUseModeEnabled: true, DemoSiteEnabled: false });
    expect(reply).toMatchObject({
      status: 200,
      body: { success: true, message: '系统初始化成功', data: null },
    });
    const root = await house.signIn('chief', 'long enough');
    expect(await root.must(selfApi.get, {})).toMatchObject({
      role: 100,
      display_name: 'Root User',
      quota: 100_000_000,
    });
    expect((await house.guest.call(statusApi.status, {})).body.data).toMatchObject({
      setup: true,
      self_use_mode_enabled: true,
      demo_site_enabled: false,
    });
    expect((await house.guest.call(setupApi.get, {})).body.data).toEqual({ status: true });
    // A call is tried on two channels. A migrated site does not run the set-up and keeps its own number.
    expect(house.core.settings.get('RetryTimes')).toBe(1);
    expect(await setUp({ username: 'second' })).toMatchObject({
      status: 400,
      body: { success: false, message: '系统已经初始化完成' },
    });
  });

  it('has one root even when two set it up at the same time', async () => {
    const both = await Promise.all([setUp({ username: 'one' }), setUp({ username: 'two' })]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 400]));
    expect(await users.withRole(house.core.store.db, 1)).toHaveLength(1);
  });

  it.each([
    [{ username: ' ' }, '请求参数有误'],
    [{ username: 'x'.repeat(21) }, '请求参数有误'],
    [{ confirmPassword: 'different' }, '两次输入的密码不一致'],
    [{ password: 'seven77', confirmPassword: 'seven77' }, '密码长度至少为8个字符'],
  ])('refuses %o with the original’s message and HTTP 400', async (change, words) => {
    expect(await setUp(change)).toMatchObject({ status: 400, body: { success: false, message: words } });
    expect((await house.guest.call(setupApi.get, {})).body.data).toMatchObject({ status: false });
  });

  it('returns the sandbox’s key when one is requested', async () => {
    const reply = await setUp({ sandbox: true });
    expect(reply.body.data).toEqual({ key: expect.stringMatching(/^(sk-)?[0-9A-Za-z]{48}$/) });
  });
});

describe('a visitor without the setup token', () => {
  // Request through a proxy that adds no headers: it has the address and the host of this machine.
  it.each([
    {},
    { host: '127.0.0.1:3000' },
    { host: 'localhost' },
    { 'x-forwarded-for': '203.0.113.9' },
    { host: 'tollgate.lan' },
  ])('cannot set up a fresh site, whatever the headers contain: %o', async (headers) => {
    for (const token of ['', 'guess', 'x'.repeat(24)])
      expect(await setUp({ token }, headers)).toMatchObject({
        status: 403,
        body: { code: 'setup_token_wrong' },
      });
    expect(await users.hasRole(house.core.store.db, 1)).toBe(false);
  });

  it('who guesses the token is rate limited, and the owner at another address is not', async () => {
    const guesses = await Promise.all(Array.from({ length: 60 }, () => setUp({ token: 'guess' })));
    expect(guesses.filter(({ status }) => status === 403)).toHaveLength(5);
    expect(guesses.filter(({ status }) => status === 429)).toHaveLength(55);
    const owner = house.people.setup.run(
      {
        ...form,
        SelfUseModeEnabled: false,
        DemoSiteEnabled: false,
        sandbox: false,
        token: house.people.setup.token() ?? '',
      },
      { ip: '198.51.100.1' },
    );
    await expect(owner).resolves.toBeNull();
  });

  it('cannot make a browser on this machine do it', async () => {
    expect(await setUp({}, { 'sec-fetch-site': 'cross-site' })).toMatchObject({ status: 403 });
  });
});

describe('an import before the set-up', () => {
  const desk = new MovingDesk();
  afterAll(() => desk.close());
  const rehearse = (change: object) =>
    house.guest.call(setupApi.rehearse, {
      source_database: '',
      token: house.people.setup.token() ?? '',
      ...change,
    });

  it('is rehearsed with the token, and writes nothing', { timeout: 60_000 }, async () => {
    const source_database = await desk.oldFile('one-api');
    const token = house.people.setup.token() ?? '';
    const answer = await house.guest.must(setupApi.rehearse, { source_database, token });
    const { report } = answer as DataOf<typeof setupApi.rehearse>;
    expect(report).toMatch(/^Source: one-api, on sqlite\nA dry run: nothing was written\./);
    expect(report).toContain('Balances: 7234632 units ($14.47), equal');
    expect(await users.hasRole(house.core.store.db, 1)).toBe(false);
    expect(await house.guest.must(setupApi.get, {})).toMatchObject({ status: false });
  });

  it(
    'is refused with the reason, without the token, and once the site is set up',
    { timeout: 60_000 },
    async () => {
      const missing = join(desk.root, 'nothing.db');
      expect(await rehearse({ source_database: missing })).toMatchObject({
        status: 400,
        body: { code: 'import_refused', message: `无法迁入：there is no file ${missing}` },
      });
      expect(await rehearse({ source_database: missing, token: 'guessed' })).toMatchObject({
        status: 403,
        body: { code: 'setup_token_wrong' },
      });
      const token = house.people.setup.token() ?? '';
      await setUp();
      expect(await rehearse({ source_database: missing, token })).toMatchObject({
        body: { code: 'setup_done' },
      });
    },
  );
});
