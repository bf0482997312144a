import { users } from '../../store/index.ts';
import {
  auditApi,
  type AuditPage,
  budgetApi,
  type BudgetData,
  maxBudgets,
  role,
  teamApi,
  type TeamData,
  teamRole,
  teamTokenApi,
  type TeamTokenData,
  tokenApi,
  userApi,
} from '@tollgate/contract';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Agent } from '../../testing/agent.ts';
import type { House } from '../../testing/harness.ts';
import { join, openTeam, openTeamHouse } from '../../testing/teams/team-house.ts';

let house: House;
let root: Agent;
let admin: Agent;
let manager: Agent;
let member: Agent;
let outsider: Agent;
let team: TeamData;
let teamKey: number;
let ownKey: number;

beforeEach(async () => {
  house = await openTeamHouse();
  root = await house.person('boss', { role: role.root });
  admin = await house.person('admin', { role: role.admin });
  manager = await house.person('manager', { quota: 500 });
  member = await house.person('member');
  outsider = await house.person('outsider');
  team = await openTeam(manager);
  await join(manager, team.id, member, teamRole.member);
  const made = await member.must(teamTokenApi.create, { id: team.id, name: 'key', unlimited_quota: true });
  teamKey = (made as TeamTokenData).id;
  await outsider.must(tokenApi.create, { name: 'own', unlimited_quota: true });
  const keys = await house.core.store.db
    .selectFrom('tokens')
    .select('id')
    .where('user_id', '=', outsider.userId)
    .execute();
  ownKey = keys[0]!.id;
});
afterEach(async () => {
  expect(await house.findings()).toEqual([]);
  await house.close();
});

const weekly = { name: 'weekly', period: 'week' as const, amount: 500 };
const outcome = async (call: Promise<{ body: { code?: string; success?: boolean } }>): Promise<string> => {
  const { body } = await call;
  return body.success ? 'done' : String(body.code);
};
const create = (agent: Agent, conditions: object) =>
  outcome(agent.call(budgetApi.create, { ...weekly, ...conditions }));
const listed = async (agent: Agent, scope: object = {}) =>
  ((await agent.must(budgetApi.list, scope)) as BudgetData[]).map(({ id, may_change: mayChange }) => [
    id,
    mayChange,
  ]);

it('is set by administrators for all, by managers in their organisation, by people for themselves and their keys', async () => {
  const own = { token_id: ownKey };
  const self = { user_id: outsider.userId };
  const mate = { team_id: team.id, user_id: member.userId };
  const whole = { team_id: team.id };
  const key = { token_id: teamKey };
  const group = { group: 'default' };
  const who = { admin, manager, member, outsider };
  const allowed: Record<keyof typeof who, object[]> = {
    admin: [own, self, mate, whole, key, group, {}],
    manager: [mate, whole, key],
    member: [key],
    outsider: [own, self],
  };
  for (const [name, agent] of Object.entries(who))
    for (const conditions of allowed.admin) {
      const isAllowed = allowed[name as keyof typeof who].includes(conditions);
      expect([name, conditions, await create(agent, conditions)]).toEqual([
        name,
        conditions,
        isAllowed ? 'done' : 'insufficient_role',
      ]);
    }
  expect(await create(admin, { user_id: root.userId })).toBe('cannot_edit_peer');
  expect(await create(root, { user_id: admin.userId })).toBe('done');
  expect((await house.guest.call(budgetApi.create, weekly)).status).toBe(401);
});

it('is changed and deleted by those who rank with who set it, and seen by those whom it is about', async () => {
  const set = async (agent: Agent, conditions: object) =>
    (await agent.must(budgetApi.create, { ...weekly, ...conditions })) as BudgetData;
  const mate = { team_id: team.id, user_id: member.userId };
  const [ofSite, ofTeam, ofMember] = [
    await set(admin, mate),
    await set(manager, mate),
    await set(member, { token_id: teamKey }),
  ];
  const may = { admin: [true, true, true], manager: [false, true, true], member: [false, false, true] };
  for (const [name, agent] of Object.entries({ admin, manager, member }))
    for (const [index, budget] of [ofSite, ofTeam, ofMember].entries())
      expect([
        name,
        index,
        await outcome(agent.call(budgetApi.update, { id: budget.id, amount: 700 })),
      ]).toEqual([name, index, may[name as keyof typeof may][index] ? 'done' : 'row_not_found']);
  expect(await listed(member)).toEqual([
    [ofSite.id, false],
    [ofTeam.id, false],
    [ofMember.id, true],
  ]);
  expect(await listed(manager, { team_id: team.id })).toEqual([
    [ofSite.id, false],
    [ofTeam.id, true],
  ]);
  expect(await listed(outsider, { team_id: team.id })).toEqual([]);
  expect(await listed(outsider, { token_id: teamKey })).toEqual([]);
  expect(await outcome(member.call(budgetApi.remove, { id: ofTeam.id }))).toBe('row_not_found');
  expect(await outcome(manager.call(budgetApi.remove, { id: ofTeam.id }))).toBe('done');
  expect(await outcome(manager.call(budgetApi.remove, { id: ofTeam.id }))).toBe('row_not_found');
});

it('is listed with the name of what it limits, by group, and by how full it is', async () => {
  for (const [conditions, amount] of [
    [{ token_id: ownKey }, 0],
    [{ user_id: outsider.userId }, 500],
    [{ group: 'default' }, 500],
  ] as const)
    await admin.must(budgetApi.create, { ...weekly, ...conditions, amount });
  const subjects = async (agent: Agent, scope: object) =>
    ((await agent.must(budgetApi.list, scope)) as BudgetData[]).map(({ subject }) => subject);
  expect(await subjects(admin, {})).toEqual(['own', 'outsider', 'default']);
  expect(await subjects(outsider, {})).toEqual(['own', 'outsider']);
  expect(await subjects(admin, { group: 'default' })).toEqual(['default']);
  expect(await subjects(outsider, { group: 'default' })).toEqual([]);
  expect(await subjects(outsider, { near: 80 })).toEqual(['own']);
  await house.core.store.db.updateTable('budgets').set({ amount: 0 }).where('amount', '=', 500).execute();
  expect(await subjects(admin, { near: 80 })).toEqual(['own', 'outsider', 'default']);
});

it('that is nearly used up is shown to those who manage the member, the organisation or its key', async () => {
  const conditions = [
    { team_id: team.id, user_id: member.userId },
    { team_id: team.id },
    { token_id: teamKey },
  ];
  for (const each of conditions) await admin.must(budgetApi.create, { ...weekly, ...each, amount: 0 });
  const near = async (agent: Agent) =>
    ((await agent.must(budgetApi.list, { near: 80 })) as BudgetData[]).map(({ subject }) => subject);
  expect(await near(manager)).toEqual(['member', team.name, 'key']);
  expect(await near(member)).toEqual(['member', 'key']);
  expect(await near(outsider)).toEqual([]);
});

it('applies as soon as it is made, and shows the window of now', async () => {
  const made = (await outsider.must(budgetApi.create, {
    ...weekly,
    period: 'day',
    token_id: ownKey,
    time_zone: 'Asia/Shanghai',
  })) as BudgetData;
  // The clock is at 08:00 in Shanghai. The window starts at midnight there.
  const midnight = Date.UTC(2026, 10, 20, 16) / 1_000;
  expect(made).toMatchObject({ window_start: midnight, window_end: midnight + 86_400, used: 0, held: 0 });
  const call = { tokenId: ownKey, userId: outsider.userId, teamId: 0, group: 'default', model: 'm' };
  const { budgetRules } = house.core;
  expect(budgetRules.of?.(call)).toEqual([made.id]);
  expect(budgetRules.of?.({ ...call, tokenId: teamKey })).toBeUndefined();
  house.time.ms += 86_400_000;
  const [now] = (await outsider.must(budgetApi.list, { token_id: ownKey })) as BudgetData[];
  expect(now).toMatchObject({ window_start: midnight + 86_400, used: 0 });
  await outsider.must(budgetApi.update, { id: made.id, enabled: false });
  expect(budgetRules.of?.(call)).toBeUndefined();
  await outsider.must(budgetApi.update, { id: made.id, enabled: true });
  await outsider.must(budgetApi.remove, { id: made.id });
  expect(budgetRules.of).toBeUndefined();
});

it('slides if asked for, and shows and lists what counts now', async () => {
  const terms = { ...weekly, period: 'hour' as const, sliding: true, token_id: ownKey, shares: [80] };
  const made = (await outsider.must(budgetApi.create, terms)) as BudgetData;
  const now = house.time.ms / 1_000;
  const view = { sliding: true, used: 0, window_start: now - 3_600, window_end: now + 3_600 };
  expect(made).toMatchObject(view);
  const part = now - (now % 300);
  await house.core.store.db
    .updateTable('budgets')
    .set({ used: 450, parts: `${part - 1_800}:400,${part}:50` })
    .where('id', '=', made.id)
    .execute();
  const read = async (scope: object) =>
    ((await outsider.must(budgetApi.list, scope)) as BudgetData[]).map(({ used, window_end }) => [
      used,
      window_end - part,
    ]);
  expect(await read({ near: 80 })).toEqual([[450, 2_100]]);
  house.time.ms = (part + 2_100) * 1_000;
  expect(await read({ token_id: ownKey })).toEqual([[50, 3_900]]);
  expect(await read({ near: 80 })).toEqual([]);
  await outsider.must(budgetApi.remove, { id: made.id });
});

it('counts tokens if asked for, and then warns of each minute only if that is declared', async () => {
  const terms = { ...weekly, period: 'minute' as const, unit: 'tokens' as const, token_id: ownKey };
  const made = (await outsider.must(budgetApi.create, terms)) as BudgetData;
  const start = Math.floor(house.time.ms / 60_000) * 60;
  const view = { unit: 'tokens', shares: [], window_start: start, window_end: start + 60 };
  expect(made).toMatchObject(view);
  expect(house.core.budgetRules.inTokens.has(made.id)).toBe(true);
  const declared = (await outsider.must(budgetApi.create, { ...terms, shares: [90] })) as BudgetData;
  expect(declared.shares).toEqual([90]);
  for (const { id } of [made, declared]) await outsider.must(budgetApi.remove, { id });
});

it('is refused where it makes no sense, or there are too many', async () => {
  const own = { token_id: ownKey };
  expect(await create(outsider, { ...own, time_zone: 'Nowhere' })).toBe('invalid_parameter');
  expect(await create(outsider, { ...own, group: 'no such group' })).toBe('group_unknown');
  expect(await create(outsider, { ...own, period: 'term', until: 1 })).toBe('redemption_expiry_past');
  expect(await create(admin, { token_id: 99_999 })).toBe('row_not_found');
  expect(await create(admin, { team_id: 99_999 })).toBe('row_not_found');
  expect(await create(outsider, { ...own, period: 'sliding' })).toBe('invalid_input');
  const term = { ...own, period: 'term', until: 4_000_000_000 };
  expect(await create(outsider, { ...term, sliding: true })).toBe('invalid_parameter');
  for (let n = 0; n < maxBudgets; n += 1)
    expect(await create(outsider, { ...own, model: `m-${n}` })).toBe('done');
  expect(await create(outsider, own)).toBe('budget_limit_reached');
});

it('is recorded in the audit log with what changed', async () => {
  const made = (await admin.must(budgetApi.create, { ...weekly, user_id: member.userId })) as BudgetData;
  await admin.must(budgetApi.update, { id: made.id, amount: 900, name: 'more' });
  await admin.must(budgetApi.remove, { id: made.id });
  const { items } = (await root.must(auditApi.list, { kind: 'budget' })) as AuditPage;
  expect(items.map(({ kind, target_id }) => [kind, target_id])).toEqual([
    ['budget.delete', String(made.id)],
    ['budget.update', String(made.id)],
    ['budget.create', String(made.id)],
  ]);
});

it('of a run is read with its sub-runs by its owner and administrators above, and stops or limits it', async () => {
  const { runs } = house.core;
  await runs.enter(outsider.userId, { path: 'nightly/search', amount: 500, calls: 9 });
  await runs.enter(outsider.userId, { path: 'nightly/search/web' });
  const above = (await users.find(house.core.store.db, root.userId))!.username;
  await runs.enter(root.userId, { path: 'nightly' });
  const read = async (agent: Agent, asked: object) =>
    ((await agent.must(budgetApi.runs, asked)) as BudgetData[]).map(
      ({ run, mode, amount, max_calls: calls }) => [run, mode, amount, calls],
    );
  const all = [
    ['nightly', 'soft', 0, 1_000_000],
    ['nightly/search', 'hard', 500, 9],
    ['nightly/search/web', 'soft', 0, 1_000_000],
  ];
  expect(await read(outsider, { run: 'nightly' })).toEqual(all);
  expect(await read(admin, { run: 'nightly', username: 'outsider' })).toEqual(all);
  expect(await read(outsider, {})).toEqual(all.slice(0, 1));
  expect(await read(admin, { run: 'nightly' })).toEqual([]);
  expect(await outcome(admin.call(budgetApi.runs, { username: above }))).toBe('cannot_edit_peer');
  expect(await outcome(member.call(budgetApi.runs, { username: 'outsider' }))).toBe('row_not_found');
  expect(await listed(outsider)).toEqual([]);
  const [nightly] = (await outsider.must(budgetApi.runs, { run: 'nightly' })) as BudgetData[];
  expect(await outcome(member.call(budgetApi.update, { id: nightly!.id, amount: 1 }))).toBe('row_not_found');
  const changed = await outsider.must(budgetApi.update, { id: nightly!.id, amount: 700, max_calls: 5 });
  expect(changed).toMatchObject({ mode: 'hard', amount: 700, max_calls: 5, period: 'run' });
  await outsider.must(budgetApi.update, { id: nightly!.id, enabled: false });
  await expect((async () => runs.enter(outsider.userId, { path: 'nightly/search' }))()).rejects.toMatchObject(
    {
      code: 'run_ended',
    },
  );
  const plain = (await outsider.must(budgetApi.create, {
    ...weekly,
    user_id: outsider.userId,
  })) as BudgetData;
  expect(await outcome(outsider.call(budgetApi.update, { id: plain.id, max_calls: 5 }))).toBe(
    'invalid_parameter',
  );
});

it('that only warns has shares, which a lower amount may reach; it may become a limit', async () => {
  const soft = { ...weekly, user_id: outsider.userId, mode: 'soft' as const, shares: [100, 60, 60] };
  const made = (await admin.must(budgetApi.create, soft)) as BudgetData;
  expect(made).toMatchObject({ mode: 'soft', shares: [60, 100] });
  expect((await admin.call(budgetApi.create, { ...soft, shares: [0] })).body.success).toBe(false);
  const { db } = house.core.store;
  await db.updateTable('budgets').set({ used: 70 }).where('id', '=', made.id).execute();
  const shares = async () =>
    (await db.selectFrom('budget_warnings').select('share').orderBy('share').execute()).map(
      ({ share }) => share,
    );
  const change = (fields: object) => admin.must(budgetApi.update, { id: made.id, ...fields });
  expect(await change({ amount: 117 })).toMatchObject({ mode: 'soft', shares: [60, 100] });
  expect(await shares()).toEqual([]);
  await change({ amount: 116 });
  expect(await shares()).toEqual([60]);
  expect(await change({ amount: 70, mode: 'hard', shares: [50, 100] })).toMatchObject({
    mode: 'hard',
    shares: [50, 100],
  });
  expect(await shares()).toEqual([50, 60, 100]);
  await db.updateTable('budgets').set({ used: 0 }).where('id', '=', made.id).execute();
});

it('of a run that an organisation paid first is seen by its managers, like the calls', async () => {
  const { runs } = house.core;
  await runs.enter(member.userId, { path: 'ours/part', teamId: team.id });
  await runs.enter(member.userId, { path: 'private' });
  const asked = { username: 'member' };
  const read = async (agent: Agent, scope: object) =>
    ((await agent.must(budgetApi.runs, scope)) as BudgetData[]).map((row) => [row.run, row.may_change]);
  expect(await read(manager, asked)).toEqual([['ours', true]]);
  expect(await read(manager, { ...asked, run: 'ours' })).toEqual([
    ['ours', true],
    ['ours/part', true],
  ]);
  expect(await read(manager, { ...asked, run: 'private' })).toEqual([]);
  expect(await read(member, { run: 'ours' })).toHaveLength(2);
  const manages = { username: 'manager' };
  expect(await outcome(member.call(budgetApi.runs, manages))).toBe('row_not_found');
  expect(await outcome(outsider.call(budgetApi.runs, asked))).toBe('row_not_found');
  await member.must(teamApi.leave, { id: team.id });
  expect(await outcome(manager.call(budgetApi.runs, asked))).toBe('row_not_found');
});

it('of keys that a key has made is listed by that key, while they may call', async () => {
  const { runs } = house.core;
  const key = { hash: 'h', hint: 'runA…xyz1', maker: { id: ownKey, name: 'own' } };
  const end = await runs.open(outsider.userId, { path: 'made', amount: 500, ttl: 60 }, key);
  const read = async (agent: Agent) =>
    (await agent.must(budgetApi.runs, { token_id: ownKey })) as BudgetData[];
  expect(await read(outsider)).toMatchObject([
    { run: 'made', subject: 'own', key_hint: 'runA…xyz1', window_end: end, may_change: true },
  ]);
  expect(JSON.stringify(await read(admin))).not.toContain('"h"');
  expect(await outcome(member.call(budgetApi.runs, { token_id: ownKey }))).toBe('row_not_found');
  house.time.ms += 61_000;
  expect(await read(outsider)).toEqual([]);
});

it('that sends calls to a cheaper model names it, and no other budget does', async () => {
  const base = { ...weekly, user_id: outsider.userId };
  const instead = 'gpt-4o-mini';
  for (const wrong of [{ mode: 'cheaper' }, { mode: 'hard', instead }, { mode: 'soft', instead }] as const)
    expect(await outcome(admin.call(budgetApi.create, { ...base, ...wrong }))).toBe('invalid_parameter');
  const made = (await admin.must(budgetApi.create, { ...base, mode: 'cheaper', instead })) as BudgetData;
  expect(made).toMatchObject({ mode: 'cheaper', instead });
  const change = (fields: object) => admin.call(budgetApi.update, { id: made.id, ...fields });
  expect((await change({ amount: 3 })).body.data).toMatchObject({ mode: 'cheaper', instead, amount: 3 });
  expect(await outcome(change({ instead: '' }))).toBe('invalid_parameter');
  expect((await change({ mode: 'hard' })).body.data).toMatchObject({ mode: 'hard', instead: '' });
  expect(await outcome(change({ mode: 'cheaper' }))).toBe('invalid_parameter');
  expect((await change({ mode: 'cheaper', instead: 'x' })).body.data).toMatchObject({
    mode: 'cheaper',
    instead: 'x',
  });
});

it('declared for each new user or member is given to them, and limits their first call', async () => {
  const each = (agent: Agent, conditions: object) =>
    outcome(agent.call(budgetApi.create, { ...weekly, ...conditions }));
  const [user, member_] = [{ for_each: 'user' }, { for_each: 'member' }];
  expect(await each(manager, user)).toBe('insufficient_role');
  expect(await each(manager, member_)).toBe('insufficient_role');
  expect(await each(manager, { ...member_, team_id: team.id, name: 'of the team', amount: 70 })).toBe('done');
  expect(await each(admin, { ...user, team_id: team.id })).toBe('invalid_parameter');
  expect(await each(admin, { ...user, user_id: outsider.userId })).toBe('invalid_parameter');
  expect(await each(admin, { ...user, shares: [70], mode: 'soft', sliding: true })).toBe('done');
  expect(await each(admin, { ...member_, name: 'of the site', model: 'gpt*' })).toBe('done');
  const before = await listed(admin);

  await admin.must(userApi.create, { username: 'newcomer', password: 'a good password', display_name: '' });
  const newcomer = (await users.findByName(house.core.store.db, 'newcomer'))!;
  const own = (await admin.must(budgetApi.list, { user_id: newcomer.id })) as BudgetData[];
  expect(own).toMatchObject([
    {
      name: 'weekly',
      for_each: '',
      amount: 500,
      mode: 'soft',
      shares: [70],
      sliding: true,
      team_id: 0,
      set_by: 'default',
      used: 0,
    },
  ]);
  const rulesOf = (call: object) =>
    house.core.budgetRules.of?.({
      tokenId: 0,
      userId: 0,
      teamId: 0,
      group: 'default',
      model: 'gpt-4o',
      ...call,
    });
  expect(rulesOf({ userId: newcomer.id })).toEqual([own[0]!.id]);
  expect(rulesOf({ userId: member.userId, teamId: team.id }), 'only new ones').toBeUndefined();

  await join(manager, team.id, outsider, teamRole.member);
  const scope = { user_id: outsider.userId, team_id: team.id };
  const ofMember = (await manager.must(budgetApi.list, scope)) as BudgetData[];
  expect(ofMember.map(({ name, set_by, may_change }) => [name, set_by, may_change])).toEqual([
    ['of the team', 'team', true],
    ['of the site', 'default', false],
  ]);
  expect(rulesOf({ userId: outsider.userId, teamId: team.id })).toEqual(ofMember.map(({ id }) => id));
  expect(rulesOf({ userId: outsider.userId })).toBeUndefined();
  expect(await listed(admin)).toHaveLength(before.length + 3);

  await manager.must(teamApi.removeMember, { id: team.id, user_id: outsider.userId });
  await join(manager, team.id, outsider, teamRole.member);
  expect(await manager.must(budgetApi.list, scope), 'who returns keeps theirs').toHaveLength(2);
});
