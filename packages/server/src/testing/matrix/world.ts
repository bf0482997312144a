import { logType, role } from '@tollgate/contract';
import { moneyRoutes, openAutoTopUps, openPlans, openStatements } from '../../boot/money.ts';
import { operatorRoutes } from '../../boot/upkeep.ts';
import type { Probe } from '../../gateway/index.ts';
import { sealCode } from '../../services/money/redemptions/index.ts';
import { alarms, budgets, type Db, identities, plans, redemptions, users } from '../../store/index.ts';
import { addRunningBatch } from '../add-running-batch.ts';
import type { Agent } from '../agent.ts';
import { type House, noMail, openHouse } from '../harness.ts';
import type { Payments } from '../../services/money/payments/index.ts';
import { publicId } from '../../http/console/user/sign-in.ts';

/** A caller, or the owner of a call's objects. */
export interface Person {
  name: string;
  agent: Agent;
  /** 0 for a guest. */
  id: number;
  role: number;
  /** The person's objects, by the ids that calls use. */
  owns: Readonly<Record<OwnedKind, number | string>>;
  /** Texts that occur only in the person's rows. */
  marks: readonly string[];
}

export type OwnedKind =
  | 'user'
  | 'token'
  | 'session'
  | 'request'
  | 'team'
  | 'budget'
  | 'task'
  | 'subscription';
/** Kinds of objects that belong to the site and not to one person. */
export type SiteKind = 'channel' | 'redemption' | 'provider' | 'place' | 'plan';

export interface World {
  house: House;
  people: Readonly<Record<'guest' | 'user' | 'other' | 'admin' | 'peer' | 'root', Person>>;
  site: Readonly<Record<SiteKind, number | string>>;
}

const ranks = { user: role.common, other: role.common, admin: role.admin, peer: role.admin, root: role.root };
const nobodys = { user: 0, token: 0, session: '', request: '', team: 0, budget: 0, task: 0, subscription: 0 };

/** Upstream probes do not depend on permissions, so this one makes no requests. */
const silentProbe = {} as Probe;

/** A site with two users, two administrators and one root. Each has a key, a session, an identity and a call. */
export async function openWorld(env: Readonly<Record<string, string>> = {}): Promise<World> {
  const house = await openHouse({
    // Thousands of calls run here. The changes of each call are reverted, and no data has to survive the process.
    env: { DATABASE_URL: 'sqlite::memory:', ...env },
    routes: (core, people) => [
      ...operatorRoutes(core, silentProbe),
      ...moneyRoutes(
        core,
        {
          payments: {} as Payments,
          autoTopUps: openAutoTopUps(core, { autoTopUpFails: () => undefined }),
          plans: openPlans(core, { planStops: () => undefined }),
          statements: openStatements(core, noMail),
        },
        people,
      ),
    ],
  });
  const guest = { name: 'guest', agent: house.guest, id: 0, role: role.guest, owns: nobodys, marks: [] };
  const entries: [string, Person][] = [];
  for (const [name, rank] of Object.entries(ranks)) entries.push([name, await addPerson(house, name, rank)]);
  const people = { guest, ...Object.fromEntries(entries) } as unknown as World['people'];
  return { house, people, site: await addSiteThings(house, people.root.id) };
}

async function addPerson(house: House, name: string, rank: number): Promise<Person> {
  const { core, people } = house;
  const agent = await house.person(`${name}-mark`, { role: rank, quota: 5_000 });
  const id = agent.userId;
  const { db } = core.store;
  await users.update(db, id, { email: `${name}-mark@mark.example`, aff_code: `${name.slice(0, 3)}9` });
  const owner = { id, group: 'default' };
  const token = await people.tokens.create(owner, newToken(`${name}-mark-key`), `token-${name}`);
  const identity = { provider: 'github', subject: `${name}-mark-subject`, user_id: id, created_time: 1 };
  await identities.add(db, identity);
  const request = `request-of-${name}`;
  const call = { type: logType.consume, user_id: id, username: `${name}-mark`, request_id: request };
  await core.logs.write({ ...call, content: `${name}-mark-call`, token_id: token.id, other: '{}' });
  const team = await people.teams.create(id, `${name}-mark-team`);
  const budget = await budgets.create(db, {
    ...blankBudget,
    name: `${name}-mark-budget`,
    user_id: id,
    set_by: rank >= role.admin ? 'site' : 'own',
  });
  const [session] = await people.auth.sessions.list(id);
  return {
    name,
    agent,
    id,
    role: rank,
    owns: {
      user: id,
      token: token.id,
      session: publicId(session!.id_hash),
      request,
      team: team.id,
      budget,
      task: await addRunningBatch(db, id, `${name}-mark`),
      subscription: await addSubscription(db, id, `${name}-mark`),
    },
    marks: [`${name}-mark`],
  };
}

const planTerms = {
  name_zh: 'Plan',
  name_en: 'Plan',
  price: '1.00',
  currency: 'usd',
  balance_price: 10,
  period: 'month',
  quota: 20,
  user_group: '',
  budget: 0,
  budget_period: 'day',
  created_time: 1,
};

/** A subscription to a plan that is not on offer any more. */
const addSubscription = (db: Db, userId: number, name: string): Promise<number> =>
  plans.subscribe(db, {
    ...planTerms,
    name,
    plan_id: 99,
    user_id: userId,
    paid_by: 'balance',
    state: 'active',
    periods: 1,
    start_time: 1,
    period_end: 4_000_000_000,
    renews: 1,
    former_group: '',
    budget_id: 0,
    page_id: '',
    provider_id: '',
    due_time: 4_000_000_000,
  });

const blankBudget = {
  token_id: 0,
  team_id: 0,
  group: '',
  model: '',
  period: 'week',
  time_zone: 'UTC',
  mode: 'hard',
  amount: 5_000,
  enabled: 1,
  window_start: 0,
  window_end: 1,
  created_time: 1,
};

const newToken = (name: string) => ({
  name,
  expired_time: -1,
  remain_quota: 50,
  unlimited_quota: false,
  model_limits_enabled: false,
  model_limits: '',
  allow_ips: '',
  group: '',
  cross_group_retry: false,
  regions: '',
  no_retention: false,
});

async function addSiteThings({ core }: House, rootId: number): Promise<World['site']> {
  const { db } = core.store;
  const channel = { type: 1, name: 'site channel', key: 'sk-of-the-channel', models: 'm', group: 'default' };
  const [made] = await core.channels.create({ ...blankChannel, ...channel });
  const code = {
    user_id: rootId,
    ...sealCode(core.sealer, 'c0de'.repeat(8)),
    name: 'gift',
    quota: 9,
    created_time: 1,
  };
  await redemptions.create(db, [code]);
  const [row] = (await redemptions.search(db, { keyword: '', offset: 0, limit: 1 })).rows;
  const place = await alarms.addPlace(db, { service: 'Slack', name: 'on call' }, () => '');
  const plan = await plans.create(db, { ...planTerms, hidden: 0 });
  return { channel: made!.id, redemption: row!.id, provider: 'nowhere', place, plan };
}

const blankChannel = {
  openai_organization: '',
  test_model: '',
  status: 1,
  weight: 0,
  base_url: '',
  other: '',
  model_mapping: '',
  status_code_mapping: '',
  priority: 0,
  auto_ban: 1,
  tag: 'tagged',
  setting: '',
  param_override: '',
  header_override: '',
  header_secrets_sealed: null,
  max_input_tokens: 0,
  remark: '',
};
