import { oauthApi, role, selfApi, tokenApi, userApi, userStatus } from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { scimUsers, users } from '../../../store/index.ts';
import { type Agent, createAgent } from '../../../testing/agent.ts';
import { type House, testPassword } from '../../../testing/harness.ts';
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
/** The directory's program: it sends a token and nothing else. */
let scim: Agent;
let organisation: number;

const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

beforeEach(async () => {
  openid = await startOpenidProvider({ ...signInClient, redirectUri: `${houseSite}/oauth/oidc` });
  opened = await openSignInHouse(openid);
  ({ house } = opened);
  root = await house.person('root', { role: role.root });
  const owner = await house.person('owner');
  organisation = (await house.people.teams.create(owner.userId, 'Lab')).id;
  await setRules([
    { value: 'Staff', organisation },
    { value: 'Leads', group: 'vip', organisation, member: 'manager' },
    { value: 'Admins', role: 'admin' },
  ]);
  const made = { name: 'directory', scope: 'scim' as const, days: 0 };
  const { token } = (await root.must(selfApi.createAccessToken, made, { password: testPassword })) as {
    token: string;
  };
  scim = createAgent(house.app);
  scim.headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' };
});
afterEach(async () => {
  expect(await house.findings()).toEqual([]);
  await opened.close();
  await openid.close();
});

const setRules = (rules: object[], more: object = { scim: true }) =>
  house.core.settings.setMany({
    RegisterEnabled: 'false',
    SignInRules: JSON.stringify({ oidc: { ...more, rules } }),
  });

type Sent = Record<string, unknown>;
const ask = (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, payload?: Sent) =>
  scim.send({ method, url: `/scim/v2${path}`, ...(payload && { payload: JSON.stringify(payload) }) });

/** Sends a request that must succeed; returns the resource. */
async function must(...call: Parameters<typeof ask>): Promise<Sent> {
  const { status, body } = await ask(...call);
  expect(status, JSON.stringify(body)).toBeLessThan(300);
  return body;
}
const patch = (path: string, ...operations: Sent[]) =>
  ask('PATCH', path, { schemas: [patchSchema], Operations: operations });

/** A user as Okta sends one. */
const ann = {
  schemas: [userSchema],
  userName: 'ann@openid.example',
  name: { givenName: 'Ann', familyName: 'Lee' },
  emails: [{ primary: true, value: 'ann@openid.example', type: 'work' }],
  displayName: 'Ann Lee',
  locale: 'en-US',
  externalId: '00u1',
  groups: [],
  active: true,
};
const addUser = async (fields: Sent = {}) =>
  String((await must('POST', '/Users', { ...ann, ...fields }))['id']);
const addGroup = async (displayName: string, ...members: string[]) =>
  String(
    (
      await must('POST', '/Groups', {
        schemas: [groupSchema],
        displayName,
        members: members.map((value) => ({ value })),
      })
    )['id'],
  );

/** The account of a resource. */
async function accountOf(id: string): Promise<number> {
  const rows = await house.core.store.db.selectFrom('scim_users').selectAll().execute();
  return rows.find((row) => row.resource_id === id)!.user_id;
}

/** Group, role, status and role in the organisation of an account. */
async function standing(userId: number) {
  const user = (await root.must(userApi.get, { id: userId })) as {
    group: string;
    role: number;
    status: number;
  };
  const member = await house.people.teams.membership(userId, organisation, 1).catch(() => undefined);
  return [user.group, user.role, user.status, member?.member.role];
}

/** Signs in at the company's provider from a new browser. */
async function signIn(name: string) {
  const browser = createAgent(house.app);
  const started = await browser.call(oauthApi.start, { provider: 'oidc', aff: '' });
  browser.headers.cookie =
    started.cookies.find((line) => line.startsWith('sign-in='))?.split(';', 1)[0] ?? '';
  const back = await consentAs(name, String(started.body.data), `${houseSite}/oauth/oidc`);
  const { body, cookies } = await browser.call(oauthApi.callback, {
    provider: 'oidc',
    ...Object.fromEntries(back.searchParams),
  });
  const session = cookies.find((line) => line.startsWith('session='))?.split(';', 1)[0] ?? '';
  return { body, session, id: (body.data as { id: number } | null)?.id ?? 0 };
}

describe('the directory of a company', () => {
  it('describes itself', async () => {
    expect(await must('GET', '/ServiceProviderConfig')).toMatchObject({ patch: { supported: true } });
    expect(await must('GET', '/ResourceTypes')).toMatchObject({ totalResults: 2 });
    expect(await must('GET', `/Schemas/${userSchema}`)).toMatchObject({ id: userSchema });
    const reply = await ask('GET', '/Schemas/none');
    expect(reply).toMatchObject({
      status: 404,
      body: { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '404' },
    });
    expect(reply.headers['content-type']).toBe('application/scim+json; charset=utf-8');
    expect((await ask('GET', '/Nothing')).status).toBe(404);
  });

  it('creates users, whom the rules for their groups let in', async () => {
    const reply = await ask('POST', '/Users', ann);
    expect(reply.status).toBe(201);
    const id = String(reply.body['id']);
    expect(reply.headers['location']).toBe(`${houseSite}/scim/v2/Users/${id}`);
    expect(reply.body).toMatchObject({
      userName: 'ann@openid.example',
      externalId: '00u1',
      active: true,
      emails: ann.emails,
      meta: { resourceType: 'User', location: `${houseSite}/scim/v2/Users/${id}` },
    });
    expect(reply.body).not.toHaveProperty('locale');
    const account = await accountOf(id);
    expect(await root.must(userApi.get, { id: account })).toMatchObject({
      username: 'ann',
      display_name: 'Ann Lee',
      email: 'ann@openid.example',
      bindings: [],
    });
    // No rule matches yet.
    expect(await standing(account)).toEqual(['default', role.common, userStatus.disabled, undefined]);
    const staff = await addGroup('Staff', id);
    expect(await standing(account)).toEqual(['default', role.common, userStatus.enabled, 1]);
    const leads = await addGroup('Leads', id);
    expect(await standing(account)).toEqual(['vip', role.common, userStatus.enabled, 2]);
    expect(await must('GET', `/Users/${id}`)).toMatchObject({
      groups: [
        { value: staff, display: 'Staff' },
        { value: leads, display: 'Leads' },
      ],
    });
    expect((await ask('DELETE', `/Groups/${leads}`)).status).toBe(204);
    expect(await standing(account)).toEqual(['default', role.common, userStatus.enabled, 1]);
    expect(
      (await patch(`/Groups/${staff}`, { op: 'replace', path: 'displayName', value: 'Guests' })).status,
    ).toBe(204);
    expect((await standing(account))[2]).toBe(userStatus.disabled);
  });

  it('ends keys and sessions of leavers and returns them, and leaves bans, money and root alone', async () => {
    const id = await addUser();
    const staff = await addGroup('Staff', id);
    const account = await accountOf(id);
    const { session } = await signIn('ann');
    const agent = createAgent(house.app);
    agent.headers = { cookie: session, 'new-api-user': String(account) };
    expect((await agent.call(selfApi.get, {})).status).toBe(200);
    await agent.must(tokenApi.create, { name: 'own', remain_quota: 0, unlimited_quota: true });

    for (const off of [
      { op: 'Replace', path: 'active', value: 'False' },
      { op: 'replace', value: { active: false } },
    ]) {
      expect((await patch(`/Users/${id}`, off)).body).toMatchObject({ active: false });
      expect((await standing(account))[2]).toBe(userStatus.disabled);
      expect((await agent.call(selfApi.get, {})).status).toBe(401);
      expect((await signIn('ann')).body).toMatchObject({ code: 'sign_in_no_rule' });
      expect(
        (await patch(`/Users/${id}`, { op: 'Replace', path: 'active', value: 'True' })).body,
      ).toMatchObject({
        active: true,
      });
      expect((await standing(account))[2]).toBe(userStatus.enabled);
    }
    expect((await signIn('ann')).id).toBe(account);

    await root.must(userApi.manage, { id: account, action: 'disable' });
    await patch(`/Users/${id}`, { op: 'replace', value: { active: false } });
    await patch(`/Users/${id}`, { op: 'replace', value: { active: true } });
    expect((await standing(account))[2]).toBe(userStatus.disabled);
    await root.must(userApi.manage, { id: account, action: 'enable' });

    expect((await ask('DELETE', `/Users/${id}`)).status).toBe(204);
    expect((await ask('GET', `/Users/${id}`)).status).toBe(404);
    expect(await must('GET', '/Users')).toMatchObject({ totalResults: 0 });
    expect(await must('GET', `/Groups/${staff}`)).not.toHaveProperty('members');
    expect((await standing(account))[2]).toBe(userStatus.disabled);
    expect((await signIn('ann')).body).toMatchObject({ code: 'sign_in_no_rule' });
    // The same person gets the same account.
    expect(await addUser({ externalId: '00u2' })).toBe(id);
    await patch(`/Groups/${staff}`, { op: 'Add', path: 'members', value: [{ value: id }] });
    expect((await standing(account))[2]).toBe(userStatus.enabled);
    expect((await signIn('ann')).id).toBe(account);

    const { db } = house.core.store;
    await users.update(db, root.userId, { email: 'boss@corp.example' });
    const boss = { userName: 'boss', externalId: 'b', emails: [{ value: 'boss@corp.example' }] };
    expect((await ask('POST', '/Users', boss)).body).toMatchObject({ status: '409', scimType: 'uniqueness' });
    await house.people.accounts.bindIdentity(root.userId, {
      provider: 'oidc',
      subject: 'b',
      providerName: 'OIDC',
      username: '',
      displayName: '',
      email: '',
    });
    expect((await ask('POST', '/Users', { ...boss, emails: [] })).status).toBe(201);
    expect(await scimUsers.ofUser(db, root.userId)).toBeUndefined();
  });

  it('takes the account that a user has already, but never that of an administrator by an address', async () => {
    const { db } = house.core.store;
    const before = await house.person('before');
    await users.update(db, before.userId, { email: 'ann@openid.example' });
    const id = await addUser();
    expect(await accountOf(id)).toBe(before.userId);
    const admin = await house.person('admin', { role: role.admin });
    await users.update(db, admin.userId, { email: 'bob@corp.example' });
    const bob = { userName: 'bob@corp.example', externalId: '', emails: [] };
    expect((await ask('POST', '/Users', { ...ann, ...bob })).status).toBe(409);
    // Nor does a local name identify anybody.
    const named = await addUser({ userName: 'admin', externalId: 'x', emails: [] });
    expect(await accountOf(named)).not.toBe(admin.userId);
    // No address is taken from another account.
    await patch(`/Users/${named}`, { op: 'add', path: 'emails', value: [{ value: 'bob@corp.example' }] });
    expect((await users.find(db, await accountOf(named)))?.email).toBe('');
  });

  it('is for root’s tokens of its scope, and for nothing without a policy', async () => {
    const bare = createAgent(house.app);
    const get = async (headers: Record<string, string>, url = '/scim/v2/Users') =>
      (await bare.send({ url, headers })).status;
    expect(await get({})).toBe(401);
    expect(await get({ authorization: 'Bearer no' })).toBe(401);
    expect(await get(scim.headers, '/api/user/')).not.toBe(200);
    // A browser needs the header that other sites cannot send.
    expect(await get({ cookie: root.headers.cookie ?? '' })).toBe(401);
    for (const [scope, status] of [
      ['read', 403],
      ['manage', 403],
      ['all', 200],
    ] as const) {
      const made = { name: scope, scope, days: 0 };
      const { token } = (await root.must(selfApi.createAccessToken, made, { password: testPassword })) as {
        token: string;
      };
      expect(await get({ authorization: `Bearer ${token}` })).toBe(status);
    }
    const admin = await house.person('admin', { role: role.admin });
    const wanted = { name: 'x', scope: 'scim' as const, days: 0 };
    const refused = await admin.call(selfApi.createAccessToken, wanted, { password: testPassword });
    expect(refused.body).toMatchObject({ success: false, code: 'insufficient_role' });
    await setRules([{ value: '*' }], {});
    expect((await ask('GET', '/Users')).body).toMatchObject({ status: '403' });
    expect((await ask('GET', '/ServiceProviderConfig')).status).toBe(200);
  });

  it('links nobody to an account of the directory but by externalId, oid or a verified address', async () => {
    const id = await addUser({ externalId: 'cara', emails: [], userName: 'cara' });
    await addGroup('Staff', id);
    expect((await signIn('cara')).id).toBe(await accountOf(id));
    const byObject = await addUser({ externalId: 'oid-of-object-1', emails: [], userName: 'dan' });
    const byName = await addUser({ externalId: '', emails: [], userName: 'Eve@OpenID.example' });
    await addUser({ externalId: 'y', emails: [], userName: 'unverified-fay@openid.example' });
    await setRules([{ value: '*' }, { value: 'Staff', organisation }]);
    expect((await signIn('object-1')).id).toBe(await accountOf(byObject));
    expect((await signIn('eve')).id).toBe(await accountOf(byName));
    // One user matches by externalId, another by the address.
    await addUser({ externalId: 'gil', emails: [], userName: 'gil' });
    await addUser({ externalId: '', emails: [], userName: 'gil@openid.example' });
    for (const name of ['ann', 'unverified-fay', 'admin', 'gil'])
      expect((await signIn(name)).body).toMatchObject({ code: 'sign_in_no_rule' });
  });

  it('keeps nothing of an erased user, and lets nobody out of its rules', async () => {
    const id = await addUser();
    const staff = await addGroup('Staff', id);
    const account = await accountOf(id);
    const { session } = await signIn('ann');
    const agent = createAgent(house.app);
    agent.headers = { cookie: session, 'new-api-user': String(account) };
    expect((await agent.call(oauthApi.unbind, { provider: 'scim' })).body).toMatchObject({
      code: 'row_not_found',
    });
    await house.people.accounts.erase({ id: root.userId, username: 'root', role: role.root }, account);
    expect((await ask('GET', `/Users/${id}`)).status).toBe(404);
    expect(await must('GET', `/Groups/${staff}`)).not.toHaveProperty('members');
    expect(await house.core.store.db.selectFrom('scim_users').selectAll().execute()).toEqual([]);
    const again = await addUser();
    expect(await accountOf(again)).not.toBe(account);
    const found = await root.must(userApi.search, { keyword: 'ann@openid', p: 1, page_size: 10 });
    expect(found).toMatchObject({ items: [{ email: 'ann@openid.example' }] });
    await root.must(userApi.manage, { id: await accountOf(again), action: 'delete' });
    expect((await ask('GET', `/Users/${again}`)).status).toBe(404);
    expect((await ask('POST', '/Users', ann)).status).toBe(409);
  });

  it('keeps a ban that an administrator sets while the rules end or return the same user', async () => {
    const id = await addUser();
    await addGroup('Staff', id);
    const account = await accountOf(id);
    const { accounts } = house.people;
    const actor = { id: root.userId, username: 'root', role: role.root };
    /** Bans the user after the next change has looked at them, and before it begins to write. */
    const banBetween = () => {
      const { ledger } = house.core;
      const change = ledger.change.bind(ledger);
      vi.spyOn(ledger, 'change').mockImplementationOnce(async (work) => {
        await accounts.manage(actor, account, 'disable');
        return change(work);
      });
    };
    const active = (value: boolean) => patch(`/Users/${id}`, { op: 'replace', value: { active: value } });
    banBetween();
    await accounts.endLeaver(account);
    await active(true);
    expect((await standing(account))[2]).toBe(userStatus.disabled);

    await root.must(userApi.manage, { id: account, action: 'enable' });
    await active(false);
    banBetween();
    const vouched = { provider: 'scim', subject: id };
    await accounts.follow(vouched, account, { group: undefined, role: undefined });
    expect((await standing(account))[2]).toBe(userStatus.disabled);
  });

  it.each([
    ['a removed user', (_group: string, users: string[]) => ask('DELETE', `/Users/${users[1]}`)],
    ['a removed group', (group: string) => ask('DELETE', `/Groups/${group}`)],
    ['a group without members', (group: string) => ask('PUT', `/Groups/${group}`, { displayName: 'Staff' })],
    [
      'a renamed group',
      (group: string) => patch(`/Groups/${group}`, { op: 'replace', value: { displayName: 'Guests' } }),
    ],
  ])('ends those who leave by %s, although the process ends at each of its steps', async (_how, change) => {
    const users = [await addUser(), await addUser({ userName: 'bob', externalId: 'b', emails: [] })];
    const group = await addGroup('Staff', ...users);
    const accounts = await Promise.all(users.map(accountOf));
    for (const fatal of [1, 2, 3]) {
      const { ledger } = house.core;
      const write = ledger.change.bind(ledger);
      let writes = 0;
      vi.spyOn(ledger, 'change').mockImplementation((work) => {
        writes += 1;
        if (writes >= fatal) throw new Error('the process ends');
        return write(work);
      });
      await change(group, users);
      vi.restoreAllMocks();
    }
    await change(group, users);
    expect((await standing(accounts[1]!))[2]).toBe(userStatus.disabled);
  });

  it('links nobody to an administrator whom no rule made one', async () => {
    await setRules([{ value: 'Staff', organisation }]);
    const id = await addUser();
    const staff = await addGroup('Staff', id);
    await root.must(userApi.manage, { id: await accountOf(id), action: 'promote' });
    const take = { op: 'replace', value: { externalId: 'cara' } };
    await patch(`/Users/${id}`, take);
    // Mail to another address would reset the password.
    await patch(`/Users/${id}`, { op: 'replace', path: 'emails', value: [{ value: 'cara@openid.example' }] });
    const { email } = (await users.find(house.core.store.db, await accountOf(id)))!;
    expect(email).toBe('ann@openid.example');
    expect((await signIn('cara')).body).toMatchObject({ code: 'sign_in_no_rule' });
    // Nor by leaving and coming back.
    await ask('DELETE', `/Users/${id}`);
    expect(await addUser({ externalId: 'cara' })).toBe(id);
    await patch(`/Groups/${staff}`, { op: 'add', path: 'members', value: [{ value: id }] });
    expect((await signIn('cara')).body).toMatchObject({ code: 'sign_in_no_rule' });
    await setRules([{ value: 'Staff', role: 'admin' }]);
    expect((await signIn('cara')).id).toBe(await accountOf(id));
  });

  it('shows fewer groups at once if they have very many members', async () => {
    const { db } = house.core.store;
    const groups = [await addGroup('A'), await addGroup('B')];
    for (const id of groups.map(Number))
      for (let from = 0; from < 15_000; from += 500) {
        const rows = Array.from({ length: 500 }, (_, at) => ({ group_id: id, user_id: 1e6 + from + at }));
        await db.insertInto('scim_members').values(rows).execute();
      }
    for (const [query, names] of [
      ['', ['A']],
      ['?startIndex=2', ['B']],
      ['?excludedAttributes=members', ['A', 'B']],
    ] as const) {
      const page = await must('GET', `/Groups${query}`);
      expect(page).toMatchObject({ totalResults: 2, itemsPerPage: names.length });
      expect((page['Resources'] as Sent[]).map(({ displayName }) => displayName)).toEqual(names);
    }
  });

  it('records what it did', async () => {
    const id = await addUser();
    const group = await addGroup('Staff', id);
    await patch(`/Users/${id}`, { op: 'replace', path: 'displayName', value: 'Ann L.' });
    await ask('DELETE', `/Groups/${group}`);
    const { items } = await house.core.audit.list({ before: 0, limit: 50 });
    const kinds = items.filter(({ method }) => method === 'access-token').map(({ kind }) => kind);
    for (const kind of ['user.create', 'user.directory', 'user.update', 'user.disable'])
      expect(kinds).toContain(kind);
  });
});
