import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  oauthApi,
  selfApi,
  signInProviderApi,
  type SignInProviderData,
  statusApi,
  type StatusData,
} from '@tollgate/contract';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { identities, signInProviders, users } from '../../../store/index.ts';
import { type Agent, createAgent } from '../../../testing/agent.ts';
import { type House, openHouse, testPassword } from '../../../testing/harness.ts';
import { consentAs } from '../../../testing/upstream/sign-in/consent.ts';
import {
  type OpenidProvider,
  startOpenidProvider,
} from '../../../testing/upstream/sign-in/openid-provider.ts';

const site = 'https://gate.example';
const client = { id: 'gate', secret: 'the secret of the gate' };
const returnTo = (slug: string) => `${site}/oauth/${slug}`;
let works: OpenidProvider;
let school: OpenidProvider;
let house: House;
let root: Agent;
beforeAll(async () => {
  works = await startOpenidProvider({ ...client, redirectUri: returnTo('works') });
  school = await startOpenidProvider({ ...client, redirectUri: returnTo('school') });
  return async () => {
    await works.close();
    await school.close();
  };
});
beforeEach(async () => {
  house = await openHouse();
  await house.core.settings.set('ServerAddress', site);
  root = await house.person('chief', { role: 100 });
});
afterEach(async () => {
  expect(await house.findings()).toEqual([]);
  await house.close();
});

const worksInput = () => ({
  slug: 'works',
  name: 'The Works',
  logo: 'data:image/png;base64,iVBORw0KGgo=',
  well_known: works.wellKnown,
  client_id: client.id,
  client_secret: client.secret,
});
const schoolInput = () => ({
  ...worksInput(),
  slug: 'school',
  name: 'School',
  logo: '',
  well_known: school.issuer,
});
const addBoth = async () => {
  await root.must(signInProviderApi.create, { ...worksInput(), position: 2 });
  await root.must(signInProviderApi.create, { ...schoolInput(), position: 1 });
};
const listed = async () => (await root.must(signInProviderApi.list, {})) as SignInProviderData[];
const readCode = async (reply: Promise<{ body: { code?: string } }>) => (await reply).body.code;

function addCookie(browser: Agent, cookies: readonly string[]): void {
  const cookie = cookies.map((line) => line.split(';', 1)[0]!);
  browser.headers.cookie = [browser.headers.cookie, ...cookie].filter(Boolean).join('; ');
}
/** Walks from the log-in page to a provider and back as a given user; returns the result and the browser. */
async function signIn(slug: string, name: string, browser = createAgent(house.app)) {
  const begun = await browser.call(oauthApi.start, { provider: slug });
  expect(begun.body).toMatchObject({ success: true });
  addCookie(browser, begun.cookies);
  const back = await consentAs(name, String(begun.body.data), returnTo(slug));
  const reply = await browser.call(oauthApi.callback, {
    provider: slug,
    ...Object.fromEntries(back.searchParams),
  });
  addCookie(browser, reply.cookies);
  const id = (reply.body.data as { id?: number } | null)?.id ?? 0;
  browser.headers['new-api-user'] = String(id);
  return { reply, id, browser };
}

describe('a provider that root added', () => {
  it('identifies users by its own subject: the same name at two providers is two users', async () => {
    await addBoth();
    const first = await signIn('works', 'carol');
    expect(first.reply.body).toMatchObject({ success: true, data: { username: 'carol-there' } });
    const second = await signIn('school', 'carol');
    expect(second.id).not.toBe(first.id);
    expect((await signIn('works', 'carol')).id).toBe(first.id);
    expect(await first.browser.must(selfApi.get, {})).toMatchObject({ bindings: ['works'], oidc_id: '' });
    expect(await identities.ofUsers(house.core.store.db, [first.id, second.id])).toMatchObject([
      { provider: 'school', subject: 'carol', user_id: second.id },
      { provider: 'works', subject: 'carol', user_id: first.id },
    ]);
  });

  it('is in the status with name and logo, in the order that root gave, and without a secret', async () => {
    await addBoth();
    await root.must(signInProviderApi.update, { slug: 'school', enabled: false });
    await root.must(signInProviderApi.update, { slug: 'school', enabled: true });
    const status = (await house.guest.must(statusApi.status, {})) as StatusData;
    expect(status.custom_oauth_providers).toEqual([
      { slug: 'school', name: 'School', logo: '' },
      { slug: 'works', name: 'The Works', logo: 'data:image/png;base64,iVBORw0KGgo=' },
    ]);
    expect(JSON.stringify([status, await listed()])).not.toContain(client.secret);
    const rows = await signInProviders.all(house.core.store.db);
    expect(JSON.stringify(rows)).not.toContain(client.secret);
  });

  it('is asked for the scopes that root configured', async () => {
    await root.must(signInProviderApi.create, { ...worksInput(), scopes: '  openid   email ' });
    const begun = await createAgent(house.app).call(oauthApi.start, { provider: 'works' });
    expect(new URL(String(begun.body.data)).searchParams.get('scope')).toBe('openid email');
  });

  it('is known after a restart, and to other processes by its change mark', async () => {
    await addBoth();
    const { knownProviders } = house.people;
    await signInProviders.update(house.core.store.db, 'works', { name: 'Renamed elsewhere' });
    await knownProviders.reload();
    expect(knownProviders.published().map(({ name }) => name)).toEqual(['School', 'Renamed elsewhere']);
  });

  it('whose secret was sealed by another master key is unavailable and affects nothing else', async () => {
    await addBoth();
    await signInProviders.update(house.core.store.db, 'works', { client_secret_sealed: 'v2.a.b.c' });
    await house.people.knownProviders.reload();
    expect(await readCode(house.guest.call(oauthApi.start, { provider: 'works' }))).toBe('row_not_found');
    expect((await signIn('school', 'dora')).reply.body.success).toBe(true);
  });
});

describe('disabled', () => {
  it('keeps its bindings, which work again once it is enabled', async () => {
    await addBoth();
    const { id } = await signIn('works', 'carol');
    await root.must(signInProviderApi.update, { slug: 'works', enabled: false });
    const refused = await house.guest.call(oauthApi.start, { provider: 'works' });
    expect(refused.body.message).toBe('管理员未开启通过 The Works 登录以及注册');
    expect(await listed()).toMatchObject([
      { slug: 'school' },
      { slug: 'works', enabled: false, bindings: 1 },
    ]);
    await root.must(signInProviderApi.update, { slug: 'works', enabled: true });
    expect((await signIn('works', 'carol')).id).toBe(id);
  });

  it('refuses sign-ins that began before', async () => {
    await addBoth();
    const browser = createAgent(house.app);
    const begun = await browser.call(oauthApi.start, { provider: 'works' });
    addCookie(browser, begun.cookies);
    const back = await consentAs('carol', String(begun.body.data), returnTo('works'));
    await root.must(signInProviderApi.update, { slug: 'works', enabled: false });
    const returned = { provider: 'works', ...Object.fromEntries(back.searchParams) };
    expect(await readCode(browser.call(oauthApi.callback, returned))).toBe('oauth_disabled');
  });

  it('does not count as a sign-in method when another is removed, and neither does a password that may not be used', async () => {
    await addBoth();
    const { browser, id } = await signIn('works', 'carol');
    const { db } = house.core.store;
    await identities.add(db, { provider: 'school', subject: 'carol', user_id: id, created_time: 1 });
    const unbind = () => browser.call(oauthApi.unbind, { provider: 'works' });
    await root.must(signInProviderApi.update, { slug: 'school', enabled: false });
    expect(await readCode(unbind())).toBe('oauth_last_way');
    // An address helps only on a site that sends mail.
    await users.update(db, id, { email: 'carol@example.com' });
    expect(await readCode(unbind())).toBe('oauth_last_way');
    const other = await house.person('dora');
    await identities.add(db, { provider: 'works', subject: 'dora', user_id: other.userId, created_time: 1 });
    await house.core.settings.set('PasswordLoginEnabled', 'false');
    const again = { password: testPassword };
    expect(await readCode(other.call(oauthApi.unbind, { provider: 'works' }, again))).toBe('oauth_last_way');
    await house.core.settings.set('PasswordLoginEnabled', 'true');
    await other.must(oauthApi.unbind, { provider: 'works' }, again);
    await root.must(signInProviderApi.update, { slug: 'school', enabled: true });
    expect((await unbind()).body.success).toBe(true);
  });
});

describe('before it is saved', () => {
  it('its document is read, and its faults are reported', async () => {
    let answer: { status: number; text: string; location?: string } = { status: 404, text: 'no' };
    const server = createServer((_req, res) => {
      const { status, text, location } = answer;
      const type = text.startsWith('<') ? 'text/html' : 'application/json';
      res.writeHead(status, { 'content-type': type, ...(location && { location }) }).end(text);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const create = async (well_known = address) => {
      const reply = await root.send({
        method: 'POST',
        url: '/api/custom-oauth-provider/',
        headers: { 'accept-language': 'en' },
        payload: { ...worksInput(), well_known },
      });
      expect(reply.body.success).toBe(false);
      return String(reply.body.message);
    };
    expect(await create()).toContain(
      `${address}/.well-known/openid-configuration was asked, and it answered with HTTP status 404`,
    );
    expect(await create(`${address}/.well-known/other`)).toContain(`${address}/.well-known/other was asked`);
    answer = { status: 302, text: '', location: 'https://login.example/x' };
    expect(await create()).toContain('HTTP status 302, to https://login.example/x');
    answer = { status: 200, text: '<html>' };
    expect(await create()).toContain('is not JSON (text/html)');
    answer = { status: 200, text: '{"hello":1}' };
    expect(await create()).toContain('no document of an OpenID provider');
    const document = { issuer: address, authorization_endpoint: `${address}/a`, jwks_uri: 'nonsense' };
    answer = { status: 200, text: JSON.stringify(document) };
    expect(await create()).toMatch(
      /\.well-known\/openid-configuration answered .* lacks token_endpoint, userinfo_endpoint, jwks_uri/,
    );
    answer = { status: 200, text: JSON.stringify({ ...document, issuer: 'https://other.example' }) };
    expect(await create()).toContain('the issuer https://other.example, which');
    await new Promise((resolve) => server.close(resolve));
    expect(await create()).toContain('the connection was refused');
    expect(await create('http://169.254.169.254/')).toContain('must not be reached');
    expect(await listed()).toEqual([]);
  });

  it('its fields are validated, with the reason', async () => {
    const refusal = (change: object) =>
      readCode(root.call(signInProviderApi.create, { ...worksInput(), ...change }));
    expect(await refusal({ slug: 'Works' })).toBe('sign_in_slug_malformed');
    expect(await refusal({ slug: '../up' })).toBe('sign_in_slug_malformed');
    for (const slug of ['github', 'oidc', 'wechat', 'state', 'start', 'bind'])
      expect(await refusal({ slug })).toBe('sign_in_slug_reserved');
    for (const logo of ['javascript:alert(1)', 'http://x.example/a.png', 'data:text/html,x'])
      expect(await refusal({ logo })).toBe('sign_in_logo_malformed');
    expect(await refusal({ well_known: 'ftp://x' })).toBe('sign_in_address_malformed');
    expect(await refusal({ scopes: 'profile email' })).toBe('sign_in_scopes_malformed');
    expect(await refusal({ client_secret: '' })).toBe('sign_in_client_missing');
    await addBoth();
    expect(await refusal({})).toBe('sign_in_slug_taken');
  });

  it('can be tried without saving: whether it answers, and whether the client is known', async () => {
    const { slug: _slug, name: _name, logo: _logo, ...input } = worksInput();
    expect(await root.must(signInProviderApi.discover, input)).toEqual({
      issuer: works.issuer,
      authorization_endpoint: `${works.issuer}/auth`,
      token_endpoint: `${works.issuer}/token`,
      userinfo_endpoint: `${works.issuer}/me`,
      scopes_unknown: [],
      client: 'accepted',
    });
    const scopes = 'openid groups';
    expect(
      await root.must(signInProviderApi.discover, { ...input, scopes, client_secret: 'wrong' }),
    ).toMatchObject({ client: 'refused', scopes_unknown: ['groups'] });
    expect(await root.must(signInProviderApi.discover, { ...input, client_secret: '' })).toMatchObject({
      client: 'unknown',
    });
  });

  it('a trial sends the stored secret to its own address only', async () => {
    await addBoth();
    const ask = (well_known: string) =>
      root.must(signInProviderApi.discover, { well_known, client_id: client.id, slug: 'works' });
    expect(await ask(works.wellKnown)).toMatchObject({ client: 'accepted' });
    expect(await ask(school.issuer)).toMatchObject({ client: 'unknown' });
  });
});

describe('a change', () => {
  it('of the address needs the secret again, and another issuer is refused while users are bound', async () => {
    await addBoth();
    const move = (client_secret: string) =>
      root.call(signInProviderApi.update, { slug: 'works', well_known: school.issuer, client_secret });
    expect(await readCode(move(''))).toBe('sign_in_provider_secret_again');
    await signIn('works', 'carol');
    const refused = await move(client.secret);
    expect(refused.body).toMatchObject({ code: 'sign_in_provider_moved' });
    expect(refused.body.message).toContain('已有 1 个账户绑定');
    // The issuer itself is a second address of the same provider.
    const input = { slug: 'works', well_known: works.issuer, client_secret: client.secret };
    await root.must(signInProviderApi.update, input);
    expect((await signIn('works', 'carol')).reply.body.success).toBe(true);
  });

  it('of a name alone sends no request: an unreachable provider can still be disabled', async () => {
    const away = await startOpenidProvider({ ...client, redirectUri: returnTo('away') });
    await root.must(signInProviderApi.create, { ...worksInput(), slug: 'away', well_known: away.issuer });
    await away.close();
    await root.must(signInProviderApi.update, { slug: 'away', name: 'Away', enabled: false });
    expect(await listed()).toMatchObject([{ name: 'Away', enabled: false }]);
    const on = root.call(signInProviderApi.update, { slug: 'away', enabled: true });
    expect(await readCode(on)).toBe('sign_in_provider_unreachable');
    expect(await readCode(root.call(signInProviderApi.update, { slug: 'nobody' }))).toBe('row_not_found');
  });

  it('to a document of another issuer at the same address refuses sign-ins', async () => {
    await addBoth();
    await signInProviders.update(house.core.store.db, 'works', { issuer: 'https://before.example' });
    await house.people.knownProviders.reload();
    expect(await readCode(house.guest.call(oauthApi.start, { provider: 'works' }))).toBe('oauth_unreachable');
  });
});

describe('deleting one', () => {
  it('deletes its bindings, after root has confirmed how many there are and who has no other sign-in method', async () => {
    await addBoth();
    const stranded = await signIn('works', 'carol');
    const other = await house.person('dora');
    const row = { provider: 'works', subject: 'dora', user_id: other.userId, created_time: 1 };
    await identities.add(house.core.store.db, row);
    expect(await listed()).toMatchObject([
      { slug: 'school', bindings: 0, only_way: 0 },
      { slug: 'works', bindings: 2, only_way: 1 },
    ]);
    const remove = (bindings: number) => root.call(signInProviderApi.remove, { slug: 'works', bindings });
    expect(await readCode(remove(1))).toBe('sign_in_bindings_changed');
    expect(await listed()).toHaveLength(2);
    expect((await remove(2)).body.success).toBe(true);
    expect(await identities.ofUsers(house.core.store.db, [stranded.id, other.userId])).toEqual([]);
    expect(await readCode(remove(0))).toBe('row_not_found');
    // Another provider of the same name starts without accounts.
    await root.must(signInProviderApi.create, worksInput());
    expect((await signIn('works', 'carol')).id).not.toBe(stranded.id);
  });
});

it('is refused to everyone but root', async () => {
  const admin = await house.person('admin', { role: 10 });
  for (const agent of [admin, await house.person('user')]) {
    expect(await readCode(agent.call(signInProviderApi.list, {}))).toBe('insufficient_role');
    expect(await readCode(agent.call(signInProviderApi.create, worksInput()))).toBe('insufficient_role');
    expect(await readCode(agent.call(signInProviderApi.update, { slug: 'x' }))).toBe('insufficient_role');
    expect(await readCode(agent.call(signInProviderApi.remove, { slug: 'x', bindings: 0 }))).toBe(
      'insufficient_role',
    );
    expect(await readCode(agent.call(signInProviderApi.discover, { well_known: works.issuer }))).toBe(
      'insufficient_role',
    );
  }
});
