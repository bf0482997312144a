import {
  type Access,
  accessTokenScopes,
  accessRole,
  AppError,
  role,
  type Route,
  scopeAdmits,
  teamRole,
  worksInDemo,
} from '@tollgate/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Identity } from '../services/people/auth/index.ts';
import type { Membership } from '../services/people/teams/index.ts';
import { createAgent } from '../testing/agent.ts';
import { declared as contractCalls } from '../testing/matrix/calls.ts';
import { noAudit } from '../testing/rerating/bed.ts';
import { type ConsoleApp, createApp } from './app.ts';
import { scimApi } from './console/directory/calls.ts';
import { createClientReader } from './context.ts';
import { type MountedRoute, numbersIn } from './implement.ts';

/** Every call that the contract declares, by address. */
const declared: Route[] = [...contractCalls, ...Object.values(scimApi)].toSorted((a, b) =>
  `${a.path} ${a.method}` < `${b.path} ${b.method}` ? -1 : 1,
);

/** Only the guard is under test. The handler behind it answers that it was reached. */
const reached = (route: Route): MountedRoute => ({
  method: route.method,
  path: route.path,
  access: route.access,
  numbers: numbersIn(route),
  ...(route.critical && { critical: true }),
  ...(route.demo !== undefined && { demo: route.demo }),
  ...(route.teamRole !== undefined && { teamRole: route.teamRole }),
  serve: async () => ({ status: 200, body: { success: true } }),
});

const roles = { guest: role.guest, user: role.common, admin: role.admin, root: role.root };

const identityOf = (name: string): Identity | null => {
  const found = Object.entries(roles).find(([each]) => each === name && each !== 'guest');
  if (!found) return null;
  const actor = { id: 7, username: name, role: found[1], status: 1, group: 'default' };
  return { actor, credential: { kind: 'access-token', scope: 'all' } };
};

/** The smallest scope of an access token that allows the call with all its fields. */
const leastScope = (route: Route) => accessTokenScopes.find((scope) => scopeAdmits(scope, route));

/** The caller's role in the team of the address; 0 without membership. */
let place = 0;

let app: ConsoleApp;
let isDemo: boolean;
/** The rate limits by address that counted a call. */
let counted: string[];
beforeEach(async () => {
  isDemo = false;
  counted = [];
  place = teamRole.owner;
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  };
  app = await createApp({
    routes: declared.map(reached),
    auth: { bySession: async () => null, byAccessToken: async (token) => identityOf(token) },
    clients: createClientReader([]),
    limit: async (name) => void counted.push(name),
    audit: noAudit,
    isDemoFor: () => isDemo,
    checkHuman: async () => undefined,
    meetDemand: async () => undefined,
    membership: async (_userId, _teamId, needed) => {
      if (place === 0) throw new AppError('team_not_found');
      if (place < needed) throw new AppError('team_role_insufficient');
      return {} as Membership;
    },
    serverAddress: () => '',
    outsideSources: () => ({ scripts: [], frames: [] }),
    siteLanguage: () => undefined,
    webRoot: '/nonexistent',
    maxBodyBytes: 1_000,
    clock: () => 0,
    log,
  });
});
afterEach(() => app.close());

/** Access of a role to an address: yes, or the code of the refusal. */
async function ask(method: Route['method'], url: string, name: string): Promise<string> {
  const agent = createAgent(app);
  if (name !== 'guest') agent.headers = { authorization: name, 'new-api-user': '7' };
  const { body } = await agent.send({ method, url, ...(method !== 'GET' && { payload: {} }) });
  return body.success === true ? 'yes' : String(body.code);
}

const addressOf = (route: Route): string => route.path.replace(/:\w+/g, '1');

/** Calls that change something and leave no audit row, each with the reason. */
const unaudited: Readonly<Record<string, string>> = {
  'POST /api/alarm/test': 'changes nothing',
  'POST /api/user/login': 'the sign-in itself is recorded, also when it fails',
  'POST /api/user/login/2fa': 'the sign-in itself is recorded, and wrong codes are',
  'POST /api/user/passkey/login/begin': 'begins; the end is recorded',
  'POST /api/user/passkey/login/finish': 'the sign-in itself is recorded',
  'POST /api/user/2fa/setup': 'begins; the end is recorded',
  'POST /api/user/passkey/register/begin': 'begins; the end is recorded',
  'POST /api/user/passkey/verify/begin': 'begins; the end is recorded',
  'PUT /api/user/passkey/:id': 'of no weight',
  'PUT /api/user/self/language': 'of no weight',
  'POST /api/user/aff_transfer': 'the books and the log have it',
  'POST /api/user/topup': 'the books and the log have it',
  'POST /api/user/pay': 'the order has it, and the books when it is paid',
  'POST /api/user/amount': 'changes nothing',
  'POST /api/user/stripe/pay': 'the order has it, and the books when it is paid',
  'POST /api/user/stripe/amount': 'changes nothing',
  'POST /api/oauth/bind/:provider': 'begins; the end is recorded',
  'POST /api/custom-oauth-provider/discovery': 'changes nothing',
  'POST /api/team/invitation/look': 'changes nothing',
  'POST /api/team/invitation/decline': 'nobody joins',
  'POST /api/channel/fetch_models': 'changes nothing',
  'POST /api/channel/preview': 'changes nothing',
  'POST /api/channel/test': 'changes nothing',
  'POST /api/routing/explain': 'changes nothing',
  'POST /api/routing/replay': 'changes nothing',
  'POST /api/setup/rehearse': 'changes nothing',
  'DELETE /api/routing/replay/:replay': 'changes nothing that is kept',
  'POST /api/prices/rehearsal': 'changes nothing',
  'DELETE /api/prices/rehearsal/:rehearsal': 'changes nothing that is kept',
  'POST /api/reconciliation/preview': 'changes nothing',
  'DELETE /api/reconciliation/fetch/:fetch': 'changes nothing that is kept',
  'POST /api/channel/test/stop': 'changes nothing that is kept',
};

describe('the access table', () => {
  it('has an audit action, or the reason for none, for every call that changes something', () => {
    const silent = declared
      .filter(({ method, audit }) => method !== 'GET' && audit === undefined)
      .map(({ method, path }) => `${method} ${path}`);
    expect(silent.toSorted()).toEqual(Object.keys(unaudited).toSorted());
  });

  it('is this: every declared call, and the access of each role', async () => {
    const lines: string[] = [];
    for (const route of declared) {
      const cells: string[] = [];
      for (const name of Object.keys(roles))
        cells.push(`${name}:${await ask(route.method, addressOf(route), name)}`);
      const only = route.reauthenticateFor ? `(${route.reauthenticateFor.join(',')})` : '';
      const again = route.reauthenticate ? ` again:${route.reauthenticate}${only}` : '';
      lines.push(
        `${route.method.padEnd(6)} ${route.path.padEnd(36)} ${cells.join(' ')} demo:${worksInDemo(route) ? 'yes' : 'no'} token:${leastScope(route)}${again}`,
      );
    }
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('access-table.golden.txt');
  });

  it('admits exactly the roles at or above the declared level', async () => {
    const wrong: string[] = [];
    for (const route of declared) {
      for (const [name, value] of Object.entries(roles)) {
        const admitted = (await ask(route.method, addressOf(route), name)) === 'yes';
        if (admitted !== value >= accessRole[route.access satisfies Access])
          wrong.push(`${name} ${route.path}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('admits nothing that changes something or sends a mail from another site, nor counts it for its visitors', async () => {
    const agent = createAgent(app);
    const escaped: string[] = [];
    for (const route of declared.filter(({ method, critical }) => method !== 'GET' || critical)) {
      for (const from of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
        const payload = route.method === 'GET' ? {} : { payload: {} };
        const reply = await agent.send({
          method: route.method,
          url: addressOf(route),
          headers: { ...from, authorization: 'root', 'new-api-user': '7' },
          ...payload,
        });
        if (reply.body.code !== 'cross_site') escaped.push(`${route.method} ${route.path}`);
      }
    }
    expect(escaped).toEqual([]);
    expect(counted).not.toContain('critical');
  });

  it('refuses on a demo site exactly what its own column says, root too, and nothing more', async () => {
    isDemo = true;
    const wrong: string[] = [];
    for (const route of declared) {
      const refused = (await ask(route.method, addressOf(route), 'root')) === 'demo_site';
      if (refused === worksInDemo(route)) wrong.push(`${route.method} ${route.path}`);
    }
    expect(wrong).toEqual([]);
    const agent = createAgent(app);
    const reply = await agent.send({ method: 'POST', url: '/api/user/reset', payload: {} });
    expect(reply).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
    expect(reply.body.message).toBe('本站仅作演示之用，无法进行此操作');
    // A caller without any access gets that refusal first.
    expect(await ask('DELETE', '/api/channel/1', 'guest')).toBe('not_logged_in');
  });

  it('has a role for every call about one team; outsiders get 404', async () => {
    const places = { outsider: 0, ...teamRole };
    const lines: string[] = [];
    for (const route of declared.filter(({ path }) => path.startsWith('/api/team/:id'))) {
      const cells: string[] = [];
      for (const [name, value] of Object.entries(places)) {
        place = value;
        cells.push(`${name}:${await ask(route.method, addressOf(route), 'user')}`);
      }
      lines.push(`${route.method.padEnd(6)} ${route.path.padEnd(36)} ${cells.join(' ')}`);
      expect(cells[0]).toBe('outsider:team_not_found');
    }
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('team-access.golden.txt');
  });

  it('has no word where an id belongs: such a path does not exist', async () => {
    const agent = createAgent(app);
    agent.headers = { authorization: 'root', 'new-api-user': '7' };
    // All other slots are ids, whatever their names.
    const words = new Set([
      ':slug',
      ':request',
      ':provider',
      ':session',
      ':rehearsal',
      ':replay',
      ':fetch',
      ':resource',
    ]);
    const withId = declared.flatMap(({ method, path }) =>
      (path.match(/:\w+/g) ?? []).filter((slot) => !words.has(slot)).map((slot) => ({ method, path, slot })),
    );
    expect(withId.length).toBeGreaterThan(10);
    for (const { method, path, slot } of withId) {
      for (const word of ['checkin', '-1', '1.5', '1x', '1e1', '%31x']) {
        const url = path.replace(slot, word).replace(/:\w+/g, '1');
        const reply = await agent.send({ method, url, ...(method !== 'GET' && { payload: {} }) });
        expect(reply.status, `${method} ${url}`).toBe(404);
      }
    }
  });

  it('decides on the path that the router matched, however it is written', async () => {
    for (const url of [
      '/api/option',
      '/api/option/',
      '/api/option/?x=/api/status',
      '/api/option/#/api/status',
    ]) {
      expect(await ask('GET', url, 'user')).toBe('insufficient_role');
    }
    for (const url of [
      '/api//option/',
      '/api/./option/',
      '/API/option/',
      '/api/status/..%2foption/',
      '/api/%6fption/',
    ]) {
      expect(await ask('GET', url, 'user')).not.toBe('yes');
    }
    const spoofed = createAgent(app);
    spoofed.headers = {
      authorization: 'user',
      'new-api-user': '7',
      host: 'gate.example/api/status?',
      'x-forwarded-host': 'a/api/status',
      'x-original-url': '/api/status',
      'x-rewrite-url': '/api/status',
    };
    expect((await spoofed.send({ url: '/api/option/' })).body.code).toBe('insufficient_role');
  });
});
