import {
  type AccessTokenScope,
  accessTokenScopes,
  proofSeconds,
  role,
  type Route,
  scopeAdmits,
  secondFactorApi,
  selfApi,
} from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Agent, createAgent } from '../../../testing/agent.ts';
import { type House, openHouse, testPassword } from '../../../testing/harness.ts';
import { declared } from '../../../testing/matrix/calls.ts';
import { setUpApp, type TestApp } from '../../../testing/second-factor/app.ts';
import { noAudit } from '../../../testing/rerating/bed.ts';
import { type ConsoleApp, createApp } from '../../app.ts';
import { createClientReader } from '../../context.ts';
import type { MountedRoute } from '../../implement.ts';

/** Only the guard is under test. The handler behind it answers that it was reached. */
const reached = ({ method, path, access, demo, reauthenticate, reauthenticateFor }: Route): MountedRoute => ({
  method,
  path,
  access,
  ...(demo !== undefined && { demo }),
  ...(reauthenticate && { reauthenticate }),
  ...(reauthenticateFor && { reauthenticateFor }),
  serve: async () => ({ status: 200, body: { success: true } }),
});

let house: House;
let app: ConsoleApp;
let root: Agent;
beforeEach(async () => {
  house = await openHouse();
  const { auth } = house.people;
  app = await createApp({
    routes: declared.map(reached),
    auth,
    clients: createClientReader([]),
    limit: async () => undefined,
    audit: noAudit,
    isDemoFor: () => false,
    checkHuman: async () => undefined,
    membership: () => Promise.reject(new Error('no team here')),
    meetDemand: (identity, demand, given) => auth.meetDemand(identity, demand, given),
    serverAddress: () => '',
    outsideSources: () => ({ scripts: [], frames: [] }),
    siteLanguage: () => undefined,
    webRoot: '/nonexistent',
    maxBodyBytes: 1_000,
    clock: () => house.time.ms,
    log: house.core.log,
  });
  root = await house.person('chief', { role: role.root });
});
afterEach(async () => {
  await app.close();
  await house.close();
});

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

/** The fields that make a call ask for a new proof of identity. */
const askedFields = ({ reauthenticateFor = [] }: Route): Record<string, unknown> =>
  Object.fromEntries(reauthenticateFor.map((field) => [field, 'x']));

/** Answer of each call to an agent's credential: `yes`, or the code of the refusal. */
async function sweep(
  headers: Record<string, string>,
  fields: (route: Route) => Record<string, unknown> = askedFields,
): Promise<Map<Route, string>> {
  const agent = createAgent(app);
  agent.headers = headers;
  const answers = new Map<Route, string>();
  for (const route of declared) {
    const url = route.path.replace(/:\w+/g, '1');
    const { body } = await agent.send({
      method: route.method,
      url,
      ...(route.method !== 'GET' && { payload: fields(route) }),
    });
    answers.set(route, body.success === true ? 'yes' : String(body.code));
  }
  return answers;
}

const refusedBy = (answers: Map<Route, string>, code: string): string[] =>
  [...answers].filter(([, answer]) => answer === code).map(([route]) => nameOf(route));
const asking = (...kinds: Route['reauthenticate'][]): string[] =>
  declared.filter(({ reauthenticate }) => kinds.includes(reauthenticate)).map(nameOf);

async function makeAccessToken(agent: Agent): Promise<Record<string, string>> {
  const token = String(await agent.must(selfApi.accessToken, {}, { password: testPassword }));
  return { authorization: token, 'new-api-user': String(agent.userId) };
}

describe('of all declared calls, those that require a fresh proof', () => {
  it('admit accounts without a factor, except where everyone must give the password', async () => {
    const answers = await sweep(root.headers);
    expect(refusedBy(answers, 'password_required')).toEqual(asking('always'));
    expect(new Set(answers.values())).toEqual(new Set(['yes', 'password_required']));
  });

  it('require it of accounts with a factor once the proof is too old, and of no others', async () => {
    const app = await setUpApp(house, root);
    expect(new Set((await sweep(root.headers)).values())).toEqual(new Set(['yes']));
    house.time.ms += (proofSeconds - 60 - 1) * 1000;
    expect(new Set((await sweep(root.headers)).values())).toEqual(new Set(['yes']));
    house.time.ms += 1000;
    expect(refusedBy(await sweep(root.headers), 'verify_again')).toEqual(asking('always', 'with-factor'));
    await root.must(secondFactorApi.verify, { method: '2fa', code: app.code() });
    expect(new Set((await sweep(root.headers)).values())).toEqual(new Set(['yes']));
  });

  it('ask for single fields alone where a call names such, each by itself, unless they are empty', async () => {
    await setUpApp(house, root);
    house.time.ms += proofSeconds * 1000;
    const partial = declared.filter(({ reauthenticateFor }) => reauthenticateFor);
    expect(partial.map(nameOf).toSorted()).toEqual([
      'PUT /api/channel/',
      'PUT /api/team/:id/member',
      'PUT /api/user/setting',
    ]);
    for (const empty of ['', null, undefined]) {
      const answers = await sweep(root.headers, ({ reauthenticateFor = [] }) => ({
        status: 1,
        ...Object.fromEntries(reauthenticateFor.map((field) => [field, empty])),
      }));
      expect(partial.map((route) => answers.get(route))).toEqual(partial.map(() => 'yes'));
    }
    for (const at of [0, 1, 2]) {
      const answers = await sweep(root.headers, ({ reauthenticateFor = [] }) =>
        Object.fromEntries(reauthenticateFor.slice(at, at + 1).map((field) => [field, 'x'])),
      );
      const asked = partial.filter(({ reauthenticateFor = [] }) => at < reauthenticateFor.length);
      expect(asked.map((route) => answers.get(route))).toEqual(asked.map(() => 'verify_again'));
    }
  });

  it('accept an access token where only accounts with a factor are asked, and refuse it where everyone is', async () => {
    const headers = await makeAccessToken(root);
    expect(refusedBy(await sweep(headers), 'password_required')).toEqual(asking('always'));
    await setUpApp(house, root);
    const answers = await sweep(headers);
    expect(refusedBy(answers, 'verify_again')).toEqual(asking('always'));
    expect(new Set(answers.values())).toEqual(new Set(['yes', 'verify_again']));
  });
});

describe('the scope of an access token', () => {
  const scoped = async (scope: AccessTokenScope): Promise<Record<string, string>> => {
    const made = { name: `for ${scope}`, scope, days: 1 };
    const { token } = (await root.must(selfApi.createAccessToken, made, { password: testPassword })) as {
      token: string;
    };
    return { authorization: token, 'new-api-user': String(root.userId) };
  };

  it('decides about every declared call', async () => {
    for (const scope of accessTokenScopes) {
      const refused = refusedBy(await sweep(await scoped(scope)), 'access_token_scope');
      const guarded = declared.filter(({ access }) => access !== 'public');
      expect(refused).toEqual(guarded.filter((route) => !scopeAdmits(scope, route)).map(nameOf));
    }
  });

  it('of reading changes, spends and reveals nothing', () => {
    const admitted = declared.filter((route) => scopeAdmits('read', route));
    const harmful = admitted.filter(
      ({ method, audit, reauthenticate, access }) =>
        access !== 'public' && (method !== 'GET' || reauthenticate !== undefined || audit !== undefined),
    );
    // A program has no session that this call could end.
    expect(harmful.map(nameOf)).toEqual(['GET /api/user/logout']);
    for (const name of ['GET /api/channel/test', 'GET /api/channel/update_balance', 'GET /api/user/token'])
      expect(admitted.map(nameOf)).not.toContain(name);
  });
});

describe('a proof of identity', () => {
  const verify = (agent: Agent, method: '2fa' | 'password' | 'passkey', code: string) =>
    agent.call(secondFactorApi.verify, { method, code });

  it('by the password is for accounts without a factor, and admits to such calls for a while', async () => {
    expect((await verify(root, 'password', 'wrong')).body.code).toBe('wrong_password');
    expect((await verify(root, 'passkey', '')).body.code).toBe('verify_again');
    const until = Math.floor(house.time.ms / 1000) + proofSeconds;
    expect((await verify(root, 'password', testPassword)).body.data).toEqual({
      verified: true,
      expires_at: until,
    });
    expect(new Set((await sweep(root.headers)).values())).toEqual(new Set(['yes']));
    house.time.ms += proofSeconds * 1000;
    expect(refusedBy(await sweep(root.headers), 'password_required')).toEqual(asking('always'));
    await setUpApp(house, root);
    house.time.ms += proofSeconds * 1000;
    expect((await verify(root, 'password', testPassword)).body.code).toBe('verify_again');
  });

  it('counts for one session, not for the account', async () => {
    const here: TestApp = await setUpApp(house, root);
    const other = await house.people.auth.finishByCode(
      {
        ticket: await askTicket('chief'),
        code: here.code(),
      },
      { ip: '203.0.113.9', userAgent: 'test' },
    );
    house.time.ms += proofSeconds * 1000;
    await root.must(secondFactorApi.verify, { method: '2fa', code: here.code() });
    const elsewhere = { cookie: `session=${other.session}`, 'new-api-user': String(root.userId) };
    expect(refusedBy(await sweep(elsewhere), 'verify_again')).toEqual(asking('always', 'with-factor'));
  });

  async function askTicket(login: string): Promise<string> {
    const place = { ip: '203.0.113.9', userAgent: 'test' };
    const step = await house.people.auth.signIn({ login, password: testPassword }, place);
    return 'ticket' in step ? step.ticket : '';
  }

  it('cannot be given by an access token', async () => {
    const headers = await makeAccessToken(root);
    const agent = createAgent(house.app);
    agent.headers = headers;
    expect((await verify(agent, 'password', testPassword)).body.code).toBe('access_token_not_supported');
  });
});

describe('while administrators must have a factor', () => {
  const administrative = declared.filter(({ access }) => access === 'admin' || access === 'root').map(nameOf);

  it.each([role.admin, role.root])(
    'one of role %i without it may not administer, by session or token',
    async (rank) => {
      const admin = await house.person('adam', { role: rank });
      const token = await makeAccessToken(admin);
      await house.core.settings.setMany({ AdminSecondFactorRequired: 'true' });
      for (const headers of [admin.headers, token]) {
        const answers = await sweep(headers);
        const open = [...answers].filter(([, answer]) => answer === 'yes').map(([route]) => nameOf(route));
        expect(open.filter((name) => administrative.includes(name))).toEqual([]);
        expect(open).toEqual(
          expect.arrayContaining(['GET /api/user/2fa/status', 'GET /api/user/self', 'GET /api/token/']),
        );
      }
      expect(await admin.must(secondFactorApi.status, {})).toMatchObject({ required: true });
      await setUpApp(house, admin);
      const answers = await sweep(admin.headers);
      expect(refusedBy(answers, 'second_factor_required')).toEqual([]);
      expect(await admin.must(secondFactorApi.status, {})).toMatchObject({ required: false });
    },
  );

  it('ordinary users need none', async () => {
    const user = await house.person('alice');
    await house.core.settings.setMany({ AdminSecondFactorRequired: 'true' });
    expect(await user.must(secondFactorApi.status, {})).toMatchObject({ required: false });
    expect(refusedBy(await sweep(user.headers), 'second_factor_required')).toEqual([]);
  });
});
