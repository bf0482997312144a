import {
  type FactorStatus,
  oauthApi,
  role,
  secondFactorApi,
  selfApi,
  signInProviderApi,
  tokenApi,
  userApi,
} from '@tollgate/contract';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type House, testPassword } from '../../../testing/harness.ts';
import { setUpApp } from '../../../testing/second-factor/app.ts';
import { browse, type TestBrowser } from '../../../testing/second-factor/browse.ts';
import {
  houseSite,
  openSignInHouse,
  signedByTelegram,
  type SignInHouse,
} from '../../../testing/sign-in-house.ts';
import { consentAs } from '../../../testing/upstream/sign-in/consent.ts';
import { signInClient, type SignInSites } from '../../../testing/upstream/sign-in/fake-sign-in-sites.ts';
import {
  type OpenidProvider,
  startOpenidProvider,
} from '../../../testing/upstream/sign-in/openid-provider.ts';

let openid: OpenidProvider;
/** A provider that root added. */
let works: OpenidProvider;
let opened: SignInHouse;
let house: House;
let sites: SignInSites;
beforeAll(async () => {
  openid = await startOpenidProvider({ ...signInClient, redirectUri: `${houseSite}/oauth/oidc` });
  works = await startOpenidProvider({ ...signInClient, redirectUri: `${houseSite}/oauth/works` });
});
afterAll(async () => {
  await openid.close();
  await works.close();
});
beforeEach(async () => {
  opened = await openSignInHouse(openid);
  ({ house, sites } = opened);
});
afterEach(() => opened.close());

type Reply = Awaited<ReturnType<TestBrowser['call']>>;

/** A sign-in through another site: binds it to the signed-in user, and signs in with it. */
interface Entrance {
  bind(owner: TestBrowser, userId: number): Promise<void>;
  enter(browser: TestBrowser): Promise<Reply>;
}

/** A sign-in with a page of the other site between start and end. */
function byPage(provider: string, consent: (page: string) => Promise<object>): Entrance {
  const finish = async (browser: TestBrowser, page: unknown, as?: number) =>
    browser.call(oauthApi.callback, { provider, ...(await consent(String(page))) }, as);
  return {
    async bind(owner, userId) {
      const bound = await finish(owner, await owner.must(oauthApi.startBind, { provider }, userId), userId);
      expect(bound.body).toMatchObject({ success: true, message: 'bind' });
    },
    enter: async (browser) => finish(browser, await browser.must(oauthApi.start, { provider })),
  };
}

const atSites = async (page: string): Promise<object> => sites.consent(page, { id: 42, name: 'Ann' });
const atOpenid = (provider: string) => async (page: string) =>
  Object.fromEntries((await consentAs('ann', page, `${houseSite}/oauth/${provider}`)).searchParams);

/** Telegram's page leads back with the round in the address, next to the fields that it signed. */
async function atTelegram(page: string): Promise<object> {
  const back = new URL(new URL(page).searchParams.get('return_to')!);
  const code = Buffer.from(JSON.stringify(freshTelegram())).toString('base64url');
  return { state: back.searchParams.get('state')!, code };
}

/** Each Telegram answer is valid once, so no two answers have the same time. */
function freshTelegram() {
  house.time.ms += 1_000;
  return signedByTelegram(house, '7');
}

async function addWorks(): Promise<void> {
  const root = await house.person('founder', { role: role.root });
  await root.must(signInProviderApi.create, {
    slug: 'works',
    name: 'The Works',
    well_known: works.wellKnown,
    client_id: signInClient.id,
    client_secret: signInClient.secret,
  });
}

const entrances: Record<string, Entrance> = {
  GitHub: byPage('github', atSites),
  LinuxDO: byPage('linuxdo', atSites),
  Discord: byPage('discord', atSites),
  OIDC: byPage('oidc', atOpenid('oidc')),
  'a provider that root added': byPage('works', atOpenid('works')),
  "Telegram's page": byPage('telegram', atTelegram),
  "Telegram's button": {
    bind: async (owner, userId) => void (await owner.must(oauthApi.telegramBind, freshTelegram(), userId)),
    enter: (browser) => browser.call(oauthApi.telegram, freshTelegram()),
  },
  WeChat: {
    async bind(owner, userId) {
      await owner.must(oauthApi.wechatBind, { code: sites.wechatCode('ann-wx') }, userId);
    },
    enter: (browser) => browser.call(oauthApi.wechat, { code: sites.wechatCode('ann-wx') }),
  },
};

/** An account with a sign-in through another site, its second factor, and the browser of its owner. */
async function someoneBound(entrance: Entrance, rank: number) {
  if (entrance === entrances['a provider that root added']) await addWorks();
  const owner = await house.person('ann', { role: rank });
  const browser = browse(house);
  for (const each of (owner.headers.cookie ?? '').split('; ')) {
    const [name = '', value = ''] = each.split('=');
    browser.cookies.set(name, value);
  }
  await browser.must(secondFactorApi.verify, { method: 'password', code: testPassword }, owner.userId);
  await entrance.bind(browser, owner.userId);
  return { owner, browser };
}

describe.each(Object.entries(entrances))('through %s', (_, entrance) => {
  it('a user with a second factor gets no session before it was shown', async () => {
    const { owner } = await someoneBound(entrance, role.common);
    const before = await house.people.auth.sessions.list(owner.userId);
    const { code } = await setUpApp(house, owner);
    const browser = browse(house);
    const first = await entrance.enter(browser);
    expect(first.body).toMatchObject({
      success: true,
      data: { require_2fa: true, authenticator: true, passkey: false },
    });
    expect(browser.cookies.has('session')).toBe(false);
    expect((await browser.call(selfApi.get, {}, owner.userId)).body.code).toBe('not_logged_in');
    expect((await browser.call(secondFactorApi.finishSignIn, { code: 'AAAAA-AAAAA' })).body.code).toBe(
      'second_factor_wrong',
    );
    expect(browser.cookies.has('session')).toBe(false);
    expect(await house.people.auth.sessions.list(owner.userId)).toHaveLength(before.length);
    const second = await browser.call(secondFactorApi.finishSignIn, { code: code() });
    expect(second.body).toMatchObject({ success: true, data: { id: owner.userId } });
    expect(await browser.must(selfApi.get, {}, owner.userId)).toMatchObject({ id: owner.userId });
  });

  it('a banned user neither reaches the second step nor passes it', async () => {
    const { owner } = await someoneBound(entrance, role.common);
    const { code } = await setUpApp(house, owner);
    const halfway = browse(house);
    await entrance.enter(halfway);
    const root = await house.person('chief', { role: role.root });
    await root.must(userApi.manage, { id: owner.userId, action: 'disable' });
    expect((await halfway.call(secondFactorApi.finishSignIn, { code: code() })).body.success).toBe(false);
    const browser = browse(house);
    expect((await entrance.enter(browser)).body.code).toBe('user_banned');
    for (const each of [halfway, browser]) expect(each.cookies.has('session')).toBe(false);
    expect(browser.cookies.has('second-step')).toBe(false);
  });

  it('an administrator who must set up a second factor may not administer until then', async () => {
    const { owner } = await someoneBound(entrance, role.admin);
    await house.core.settings.set('AdminSecondFactorRequired', 'true');
    const browser = browse(house);
    expect((await entrance.enter(browser)).body).toMatchObject({ success: true, data: { id: owner.userId } });
    expect((await browser.call(userApi.list, {}, owner.userId)).body.code).toBe('second_factor_required');
    expect((await browser.must(secondFactorApi.status, {}, owner.userId)) as FactorStatus).toMatchObject({
      required: true,
    });
    await browser.must(tokenApi.list, {}, owner.userId);
    const { code } = await setUpApp(house, owner);
    const after = browse(house);
    await entrance.enter(after);
    expect(after.cookies.has('session')).toBe(false);
    await after.must(secondFactorApi.finishSignIn, { code: code() });
    expect((await after.call(userApi.list, {}, owner.userId)).body.success).toBe(true);
  });
});
