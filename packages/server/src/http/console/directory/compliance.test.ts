import { role, selfApi } from '@tollgate/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Agent, createAgent } from '../../../testing/agent.ts';
import { type House, openHouse, testPassword } from '../../../testing/harness.ts';

// The requests of Okta's SCIM 2.0 specification test and of Microsoft Entra's published examples, in their order. Each
// set works on the users and groups of the ones before it.

let house: House;
let scim: Agent;
beforeAll(async () => {
  house = await openHouse();
  const root = await house.person('root', { role: role.root });
  await house.core.settings.setMany({
    SignInRules: JSON.stringify({ company: { scim: true, rules: [{ value: '*' }] } }),
  });
  const made = { name: 'directory', scope: 'scim' as const, days: 0 };
  const { token } = (await root.must(selfApi.createAccessToken, made, { password: testPassword })) as {
    token: string;
  };
  scim = createAgent(house.app);
  scim.headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/scim+json',
    'content-type': 'application/scim+json; charset=utf-8',
  };
});
afterAll(async () => {
  expect(await house.findings()).toEqual([]);
  await house.close();
});

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Sent = Record<string, unknown>;

/** Sends a request; returns the body if the status is the expected one. */
async function ask(status: number, method: Method, path: string, payload?: Sent): Promise<Sent> {
  const reply = await scim.send({
    method,
    url: `/scim/v2${path}`,
    ...(payload && { payload: JSON.stringify(payload) }),
  });
  expect(reply.status, `${method} ${path}: ${JSON.stringify(reply.body)}`).toBe(status);
  return reply.body;
}
const filtered = (path: string, filter: string, more = '') =>
  ask(200, 'GET', `${path}?filter=${encodeURIComponent(filter)}${more}`);
const patchOp = (...operations: Sent[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: operations,
});
const coreUser = 'urn:ietf:params:scim:schemas:core:2.0:User';
const coreGroup = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const listResponse = { schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'] };
const errorOf = (status: number) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: String(status),
});

it('answers Okta', async () => {
  const test = {
    schemas: [coreUser],
    userName: 'Test.User@okta.example',
    name: { givenName: 'Test', familyName: 'User' },
    emails: [{ primary: true, value: 'test.user@okta.example', type: 'work' }],
    displayName: 'Test User',
    locale: 'en-US',
    externalId: '00ujl29u0le5T6Aj10h7',
    groups: [],
    password: '1mz050nq',
    active: true,
  };
  expect(await ask(200, 'GET', '/Users?count=1&startIndex=1')).toMatchObject({
    ...listResponse,
    totalResults: 0,
    startIndex: 1,
    itemsPerPage: 0,
    Resources: [],
  });
  expect(
    await filtered('/Users', 'userName eq "test.user@okta.example"', '&startIndex=1&count=100'),
  ).toMatchObject({
    totalResults: 0,
    Resources: [],
  });
  const made = await ask(201, 'POST', '/Users', test);
  expect(made).toMatchObject({ schemas: [coreUser], userName: test.userName, active: true, name: test.name });
  expect(made).not.toHaveProperty('password');
  const id = String(made['id']);
  expect(await ask(409, 'POST', '/Users', test)).toMatchObject({ ...errorOf(409), scimType: 'uniqueness' });
  expect(await ask(200, 'GET', `/Users/${id}`)).toMatchObject({
    id,
    userName: test.userName,
    emails: test.emails,
  });
  expect(await ask(404, 'GET', '/Users/12345678')).toMatchObject({
    ...errorOf(404),
    detail: expect.stringMatching(/\S/),
  });
  for (const name of ['test.user@okta.example', 'TEST.USER@OKTA.EXAMPLE'])
    expect(await filtered('/Users', `userName eq "${name}"`)).toMatchObject({
      totalResults: 1,
      Resources: [{ id, active: true, meta: { resourceType: 'User' } }],
    });
  // Okta merges its changes into what it has read and replaces the user.
  const read = await ask(200, 'GET', `/Users/${id}`);
  const replaced = {
    ...read,
    name: { givenName: 'Another', familyName: 'User' },
    emails: [{ value: 'a@okta.example' }],
  };
  expect(await ask(200, 'PUT', `/Users/${id}`, replaced)).toMatchObject({
    id,
    name: replaced.name,
    active: true,
  });
  expect(
    await ask(200, 'PATCH', `/Users/${id}`, patchOp({ op: 'replace', value: { active: false } })),
  ).toMatchObject({
    id,
    active: false,
  });
  expect(await ask(200, 'PUT', `/Users/${id}`, { ...replaced, active: true })).toMatchObject({
    active: true,
  });

  expect(await filtered('/Groups', 'displayName eq "Test SCIMv2"', '&startIndex=1&count=100')).toMatchObject({
    totalResults: 0,
  });
  const group = await ask(201, 'POST', '/Groups', {
    schemas: [coreGroup],
    displayName: 'Test SCIMv2',
    members: [],
  });
  const groupId = String(group['id']);
  expect(group).toMatchObject({
    schemas: [coreGroup],
    displayName: 'Test SCIMv2',
    meta: { resourceType: 'Group' },
  });
  const change = (...operations: Sent[]) => ask(204, 'PATCH', `/Groups/${groupId}`, patchOp(...operations));
  await change({ op: 'replace', value: { id: groupId, displayName: 'Test SCIMv2 renamed' } });
  await change({ op: 'add', path: 'members', value: [{ value: id, display: 'test.user@okta.example' }] });
  expect(await ask(200, 'GET', `/Groups/${groupId}`)).toMatchObject({
    displayName: 'Test SCIMv2 renamed',
    members: [{ value: id }],
  });
  await change(
    { op: 'remove', path: `members[value eq "${id}"]` },
    { op: 'add', path: 'members', value: [{ value: id, display: 'test.user@okta.example' }] },
  );
  expect(
    await ask(200, 'PUT', `/Groups/${groupId}`, { displayName: 'Test SCIMv2', members: [{ value: id }] }),
  ).toMatchObject({ members: [{ value: id }] });
  await change({ op: 'replace', path: 'members', value: [] });
  expect(await ask(200, 'GET', `/Groups/${groupId}`)).not.toHaveProperty('members');
  await ask(204, 'DELETE', `/Groups/${groupId}`);
  await ask(404, 'GET', `/Groups/${groupId}`);
});

it('answers Microsoft Entra', async () => {
  const sent = {
    schemas: [coreUser, enterprise],
    externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
    userName: 'Test_User_ab6490ee',
    active: true,
    emails: [{ primary: true, type: 'work', value: 'Test_User_fd0ea19b@entra.example' }],
    meta: { resourceType: 'User' },
    name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
    roles: [],
    [enterprise]: { department: 'Sales', manager: 'x' },
  };
  expect(await filtered('/Users', 'userName eq "non-existent user"')).toMatchObject({
    ...listResponse,
    totalResults: 0,
  });
  const id = String((await ask(201, 'POST', '/Users', sent))['id']);
  expect(await ask(200, 'GET', `/Users/${id}`)).toMatchObject({
    name: sent.name,
    externalId: sent.externalId,
  });
  for (const filter of [
    'userName eq "Test_User_ab6490ee"',
    `externalId eq "${sent.externalId}"`,
    'emails[type eq "work"].value eq "Test_User_fd0ea19b@entra.example"',
  ])
    expect(await filtered('/Users', filter), filter).toMatchObject({ totalResults: 1, Resources: [{ id }] });
  const path = `/Users/${id}`;
  expect(
    await ask(
      200,
      'PATCH',
      path,
      patchOp(
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updatedEmail@entra.example' },
        { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
        { op: 'Add', path: 'phoneNumbers[type eq "work"].value', value: '1' },
        { op: 'Add', path: `${enterprise}:manager`, value: 'y' },
      ),
    ),
  ).toMatchObject({
    emails: [{ value: 'updatedEmail@entra.example', type: 'work' }],
    name: { familyName: 'updatedFamilyName', givenName: 'givenName' },
  });
  const renamed = { op: 'Replace', path: 'userName', value: '5b50642d@entra.example' };
  expect(await ask(200, 'PATCH', path, patchOp(renamed))).toMatchObject({ userName: renamed.value });
  for (const [value, active] of [
    ['False', false],
    ['True', true],
  ])
    expect(await ask(200, 'PATCH', path, patchOp({ op: 'Replace', path: 'active', value }))).toMatchObject({
      active,
    });

  const group = {
    externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
    displayName: 'displayName',
    members: [],
  };
  const groupId = String((await ask(201, 'POST', '/Groups', { schemas: [coreGroup], ...group }))['id']);
  expect(await ask(409, 'POST', '/Groups', { schemas: [coreGroup], ...group })).toMatchObject(errorOf(409));
  const groupPath = `/Groups/${groupId}`;
  await ask(
    204,
    'PATCH',
    groupPath,
    patchOp({ op: 'Add', path: 'members', value: [{ $ref: null, value: id }] }),
  );
  expect(await ask(200, 'GET', `${groupPath}?excludedAttributes=members`)).not.toHaveProperty('members');
  expect(
    await filtered('/Groups', 'displayName eq "displayName"', '&excludedAttributes=members'),
  ).toMatchObject({ totalResults: 1, Resources: [{ id: groupId }] });
  expect(await filtered('/Groups', `id eq "${groupId}" and members eq "${id}"`)).toMatchObject({
    totalResults: 1,
  });
  expect(await ask(200, 'GET', `${path}?attributes=groups.display,userName`)).toEqual({
    schemas: [coreUser],
    id,
    userName: renamed.value,
    groups: [{ display: 'displayName' }],
  });
  await ask(204, 'PATCH', groupPath, patchOp({ op: 'Replace', path: 'displayName', value: '1879db59' }));
  await ask(
    204,
    'PATCH',
    groupPath,
    patchOp({ op: 'Remove', path: 'members', value: [{ $ref: null, value: id }] }),
  );
  expect(await filtered('/Groups', `id eq "${groupId}" and members eq "${id}"`)).toMatchObject({
    totalResults: 0,
  });
  const unknown = patchOp({ op: 'Add', path: 'members', value: [{ value: 'nobody' }] });
  expect(await ask(400, 'PATCH', groupPath, unknown)).toMatchObject({
    ...errorOf(400),
    scimType: 'invalidValue',
  });
  await ask(204, 'DELETE', groupPath);
  await ask(204, 'DELETE', path);
  await ask(404, 'DELETE', path);
  await ask(404, 'PATCH', path, patchOp({ op: 'Replace', path: 'active', value: 'True' }));
});

it('refuses what is no request of SCIM in its own words', async () => {
  const invalid = [
    ['POST', '/Users', { userName: '' }, 'invalidValue'],
    ['POST', '/Users', { userName: 'x', emails: 7 }, 'invalidValue'],
    ['POST', '/Groups', { members: [] }, 'invalidValue'],
    ['GET', `/Users?filter=${encodeURIComponent('userName xx "a"')}`, undefined, 'invalidFilter'],
    ['GET', `/Users?filter=${encodeURIComponent('nickName eq "a"')}`, undefined, 'invalidFilter'],
  ] as const;
  for (const [method, path, body, scimType] of invalid)
    expect(await ask(400, method, path, body)).toMatchObject({ ...errorOf(400), scimType });
  const reply = await scim.send({ method: 'POST', url: '/scim/v2/Users', payload: '{"userName":' });
  expect(reply).toMatchObject({ status: 400, body: { ...errorOf(400), scimType: 'invalidSyntax' } });
  expect(await ask(404, 'GET', '/Nothing')).toMatchObject(errorOf(404));
  for (const path of ['/ServiceProviderConfig', '/ResourceTypes', '/Schemas'])
    expect(await ask(405, 'DELETE', path)).toMatchObject(errorOf(405));
  expect(await ask(200, 'GET', '/Users?startIndex=-5&count=-1')).toMatchObject({
    startIndex: 1,
    itemsPerPage: 0,
  });
});
