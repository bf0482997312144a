import { oauthApi, role, selfApi, tokenApi, userApi } from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Agent, createAgent } from '../../../testing/agent.ts';
import type { House } from '../../../testing/harness.ts';
import { houseSite, openSignInHouse, type SignInHouse } from '../../../testing/sign-in-house.ts';
import { consentAs } from '../../../testing/upstream/sign-in/consent.ts';
import { signInClient } from '../../../testing/upstream/sign-in/fake-sign-in-sites.ts';
import {
  type OpenidProvider,
  startOpenidProvider,
} from '../../../testing/upstream/sign-in/openid-provider.ts';

let opened: SignInHouse;
let house: House;
let openid: OpenidProvider;
let root: Agent;
let organisation: number;

beforeEach(async () => {
  openid = await startOpenidProvider({ ...signInClient, redirectUri: `${houseSite}/oauth/oidc` });
  opened = await openSignInHouse(openid);
  ({ house } = opened);
  root = await house.person('root', { role: role.root });
  const owner = await house.person('owner');
  organisation = (await house.people.teams.create(owner.userId, 'Lab')).id;
  const rules = [
    { value: 'staff', organisation },
    { value: 'lab/leads', group: 'vip', organisation, member: 'manager' },
    { value: 'admins', role: 'admin' },
  ];
  await house.core.settings.setMany({
    RegisterEnabled: 'false',
    SignInRules: JSON.stringify({ oidc: { rules } }),
  });
});
afterEach(async () => {
  expect(await house.findings()).toEqual([]);
  await opened.close();
  await openid.close();
});

/** Signs in at the provider as a user with these groups, from a new browser. */
async function signIn(name: string, groups?: readonly string[]) {
  if (groups) openid.groups.set(name, groups);
  else openid.groups.delete(name);
  const browser = createAgent(house.app);
  const started = await browser.call(oauthApi.start, { provider: 'oidc', aff: '' });
  const cookie = started.cookies.find((line) => line.startsWith('sign-in='))?.split(';', 1)[0];
  browser.headers.cookie = cookie ?? '';
  const back = await consentAs(name, String(started.body.data), `${houseSite}/oauth/oidc`);
  const { body, cookies } = await browser.call(oauthApi.callback, {
    provider: 'oidc',
    ...Object.fromEntries(back.searchParams),
  });
  const session = cookies.find((line) => line.startsWith('session='))?.split(';', 1)[0] ?? '';
  return { body, session, id: (body.data as { id: number } | null)?.id ?? 0 };
}

/** Group, role, status and role in the organisation of a user. */
async function standing(id: number) {
  const user = (await root.must(userApi.get, { id })) as { group: string; role: number; status: number };
  const members = await house.people.teams.membership(id, organisation, 1).catch(() => undefined);
  return [user.group, user.role, user.status, members?.member.role];
}

describe('rules for the groups of a company', () => {
  it('make a user at the first sign-in, and what the groups say at each', async () => {
    const { id, body } = await signIn('dana', ['staff', 'other']);
    expect(body).toMatchObject({ success: true });
    expect(await standing(id)).toEqual(['default', role.common, 1, 1]);
    expect((await signIn('dana', ['lab/leads', 'admins'])).id).toBe(id);
    expect(await standing(id)).toEqual(['vip', role.admin, 1, 2]);
    await signIn('dana', ['admins']);
    expect(await standing(id)).toEqual(['default', role.admin, 1, undefined]);
    await signIn('dana', ['staff']);
    expect(await standing(id)).toEqual(['default', role.common, 1, 1]);
  });

  it('keep everybody else out, and leave no account', async () => {
    for (const groups of [undefined, [], ['Staff'], ['staff2']]) {
      expect((await signIn('eve', groups)).body).toMatchObject({ success: false, code: 'sign_in_no_rule' });
    }
    const found = await root.must(userApi.search, { keyword: 'eve', p: 1, page_size: 10 });
    expect(found).toMatchObject({ items: [] });
  });

  it('end the account, sessions and keys of a leaver, until a rule matches again', async () => {
    const { id, session } = await signIn('finn', ['staff']);
    const agent = createAgent(house.app);
    agent.headers = { cookie: session, 'new-api-user': String(id) };
    await agent.must(tokenApi.create, { name: 'own', remain_quota: 0, unlimited_quota: true });
    expect((await signIn('finn', ['sales'])).body).toMatchObject({ code: 'sign_in_no_rule' });
    expect((await agent.call(selfApi.get, {})).status).toBe(401);
    expect((await standing(id))[2]).toBe(2);
    expect((await signIn('finn', ['staff'])).id).toBe(id);
    expect((await standing(id))[2]).toBe(1);
  });

  it('do not undo what an administrator decided, and never end root', async () => {
    const { id } = await signIn('gil', ['staff']);
    await signIn('gil', []);
    await root.must(userApi.manage, { id, action: 'enable' });
    await root.must(userApi.manage, { id, action: 'disable' });
    expect((await signIn('gil', ['staff'])).body).toMatchObject({ code: 'user_banned' });

    const { userId } = root;
    const identity = {
      provider: 'oidc',
      subject: 'boss',
      providerName: 'OIDC',
      username: '',
      displayName: '',
    };
    await house.people.accounts.bindIdentity(userId, { ...identity, email: '' });
    expect((await signIn('boss')).id).toBe(userId);
    await signIn('boss', ['staff']);
    expect((await standing(userId)).slice(0, 3)).toEqual(['default', role.root, 1]);
  });

  it('that name what does not exist keep nobody from entering', async () => {
    const rules = [{ value: '*', group: 'no-such-group', organisation: 999 }];
    await house.core.settings.setMany({ SignInRules: JSON.stringify({ oidc: { rules } }) });
    const { id, body } = await signIn('hal');
    expect(body).toMatchObject({ success: true });
    expect((await standing(id))[0]).toBe('default');
  });
});
