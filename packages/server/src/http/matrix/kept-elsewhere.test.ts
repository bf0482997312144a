import {
  channelApi,
  type ChannelData,
  signInProviderApi,
  selfApi,
  teamApi,
  teamTokenApi,
  tokenApi,
  type CallOf,
  type Route,
} from '@tollgate/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { costsMark } from '../../services/money/costs/index.ts';
import { channelsMark } from '../../services/calls/channels/index.ts';
import { signInProvidersMark } from '../../services/people/oauth/index.ts';
import { findStoredToken } from '../../services/people/tokens/index.ts';
import { changeMarks, channelCosts, options, signInProviders } from '../../store/index.ts';
import type { Agent } from '../../testing/agent.ts';
import { testPassword } from '../../testing/harness.ts';
import { declared, elsewhere, inputOf, isWrite, nameOf, objectOf } from '../../testing/matrix/calls.ts';
import { changedRows, readRows, restoreRows, type Rows } from '../../testing/matrix/rows.ts';
import { openWorld, type OwnedKind, type Person, type World } from '../../testing/matrix/world.ts';
import { join } from '../../testing/teams/team-house.ts';
import { startOpenidProvider } from '../../testing/upstream/sign-in/openid-provider.ts';

// Every process keeps keys, users' settings, options, channels, costs and providers in memory. This test makes each
// console call that changes something. Every change to data that other processes keep must be marked.

let world: World;
let start: Rows;
/** Calls that changed data that other processes keep. */
const changedByCall = new Map<string, string[]>();

beforeAll(async () => {
  world = await openWorld();
  start = await readRows(world);
});
afterAll(() => world.house.close());

/** An object that processes keep in memory: its content in the database, and the marks, any of which announces a change. */
interface Kept {
  text: string;
  marks: string[];
}

/** The columns of a user that processes keep in addition to those of the keys. */
const keptOfPeople = ['username', 'email', 'setting', 'status', 'role', 'group', 'deleted_at'] as const;

async function keptThings(): Promise<Map<string, Kept>> {
  const { core } = world.house;
  const { db } = core.store;
  const kept = new Map<string, Kept>();
  const limits = { turn: async ({ limit_period: period }: { limit_period: string }) => period.length };
  for (const { id, key_hash: hash } of await db.selectFrom('tokens').select(['id', 'key_hash']).execute()) {
    const token = await findStoredToken(db, limits, hash);
    if (!token) continue;
    const marks = [`token:${id}`, `user:${token.owner.id}`, ...(token.team ? [`team:${token.team.id}`] : [])];
    // The remaining quota is read from the ledger at each call.
    kept.set(`token ${id}`, { text: JSON.stringify({ ...token, remainQuota: 0 }), marks });
  }
  for (const user of await db.selectFrom('users').selectAll().execute()) {
    const text = JSON.stringify(keptOfPeople.map((name) => user[name]));
    kept.set(`user ${user.id}`, { text, marks: [`user:${user.id}`] });
  }
  const whole: readonly [string, unknown][] = [
    ['options', await options.all(db)],
    [channelsMark, await core.channels.loadAll()],
    [
      costsMark,
      (await channelCosts.all(db)).flatMap((row) => (row.rule === '' ? [] : [[row.channel_id, row.rule]])),
    ],
    [signInProvidersMark, await signInProviders.all(db)],
  ];
  for (const [mark, rows] of whole) kept.set(mark, { text: JSON.stringify(rows), marks: [mark] });
  return kept;
}

/** Makes a call, and returns its changes without a mark for other processes. */
async function unmarked(name: string, call: () => Promise<unknown>): Promise<string[]> {
  const { db } = world.house.core.store;
  const before = await keptThings();
  const version = await changeMarks.latest(db);
  await call();
  const marks = new Set((await changeMarks.since(db, version)).names);
  const after = await keptThings();
  const changed = [...before].filter(([thing, { text }]) => after.get(thing)?.text !== text);
  changedByCall.set(name, [...(changedByCall.get(name) ?? []), ...changed.map(([thing]) => thing)]);
  if (changedRows(start, await readRows(world)).length > 0) await restoreRows(world, start);
  return changed
    .filter((entry) => !entry[1].marks.some((mark) => marks.has(mark)))
    .map(([thing]) => `${name} changed ${thing}`);
}

/** The object that a caller may change with a call, as the contract names it. */
function objectFor(route: Route, caller: Person): number | string | undefined {
  const kind = objectOf(route)?.kind;
  if (kind === undefined) return undefined;
  const { people, site } = world;
  if (kind === 'user') return people.other.id;
  if (kind === 'team') return (route.path.startsWith('/api/team/all/') ? people.other : caller).owns.team;
  return kind in site ? site[kind as 'channel'] : caller.owns[kind as OwnedKind];
}

const send = (route: Route, caller: Agent, input: Record<string, unknown>): Promise<unknown> =>
  caller.call(route, input as CallOf<Route>, ...(route.reauthenticate ? [{ password: testPassword }] : []));

const writes = declared.filter(isWrite);
const plain = writes.filter((route) => !(nameOf(route) in elsewhere));

it.each(plain.map((route) => [nameOf(route), route] as const))('%s', async (name, route) => {
  const { root, user } = world.people;
  for (const caller of [root, user]) {
    const input = inputOf(route, objectFor(route, caller));
    expect(await unmarked(name, () => send(route, caller.agent, input))).toEqual([]);
  }
});

/** Calls that need more than the initial data: the preparation, and the call. */
type Prepared = () => Promise<() => Promise<unknown>>;
const must = <R extends Route>(agent: Agent, route: R, input: CallOf<R>) =>
  agent.must(route, input, { password: testPassword });

/** A team with one more member, who has a team key. */
async function teamOfTwo(): Promise<{ id: number; owner: Agent; member: Agent; token: number }> {
  const { user, other } = world.people;
  const id = Number(user.owns.team);
  await join(user.agent, id, other.agent);
  const made = await other.agent.must(teamTokenApi.create, { id, name: 'of the team' });
  return { id, owner: user.agent, member: other.agent, token: (made as { id: number }).id };
}

const company = {
  id: 'gate',
  secret: 'the secret of the gate',
  redirectUri: 'https://gate.example/oauth/corp',
};
async function provider() {
  const openid = await startOpenidProvider(company);
  const input = {
    slug: 'corp',
    name: 'Corp',
    well_known: openid.wellKnown,
    client_id: company.id,
    client_secret: company.secret,
  };
  const { agent } = world.people.root;
  return { openid, agent, create: () => must(agent, signInProviderApi.create, input) };
}

const prepared: Readonly<Record<string, Prepared>> = {
  'POST /api/team/:id/owner': async () => {
    const { id, owner } = await teamOfTwo();
    return () => must(owner, teamApi.handOver, { id, user_id: world.people.other.id });
  },
  'POST /api/team/:id/leave': async () => {
    const { id, member } = await teamOfTwo();
    return () => must(member, teamApi.leave, { id });
  },
  'PUT /api/team/:id/member': async () => {
    const { id, owner } = await teamOfTwo();
    const limit = { period: 'month' as const, quota: 5 };
    return () => must(owner, teamApi.changeMember, { id, user_id: world.people.other.id, limit });
  },
  'DELETE /api/team/:id/member/:user_id': async () => {
    const { id, owner } = await teamOfTwo();
    return () => must(owner, teamApi.removeMember, { id, user_id: world.people.other.id });
  },
  'PUT /api/team/:id/token/:token': async () => {
    const { id, member, token } = await teamOfTwo();
    return () => must(member, teamTokenApi.update, { id, token, status: 2, status_only: true });
  },
  'DELETE /api/team/:id/token/:token': async () => {
    const { id, member, token } = await teamOfTwo();
    return () => must(member, teamTokenApi.remove, { id, token });
  },
  'POST /api/channel/multi_key/manage': async () => {
    const { agent } = world.people.root;
    const form = {
      mode: 'multi_to_single' as const,
      type: 1,
      name: 'several',
      key: 'sk-a\nsk-b',
      models: 'm',
    };
    const [made] = (await must(agent, channelApi.create, form)) as ChannelData[];
    return () =>
      must(agent, channelApi.manageKeys, { channel_id: made!.id, action: 'delete_key', key_index: 0 });
  },
  'DELETE /api/user/self': async () => {
    const alone = await world.house.person('alone', { quota: 5 });
    await alone.must(tokenApi.create, { name: 'mine' });
    return () => must(alone, selfApi.remove, {});
  },
  'POST /api/custom-oauth-provider/': async () => {
    const { openid, create } = await provider();
    return async () => {
      await create();
      await openid.close();
    };
  },
  'PUT /api/custom-oauth-provider/:slug': async () => {
    const { agent } = world.people.root;
    return () => must(agent, signInProviderApi.update, { slug: 'corp', name: 'Corporation' });
  },
  'DELETE /api/custom-oauth-provider/:slug': async () => {
    const { agent } = world.people.root;
    return () => must(agent, signInProviderApi.remove, { slug: 'corp', bindings: 0 });
  },
};

it.each(Object.entries(prepared))('%s, which needs more', async (name, prepare) => {
  const call = await prepare();
  expect(await unmarked(name, call)).toEqual([]);
  expect(changedByCall.get(name), `${name} changed nothing that is kept`).not.toEqual([]);
});

/** Calls that this test cannot make, and the reason why they leave no kept data unmarked. */
const untried: readonly (readonly [RegExp, string])[] = [
  [
    / \/api\/channel\/(test|update_balance|fetch_models)/,
    'switches channels by the function that PUT /api/channel/ uses',
  ],
  [/ \/api\/setup$/, 'saves options and adds people by the functions of calls that are made'],
  [
    / \/api\/(oauth|user\/(2fa|passkey|access_token|login|reset)|reset_password|verification)/,
    'changes how people sign in, which is read each time',
  ],
  [/ \/api\/user\/(pay|amount|stripe|topup|auto_topup|aff_transfer)/, 'moves money alone'],
  [/ \/api\/team\/(:id\/(withdraw|redeem)|:id\/invitation)/, 'moves money, or nothing'],
  [/ \/api\/team\/invitation\//, 'one who joins has no key yet'],
  [/ \/api\/(prices|reconciliation)\//, 'moves money, or nothing'],
  [
    / \/api\/(custom-oauth-provider\/discovery|channel\/preview|routing\/replay|setup\/rehearse)/,
    'keeps nothing',
  ],
  [/ \/api\/team\/:id\/token\/:token$/, 'reads a key'],
  [/ \/api\/log\/:request\/content$/, 'reads texts, and records that it did'],
];

it('every call that is not made is listed', () => {
  const unknown = writes
    .map(nameOf)
    .filter((name) => name in elsewhere && !(name in prepared))
    .filter((name) => !untried.some(([pattern]) => pattern.test(name)));
  expect(unknown).toEqual([]);
});

it('the calls that were made change each kind of stored data', () => {
  const things = [...changedByCall.values()].flat().map((thing) => thing.split(' ', 1)[0]);
  expect(new Set(things)).toEqual(
    new Set(['token', 'user', 'options', channelsMark, costsMark, signInProvidersMark]),
  );
});
