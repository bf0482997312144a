import { emailApi, oauthApi, selfApi, type SettingKey, statusApi, userApi } from '@tollgate/contract';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Agent, createAgent } from '../../../testing/agent.ts';
import { type House, testPassword } from '../../../testing/harness.ts';
import {
  houseSite,
  openSignInHouse,
  signedByTelegram,
  type SignInHouse,
} from '../../../testing/sign-in-house.ts';
import { consentAs } from '../../../testing/upstream/sign-in/consent.ts';
import {
  type Consent,
  signInClient,
  type SignInSites,
} from '../../../testing/upstream/sign-in/fake-sign-in-sites.ts';
import {
  type OpenidProvider,
  startOpenidProvider,
} from '../../../testing/upstream/sign-in/openid-provider.ts';

const site = houseSite;
let opened: SignInHouse;
let house: House;
let sites: SignInSites;
let openid: OpenidProvider;
beforeAll(async () => {
  openid = await startOpenidProvider({ ...signInClient, redirectUri: `${site}/oauth/oidc` });
  return () => openid.close();
});
beforeEach(async () => {
  opened = await openSignInHouse(openid);
  ({ house, sites } = opened);
});
afterEach(async () => {
  expect(await house.findings()).toEqual([]);
  await opened.close();
});

const ann: Consent = { id: 42, name: 'Ann', email: 'ann@example.com' };
const bob: Consent = { id: 43, name: 'Bob' };
const newBrowser = (): Agent => createAgent(house.app);
const cookieOf = ({ cookies }: { cookies: string[] }, name: string): string =>
  cookies.map((line) => line.split(';', 1)[0]!).find((each) => each.startsWith(`${name}=`)) ?? '';

/** Opens a provider's page from a browser, which then carries the cookie of the sign-in round; returns the page. */
async function start(browser: Agent, provider: string, aff = ''): Promise<string> {
  const reply = await browser.call(oauthApi.start, { provider, aff });
  expect(reply.body).toMatchObject({ success: true });
  addCookie(browser, cookieOf(reply, 'sign-in'));
  return String(reply.body.data);
}
function addCookie(browser: Agent, cookie: string): void {
  browser.headers.cookie = [browser.headers.cookie, cookie].filter(Boolean).join('; ');
}
const finish = (
  browser: Agent,
  provider: string,
  returned: { code?: string; state?: string; iss?: string },
) => browser.call(oauthApi.callback, { provider, ...returned });
/** Signs in at GitHub as a given user, from a new browser. */
async function signInAs(who: Consent, provider = 'github', aff = '') {
  const browser = newBrowser();
  const page = await start(browser, provider, aff);
  const reply = await finish(browser, provider, sites.consent(page, who));
  return { browser, reply, session: cookieOf(reply, 'session') };
}
/** The agent of a session that a sign-in created. */
function withSession(session: string, userId: number): Agent {
  const agent = newBrowser();
  agent.headers = { cookie: session, 'new-api-user': String(userId) };
  return agent;
}
const idOf = (data: unknown): number => (data as { id: number }).id;

describe('signing in through another site', () => {
  it.each([
    ['github', { display_name: 'Ann', email: 'ann@example.com', github_id: '42' }],
    ['linuxdo', { display_name: 'Ann', email: '', linux_do_id: '42' }],
    ['discord', { display_name: 'Ann', email: 'ann@example.com', bindings: ['discord'] }],
  ])('%s: a new user gets an account, and the same one the next time', async (provider, profile) => {
    const first = await signInAs(ann, provider);
    expect(first.reply.body).toMatchObject({ success: true, data: { role: 1, status: 1 } });
    const id = idOf(first.reply.body.data);
    const self = await withSession(first.session, id).must(selfApi.get, {});
    expect(self).toMatchObject({ ...profile, username: `${provider}_${id}` });
    // The name and the address at the provider may change. The account number does not.
    const again = await signInAs({ ...ann, name: 'Ann Other', email: 'other@example.com' }, provider);
    expect(idOf(again.reply.body.data)).toBe(id);
    expect(idOf((await signInAs(bob, provider)).reply.body.data)).not.toBe(id);
  });

  it('OIDC: a real provider, discovered, with PKCE, nonce and a checked id token', async () => {
    const browser = newBrowser();
    const page = await start(browser, 'oidc');
    const asked = new URL(page).searchParams;
    expect(asked.get('code_challenge_method')).toBe('S256');
    expect(asked.get('nonce')).toMatch(/^[\w-]{43}$/);
    const back = await consentAs('carol', page, `${site}/oauth/oidc`);
    const returned = Object.fromEntries(back.searchParams);
    const reply = await finish(browser, 'oidc', returned);
    expect(reply.body).toMatchObject({ success: true, data: { username: 'carol-there' } });
    const self = withSession(cookieOf(reply, 'session'), idOf(reply.body.data));
    expect(await self.must(selfApi.get, {})).toMatchObject({
      oidc_id: 'carol',
      display_name: 'carol by OpenID',
      email: 'carol@openid.example',
    });
    // An issuer other than the provider's own means that the answer is from another provider (RFC 9207).
    const other = newBrowser();
    const second = await consentAs('carol', await start(other, 'oidc'), `${site}/oauth/oidc`);
    const mixed = { ...Object.fromEntries(second.searchParams), iss: 'https://evil.example' };
    expect((await finish(other, 'oidc', mixed)).body.code).toBe('oauth_unreachable');
  });

  it('OIDC: endpoints entered by hand work without the document', async () => {
    await house.core.settings.setMany({
      'oidc.well_known': '',
      'oidc.authorization_endpoint': `${openid.issuer}/auth`,
      'oidc.token_endpoint': `${openid.issuer}/token`,
      'oidc.user_info_endpoint': `${openid.issuer}/me`,
      'oidc.client_secret': signInClient.secret,
    });
    const browser = newBrowser();
    const back = await consentAs('unverified', await start(browser, 'oidc'), `${site}/oauth/oidc`);
    const reply = await finish(browser, 'oidc', Object.fromEntries(back.searchParams));
    const self = withSession(cookieOf(reply, 'session'), idOf(reply.body.data));
    expect(await self.must(selfApi.get, {})).toMatchObject({ oidc_id: 'unverified', email: '' });
  });

  it('credits gifts and invitations as every sign-up does', async () => {
    await house.core.settings.setMany({
      QuotaForNewUser: '1000',
      QuotaForInvitee: '20',
      QuotaForInviter: '7',
    });
    const inviter = await house.person('inviter');
    const code = String(await inviter.must(selfApi.aff, {}));
    const { session, reply } = await signInAs(ann, 'github', code);
    const self = await withSession(session, idOf(reply.body.data)).must(selfApi.get, {});
    expect(self).toMatchObject({ quota: 1020, inviter_id: inviter.userId });
    expect(await inviter.must(selfApi.get, {})).toMatchObject({ aff_count: 1, aff_quota: 7 });
  });

  it('takes over no account: neither by an address nor by a name', async () => {
    const victim = await house.person('Ann-there');
    await house.core.store.db.updateTable('users').set({ email: 'ann@example.com' }).execute();
    const { reply } = await signInAs(ann);
    expect(idOf(reply.body.data)).not.toBe(victim.userId);
    const back = await consentAs('Ann', await start(house.guest, 'oidc'), `${site}/oauth/oidc`);
    const byName = await finish(house.guest, 'oidc', Object.fromEntries(back.searchParams));
    expect(byName.body).toMatchObject({ success: true });
    expect(idOf(byName.body.data)).not.toBe(victim.userId);
  });

  it('creates one account when a new user signs in twice at once', async () => {
    const both = await Promise.all([signInAs(ann), signInAs(ann)]);
    const ids = both.filter(({ reply }) => reply.body.success).map(({ reply }) => idOf(reply.body.data));
    expect(new Set(ids).size).toBe(1);
  });

  it('respects its switches, also between start and end', async () => {
    const browser = newBrowser();
    const page = await start(browser, 'github');
    await house.core.settings.set('GitHubOAuthEnabled', 'false');
    const reply = await finish(browser, 'github', sites.consent(page, ann));
    expect(reply.body.message).toBe('管理员未开启通过 GitHub 登录以及注册');
    expect((await newBrowser().call(oauthApi.start, { provider: 'github' })).body.code).toBe(
      'oauth_disabled',
    );
    expect((await newBrowser().call(oauthApi.start, { provider: 'nobody' })).body.code).toBe('row_not_found');
    await house.core.settings.set('RegisterEnabled', 'false');
    expect((await signInAs(bob, 'linuxdo')).reply.body.message).toBe('管理员关闭了新用户注册');
  });

  it('refuses banned and deleted users, and gives a deleted one no second gift', async () => {
    const root = await house.person('chief', { role: 100 });
    const { reply, session } = await signInAs(ann);
    const id = idOf(reply.body.data);
    await root.must(userApi.manage, { id, action: 'disable' });
    expect((await withSession(session, id).call(selfApi.get, {})).status).toBe(401);
    expect((await signInAs(ann)).reply.body).toMatchObject({ code: 'user_banned' });
    await root.must(userApi.manage, { id, action: 'delete' });
    expect((await signInAs(ann)).reply.body.message).toBe('用户已注销');
  });

  it('reports that the other site failed or refused', async () => {
    const browser = newBrowser();
    const page = await start(browser, 'github');
    const returned = sites.consent(page, ann);
    sites.fail(502);
    const reply = await finish(browser, 'github', returned);
    expect(reply.body.message).toBe('无法连接至 GitHub 服务器，请稍后重试！');
    sites.fail(0);
    const second = newBrowser();
    const { state } = sites.consent(await start(second, 'github'), ann);
    expect((await finish(second, 'github', { state })).body.code).toBe('oauth_refused');
    const third = newBrowser();
    const { state: other } = sites.consent(await start(third, 'github'), ann);
    expect((await finish(third, 'github', { state: other, code: 'forged' })).body.code).toBe(
      'oauth_unreachable',
    );
  });

  it.each(['github', 'linuxdo'])('reports that %s answered without an identity', async (provider) => {
    const browser = newBrowser();
    // NaN becomes null in JSON.
    const nobody = { ...ann, id: Number.NaN };
    const reply = await finish(browser, provider, sites.consent(await start(browser, provider), nobody));
    expect(reply.body).toMatchObject({
      code: 'oauth_nobody',
      message: '返回值非法，用户字段为空，请稍后重试！',
    });
  });
});

describe('an OAuth flow', () => {
  it('ends once, in the browser and for the provider that began it, within ten minutes', async () => {
    const refused = async (browser: Agent, provider: string, returned: object) => {
      const reply = await finish(browser, provider, returned);
      expect(reply).toMatchObject({ status: 403, body: { message: 'state is empty or not same' } });
    };
    const browser = newBrowser();
    await refused(browser, 'github', { code: 'x' });
    await refused(browser, 'github', { code: 'x', state: 'forged' });
    const used = sites.consent(await start(browser, 'github'), ann);
    expect((await finish(browser, 'github', used)).body.success).toBe(true);
    await refused(browser, 'github', used);
    await refused(newBrowser(), 'github', sites.consent(await start(browser, 'github'), ann));
    await refused(browser, 'linuxdo', sites.consent(await start(browser, 'github'), ann));
    const late = sites.consent(await start(browser, 'github'), ann);
    house.time.ms += 600_000;
    await refused(browser, 'github', late);
  });

  /** Fetches a state and opens GitHub's page without a challenge, as older consoles do. */
  async function startPlain(browser: Agent): Promise<{ code: string; state: string }> {
    const reply = await browser.call(oauthApi.state, {});
    expect(reply.body.data).toMatch(/^[\w-]{32}$/);
    addCookie(browser, cookieOf(reply, 'sign-in'));
    const query = new URLSearchParams({
      state: String(reply.body.data),
      redirect_uri: `${site}/oauth/github`,
    });
    return sites.consent(`${sites.url}/login/oauth/authorize?${query.toString()}`, ann);
  }

  it('may begin with a state alone, as older consoles do, and ends in its own browser only', async () => {
    const browser = newBrowser();
    const reply = await finish(browser, 'github', await startPlain(browser));
    expect(reply.body).toMatchObject({ success: true, data: { display_name: 'Ann' } });
    const stolen = await finish(newBrowser(), 'github', await startPlain(newBrowser()));
    expect(stolen.body.code).toBe('oauth_state_wrong');
  });

  it('of a signed-in user that begins with a state binds, soon after the sign-in', async () => {
    const user = await house.person('ann');
    const bound = await finish(user, 'github', await startPlain(user));
    expect(bound.body).toEqual({ success: true, message: 'bind', data: null });
    house.time.ms += 601_000;
    expect((await user.call(oauthApi.state, {})).body.code).toBe('sign_in_again');
  });

  it('that is never ended leaves no data', async () => {
    await start(newBrowser(), 'github');
    house.time.ms += 600_000;
    expect(await house.people.rounds.sweep()).toBe(1);
  });
});

describe('binding', () => {
  /** Starts a binding in a signed-in browser; returns the provider's page. */
  async function startBind(user: Agent, provider = 'github'): Promise<string> {
    const reply = await user.call(oauthApi.startBind, { provider }, { password: testPassword });
    expect(reply.body).toMatchObject({ success: true });
    addCookie(user, cookieOf(reply, 'sign-in'));
    return String(reply.body.data);
  }

  it('needs the password, adds a sign-in method, and can be removed', async () => {
    const user = await house.person('ann');
    expect((await user.call(oauthApi.startBind, { provider: 'github' })).body.code).toBe('password_required');
    const reply = await finish(user, 'github', sites.consent(await startBind(user), ann));
    expect(reply.body).toEqual({ success: true, message: 'bind', data: null });
    expect(await user.must(selfApi.get, {})).toMatchObject({ github_id: '42', bindings: ['github'] });
    expect(idOf((await signInAs(ann)).reply.body.data)).toBe(user.userId);
    await user.must(oauthApi.unbind, { provider: 'github' }, { password: testPassword });
    expect(await user.must(selfApi.get, {})).toMatchObject({ github_id: '', bindings: [] });
    expect(idOf((await signInAs(ann)).reply.body.data)).not.toBe(user.userId);
  });

  it('does not take an identity from another user', async () => {
    await signInAs(ann);
    const user = await house.person('bob');
    const reply = await finish(user, 'github', sites.consent(await startBind(user), ann));
    expect(reply.body.message).toBe('该 GitHub 账户已被绑定');
    expect(await user.must(selfApi.get, {})).toMatchObject({ bindings: [] });
  });

  it('cannot be finished by another user, and a sign-in never becomes a binding', async () => {
    const user = await house.person('ann');
    const other = await house.person('eve');
    const returned = sites.consent(await startBind(user), bob);
    other.headers.cookie += `; ${/sign-in=[^;]+/.exec(user.headers.cookie ?? '')![0]}`;
    expect((await finish(other, 'github', returned)).body.code).toBe('oauth_state_wrong');
    const page = await start(user, 'github');
    const reply = await finish(user, 'github', sites.consent(page, bob));
    expect(idOf(reply.body.data)).not.toBe(user.userId);
  });

  it('of the last sign-in method cannot be removed; a user without a password must have signed in just now', async () => {
    const { session, reply } = await signInAs(bob);
    const user = withSession(session, idOf(reply.body.data));
    const unbind = () => user.call(oauthApi.unbind, { provider: 'github' });
    expect((await unbind()).body.code).toBe('oauth_last_way');
    expect((await user.call(oauthApi.unbind, { provider: 'oidc' })).body.code).toBe('row_not_found');
    house.time.ms += 601_000;
    expect((await unbind()).body.code).toBe('sign_in_again');
    expect((await user.call(selfApi.update, { password: 'a first password' })).body.code).toBe(
      'sign_in_again',
    );
    expect((await user.call(emailApi.bind, { email: 'b@example.com', code: 'x' })).body.code).toBe(
      'sign_in_again',
    );
  });
});

it('lets a user without a password set one, who then has two sign-in methods', async () => {
  const { session, reply } = await signInAs(bob);
  const user = withSession(session, idOf(reply.body.data));
  await user.must(selfApi.update, { password: 'a first password' });
  await user.must(oauthApi.unbind, { provider: 'github' }, { password: 'a first password' });
  const { username } = reply.body.data as { username: string };
  expect((await house.signIn(username, 'a first password')).userId).toBe(idOf(reply.body.data));
});

describe('WeChat', () => {
  it('signs up, in and binds by a code of the official account', async () => {
    const sign = (code: string) => newBrowser().call(oauthApi.wechat, { code });
    const first = await sign(sites.wechatCode('ann-wx'));
    expect(first.body).toMatchObject({ success: true, data: { display_name: 'WeChat User' } });
    expect(idOf((await sign(sites.wechatCode('ann-wx'))).body.data)).toBe(idOf(first.body.data));
    expect((await sign('forged')).body.message).toBe('验证码错误或已过期');
    const user = await house.person('bob');
    const again = { password: testPassword };
    await user.must(oauthApi.wechatBind, { code: sites.wechatCode('bob-wx') }, again);
    expect(await user.must(selfApi.get, {})).toMatchObject({ wechat_id: 'bob-wx' });
    const taken = await user.call(oauthApi.wechatBind, { code: sites.wechatCode('ann-wx') }, again);
    expect(taken.body.message).toBe('该微信账号已被绑定');
    user.headers['sec-fetch-site'] = 'cross-site';
    const code = sites.wechatCode('eve-wx');
    expect((await user.call(oauthApi.wechatBind, { code }, again)).body.code).toBe('cross_site');
    await house.core.settings.set('WeChatAuthEnabled', 'false');
    expect((await sign(code)).body.message).toBe('管理员未开启通过微信登录以及注册');
  });
});

describe('Telegram', () => {
  /** The signed fields of the log-in button. */
  const signed = (id: string, token?: string, age?: number) =>
    signedByTelegram(house, id, { ...(token !== undefined && { token }), ...(age !== undefined && { age }) });

  it('signs in by its page as well, whose answer is bound to the flow', async () => {
    const user = await house.person('ann');
    await user.must(oauthApi.telegramBind, signed('7'), { password: testPassword });
    const browser = newBrowser();
    const page = new URL(await start(browser, 'telegram'));
    expect(page.searchParams.get('bot_id')).toBe('123456');
    const back = new URL(page.searchParams.get('return_to')!);
    expect(back.origin + back.pathname).toBe(`${site}/oauth/telegram`);
    const codeOf = (fields: object) => Buffer.from(JSON.stringify(fields)).toString('base64url');
    const state = back.searchParams.get('state')!;
    house.time.ms += 1_000;
    const reply = await finish(browser, 'telegram', { state, code: codeOf(signed('7')) });
    expect(reply.body).toMatchObject({ success: true, data: { id: user.userId } });
    const again = new URL(new URL(await start(browser, 'telegram')).searchParams.get('return_to')!);
    house.time.ms += 1_000;
    const forged = { ...signed('7'), id: '8' };
    const refused = await finish(browser, 'telegram', {
      state: again.searchParams.get('state')!,
      code: codeOf(forged),
    });
    expect(refused.body.code).toBe('oauth_state_wrong');
  });

  it('accepts an answer once, by whatever path it came first, and in its one spelling', async () => {
    const user = await house.person('ann');
    const again = { password: testPassword };
    await user.must(oauthApi.telegramBind, signed('7'), again);
    const byPage = async (browser: Agent, fields: object) => {
      const back = new URL(new URL(await start(browser, 'telegram')).searchParams.get('return_to')!);
      const code = Buffer.from(JSON.stringify(fields)).toString('base64url');
      return (await finish(browser, 'telegram', { state: back.searchParams.get('state')!, code })).body;
    };
    const ways: Record<string, (fields: ReturnType<typeof signed>) => Promise<Record<string, unknown>>> = {
      button: async (fields) => (await newBrowser().call(oauthApi.telegram, fields)).body,
      page: (fields) => byPage(newBrowser(), fields),
      bind: async (fields) => (await user.call(oauthApi.telegramBind, fields, again)).body,
      'bind by the page': (fields) => byPage(user, fields),
    };
    const accepted: string[] = [];
    for (const first of Object.values(ways)) {
      house.time.ms += 1_000;
      const fields = signed('7');
      expect(await first(fields)).toMatchObject({ success: true });
      for (const [name, way] of Object.entries(ways))
        for (const hash of [fields.hash, `${fields.hash}zz`, fields.hash.toUpperCase()])
          if ((await way({ ...fields, hash })).success) accepted.push(`${name}: ${hash}`);
    }
    expect(accepted).toEqual([]);
  });

  it('binds and signs in by a fresh signature, once, and signs up no user', async () => {
    const login = (fields: ReturnType<typeof signed>) => newBrowser().call(oauthApi.telegram, fields);
    expect((await login(signed('7'))).body.message).toBe('该 Telegram 账户未绑定');
    const user = await house.person('ann');
    const again = { password: testPassword };
    house.time.ms += 1_000;
    await user.must(oauthApi.telegramBind, signed('7'), again);
    expect(await user.must(selfApi.get, {})).toMatchObject({ telegram_id: '7' });
    house.time.ms += 1_000;
    const fields = signed('7');
    expect((await login(fields)).body).toMatchObject({ success: true, data: { id: user.userId } });
    expect((await login(fields)).body.code).toBe('oauth_state_wrong');
    expect((await login({ ...signed('7'), first_name: 'Eve' })).body.code).toBe('oauth_state_wrong');
    expect((await login(signed('7', 'another:token'))).body.code).toBe('oauth_state_wrong');
    expect((await login(signed('7', undefined, 301))).body.code).toBe('oauth_state_wrong');
  });
});

it('the status lists the enabled methods, and no secret', async () => {
  const status = await house.guest.must(statusApi.status, {});
  expect(status).toMatchObject({
    github_oauth: true,
    discord_oauth: true,
    oidc_enabled: true,
    wechat_login: true,
    telegram_oauth: true,
    telegram_bot_name: 'gate_bot',
  });
  const secrets: SettingKey[] = ['GitHubClientSecret', 'oidc.client_secret', 'TelegramBotToken'];
  for (const key of secrets) expect(JSON.stringify(status)).not.toContain(house.core.settings.get(key));
});
