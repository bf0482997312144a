import {
  logApi,
  type LogPage,
  teamAdminApi,
  teamApi,
  type TeamData,
  teamInvitationApi,
  type TeamMemberData,
  teamRecordApi,
  type TeamStatement,
  teamRole,
  teamTokenApi,
  type TeamTokenData,
  tokenApi,
  userApi,
  selfApi,
} from '@tollgate/contract';
import { createRedemptions } from '../../../services/money/redemptions/index.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Agent } from '../../../testing/agent.ts';
import type { House } from '../../../testing/harness.ts';
import { join, openTeam, openTeamHouse } from '../../../testing/teams/team-house.ts';

let house: House;
let owner: Agent;
let manager: Agent;
let member: Agent;
let outsider: Agent;
let team: TeamData;

beforeEach(async () => {
  house = await openTeamHouse();
  owner = await house.person('owner', { quota: 1_000 });
  manager = await house.person('manager', { quota: 500 });
  member = await house.person('member');
  outsider = await house.person('outsider');
  team = await openTeam(owner);
  await join(owner, team.id, manager, teamRole.manager);
  await join(owner, team.id, member);
});
afterEach(async () => {
  expect(await house.findings()).toEqual([]);
  await house.close();
});

const readCode = async (call: Promise<{ body: { code?: string; success?: boolean } }>): Promise<string> => {
  const { body } = await call;
  return body.success ? 'done' : String(body.code);
};
const shown = async (agent: Agent): Promise<TeamData> =>
  (await agent.must(teamApi.get, { id: team.id })) as TeamData;
const members = async (agent = owner): Promise<TeamMemberData[]> =>
  (await agent.must(teamApi.members, { id: team.id })) as TeamMemberData[];
const newKey = async (agent: Agent): Promise<TeamTokenData> =>
  (await agent.must(teamTokenApi.create, {
    id: team.id,
    name: 'key',
    unlimited_quota: true,
  })) as TeamTokenData;
const resolve = (key: string) => house.core.keys.resolve(`Bearer sk-${key}`, '203.0.113.9');
const readBalance = async (agent: Agent): Promise<number> =>
  ((await agent.must(selfApi.get, {})) as { quota: number }).quota;

describe('a team', () => {
  it('is created by any user, who then owns it, within bounds', async () => {
    expect(await outsider.must(teamApi.create, { name: '  Research ' })).toMatchObject({
      name: 'Research',
      role: teamRole.owner,
      group: 'default',
      balance: 0,
      member_count: 1,
    });
    for (let n = 1; n < 20; n += 1) await outsider.must(teamApi.create, { name: `t${n}` });
    expect(await readCode(outsider.call(teamApi.create, { name: 'more' }))).toBe('team_limit_reached');
    for (const name of ['', '   ', 'x'.repeat(41)])
      expect(await readCode(outsider.call(teamApi.create, { name }))).toBe('invalid_input');
  });

  it('is shown to its members with their own role in it, and to no other user', async () => {
    expect(await shown(owner)).toMatchObject({ name: 'Team', role: 3, member_count: 3, owner_name: 'owner' });
    expect(await shown(member)).toMatchObject({ role: 1, limit_period: '', limit_left: null });
    expect(await manager.must(teamApi.list, {})).toMatchObject([{ id: team.id, role: 2 }]);
    expect(await outsider.must(teamApi.list, {})).toEqual([]);
  });

  it('does not exist for outsiders', async () => {
    const calls: [string, (id: number) => ReturnType<Agent['call']>][] = [
      ['get', (id) => outsider.call(teamApi.get, { id })],
      ['rename', (id) => outsider.call(teamApi.rename, { id, name: 'mine' })],
      ['fund', (id) => outsider.call(teamApi.fund, { id, quota: 1 })],
      ['members', (id) => outsider.call(teamApi.members, { id })],
      ['logs', (id) => outsider.call(teamRecordApi.logs, { id })],
      ['statement', (id) => outsider.call(teamRecordApi.statement, { id })],
      ['keys', (id) => outsider.call(teamTokenApi.list, { id })],
      ['invite', (id) => outsider.call(teamInvitationApi.create, { id })],
    ];
    for (const [what, call] of calls) {
      const { request_id: _one, ...real } = (await call(team.id)).body;
      const { request_id: _two, ...none } = (await call(987_654)).body;
      expect(real, what).toEqual(none);
      expect(real.code, what).toBe('team_not_found');
    }
  });

  it('lets each role do what it may', async () => {
    const fund = (agent: Agent) => readCode(agent.call(teamApi.fund, { id: team.id, quota: 1 }));
    const rename = (agent: Agent) => readCode(agent.call(teamApi.rename, { id: team.id, name: 'Other' }));
    const withdraw = (agent: Agent) => readCode(agent.call(teamApi.withdraw, { id: team.id, quota: 1 }));
    const statement = (agent: Agent) => readCode(agent.call(teamRecordApi.statement, { id: team.id }));
    const rows: string[][] = [];
    for (const act of [fund, rename, statement, withdraw])
      rows.push([await act(member), await act(manager), await act(owner)]);
    expect(rows).toEqual([
      ['team_role_insufficient', 'done', 'done'],
      ['team_role_insufficient', 'done', 'done'],
      ['team_role_insufficient', 'done', 'done'],
      ['team_role_insufficient', 'team_role_insufficient', 'done'],
    ]);
  });

  it('protects members of the same rank and above', async () => {
    const second = await house.person('second');
    await join(owner, team.id, second, teamRole.manager);
    const remove = (who: Agent) =>
      readCode(manager.call(teamApi.removeMember, { id: team.id, user_id: who.userId }));
    expect([
      await remove(owner),
      await remove(second),
      await remove(manager),
      await remove(outsider),
    ]).toEqual([
      'team_rank_protected',
      'team_rank_protected',
      'team_rank_protected',
      'team_member_not_found',
    ]);
    const raise = manager.call(teamApi.changeMember, { id: team.id, user_id: member.userId, role: 2 });
    expect(await readCode(raise)).toBe('team_rank_protected');
    const invite = manager.call(teamInvitationApi.create, { id: team.id, role: 2 });
    expect(await readCode(invite)).toBe('team_rank_protected');
    expect(await remove(member)).toBe('done');
  });

  it('is transferred to another member as a whole, and the former owner becomes a manager', async () => {
    const limit = { period: 'total' as const, quota: 5 };
    await owner.must(teamApi.changeMember, { id: team.id, user_id: member.userId, limit });
    await owner.must(teamApi.handOver, { id: team.id, user_id: member.userId });
    expect(await shown(member)).toMatchObject({ role: 3, owner_name: 'member', limit_period: '' });
    expect(await shown(owner)).toMatchObject({ role: 2 });
    const again = owner.call(teamApi.handOver, { id: team.id, user_id: manager.userId });
    expect(await readCode(again)).toBe('team_role_insufficient');
  });
});

describe('the wallet of a team', () => {
  it('is filled from the owner’s wallet and emptied into it, never beyond the balance', async () => {
    expect(await owner.must(teamApi.fund, { id: team.id, quota: 700 })).toBe(700);
    expect(await manager.must(teamApi.fund, { id: team.id, quota: 500 })).toBe(1_200);
    expect([await readBalance(owner), await readBalance(manager)]).toEqual([300, 0]);
    expect(await readCode(owner.call(teamApi.fund, { id: team.id, quota: 301 }))).toBe(
      'balance_insufficient',
    );
    expect(await owner.must(teamApi.withdraw, { id: team.id, quota: 200 })).toBe(1_000);
    expect(await readCode(owner.call(teamApi.withdraw, { id: team.id, quota: 1_001 }))).toBe(
      'balance_insufficient',
    );
    expect(await readBalance(owner)).toBe(500);
  });

  it('accepts redemption codes, which have one winner as everywhere', async () => {
    const root = await house.person('root2', { role: 100 });
    const codes = { name: 'gift', quota: 250, count: 1 };
    const [key] = await createRedemptions({
      db: house.core.store.db,
      clock: house.core.clock,
      audit: house.core.audit,
      sealer: house.core.sealer,
    }).create(root.userId, codes);
    expect(await readCode(member.call(teamApi.redeem, { id: team.id, key }))).toBe('team_role_insufficient');
    expect(await manager.must(teamApi.redeem, { id: team.id, key })).toBe(250);
    expect(await readCode(owner.call(teamApi.redeem, { id: team.id, key }))).toBe('redeem_code_used');
    expect(await shown(owner)).toMatchObject({ balance: 250 });
    expect(await readBalance(manager)).toBe(500);
    const { items } = (await owner.must(teamRecordApi.statement, { id: team.id })) as TeamStatement;
    expect(items).toMatchObject([{ kind: 'redeem', amount: 250, username: 'manager' }]);
  });

  it.each([0, -5, 0.5, null])('moves no %o', async (quota) => {
    const reply = await owner.call(teamApi.fund, { id: team.id, quota: quota as number });
    expect(reply.body).toMatchObject({ success: false, code: 'invalid_input' });
  });

  it('has a monthly statement of what came in and went out', async () => {
    house.time.ms = Date.UTC(2026, 9, 31, 23, 59, 59);
    await owner.must(teamApi.fund, { id: team.id, quota: 400 });
    house.time.ms = Date.UTC(2026, 10, 1);
    await owner.must(teamApi.fund, { id: team.id, quota: 100 });
    await owner.must(teamApi.withdraw, { id: team.id, quota: 30 });
    const of = (month: string) => manager.must(teamRecordApi.statement, { id: team.id, month });
    expect(await of('2026-10')).toMatchObject({ opening: 0, closing: 400, total: 1 });
    expect(await of('')).toMatchObject({
      month: '2026-11',
      opening: 400,
      closing: 470,
      total: 2,
      sums: [{ kind: 'team', amount: 70, count: 2 }],
      items: [
        { amount: -30, kind: 'team', username: 'owner' },
        { amount: 100, kind: 'team' },
      ],
    });
    expect(await of('2026-12')).toMatchObject({ opening: 470, closing: 470, total: 0, items: [] });
  });

  it('returns to the owner when the team is deleted, and its keys stop', async () => {
    await manager.must(teamApi.fund, { id: team.id, quota: 450 });
    const { key } = await newKey(member);
    expect(await resolve(key)).toMatchObject({ kind: 'token' });
    expect(await owner.must(teamApi.remove, { id: team.id })).toBe(450);
    expect(await readBalance(owner)).toBe(1_450);
    expect(await resolve(key)).toMatchObject({ error: 'invalid_api_key' });
    expect(await readCode(owner.call(teamApi.get, { id: team.id }))).toBe('team_not_found');
    expect(await owner.must(teamApi.list, {})).toEqual([]);
  });

  it('stays where it is while a call holds any of it', async () => {
    await owner.must(teamApi.fund, { id: team.id, quota: 300 });
    const { key, id: tokenId } = await newKey(member);
    const found = await resolve(key);
    if (found.kind !== 'token') throw new Error('no token');
    const { ledger } = house.core;
    const held = await ledger.reserve({
      requestId: 'running',
      accountId: found.owner.accountId,
      userId: member.userId,
      tokenId,
      memberId: found.team!.memberId,
      channelId: 0,
      tokenUnlimited: true,
      amount: 100,
      request: '{}',
    });
    await held.durable;
    expect(await readCode(owner.call(teamApi.remove, { id: team.id }))).toBe('team_has_running_calls');
    expect(await shown(owner)).toMatchObject({ balance: 300 });
    expect(await resolve(key)).toMatchObject({ kind: 'token' });
    await ledger.release('running');
    expect(await owner.must(teamApi.remove, { id: team.id })).toBe(300);
  });

  it('keeps its owner’s account from being deleted, and a member who is deleted leaves it', async () => {
    expect(await readCode(owner.call(selfApi.remove, {}, { password: 'correct horse battery' }))).toBe(
      'owns_teams',
    );
    await member.must(selfApi.remove, {}, { password: 'correct horse battery' });
    expect((await members()).map(({ username }) => username)).toEqual(['owner', 'manager']);
  });
});

describe('the log of a team', () => {
  const makeCall = async (agent: Agent, name: string): Promise<void> => {
    const { core } = house;
    const row = { user_id: agent.userId, username: name, type: 2 as const, content: name, team_id: team.id };
    await core.logs.write({ ...row, quota: 7, token_name: 'key', model_name: 'm', request_id: `${name}-1` });
    await core.logs.write({ ...row, team_id: 0, quota: 100, content: 'own' });
  };

  it('shows members their own rows and managers those of all, of this team alone', async () => {
    await makeCall(member, 'member');
    await makeCall(manager, 'manager');
    const rows = async (agent: Agent, filters = {}) =>
      ((await agent.must(teamRecordApi.logs, { id: team.id, ...filters })) as LogPage).items;
    const words = (items: LogPage['items']) => items.map(({ content }) => content).toSorted();
    expect(words(await rows(member))).toEqual(['member']);
    expect(words(await rows(owner))).toEqual(['manager', 'member']);
    expect(words(await rows(owner, { username: 'member' }))).toEqual(['member']);
    expect(await rows(member, { username: 'manager' })).toEqual([]);
    expect(await manager.must(teamRecordApi.logStat, { id: team.id })).toMatchObject({ quota: 14 });
    expect(await member.must(teamRecordApi.logStat, { id: team.id })).toMatchObject({ quota: 7 });
    // A user's own log has all calls of the user, whoever paid, and names the team that paid.
    const own = (await member.must(logApi.ownList, {})) as LogPage;
    expect(own.items.filter(({ type }) => type === 2).map((row) => row.team_id)).toEqual([0, team.id]);
  });
});

describe('keys of a team', () => {
  it('are paid by the team in its group, and are in no list of personal keys', async () => {
    const { id, key, username } = await newKey(member);
    expect(username).toBe('member');
    const found = await resolve(key);
    expect(found).toMatchObject({
      team: { id: team.id, name: 'Team', ownerId: owner.userId },
      owner: { id: member.userId, group: 'default', acceptUnsetPrice: false },
    });
    expect(await member.must(tokenApi.list, {})).toEqual([]);
    expect(await member.must(tokenApi.search, { token: key })).toEqual([]);
    expect(await readCode(member.call(tokenApi.get, { id }))).toBe('row_not_found');
    expect(await readCode(member.call(tokenApi.remove, { id }))).toBe('row_not_found');
  });

  it('are shown in full to their creator, masked to managers, and not to other members', async () => {
    const { id: token, key } = await newKey(member);
    const { id: theirs } = await newKey(manager);
    const get = async (agent: Agent, which: number) =>
      (await agent.call(teamTokenApi.get, { id: team.id, token: which })).body;
    expect((await get(member, token)).data).toMatchObject({ key });
    expect((await get(manager, token)).data).toMatchObject({ key: `${key.slice(0, 4)}…${key.slice(-4)}` });
    expect((await get(member, theirs)).code).toBe('row_not_found');
    expect(await member.must(teamTokenApi.list, { id: team.id })).toMatchObject([{ id: token }]);
    expect(await owner.must(teamTokenApi.list, { id: team.id })).toHaveLength(2);
    const rename = member.call(teamTokenApi.update, { id: team.id, token: theirs, name: 'mine' });
    expect(await readCode(rename)).toBe('row_not_found');
    await manager.must(teamTokenApi.update, { id: team.id, token, status: 2, status_only: true });
    expect(await resolve(key)).toMatchObject({ error: 'token_disabled' });
  });

  it('of another team do not exist in this one', async () => {
    const { id: token } = await newKey(member);
    const other = await openTeam(outsider);
    for (const call of [
      outsider.call(teamTokenApi.get, { id: other.id, token }),
      outsider.call(teamTokenApi.update, { id: other.id, token, name: 'mine' }),
      outsider.call(teamTokenApi.remove, { id: other.id, token }),
    ])
      expect(await readCode(call)).toBe('row_not_found');
  });

  it('stop at once when their member is removed or leaves, and stay disabled until the member returns', async () => {
    const { key, id: token } = await newKey(member);
    const { key: second } = await newKey(manager);
    expect([await resolve(key), await resolve(second)]).toMatchObject([{ kind: 'token' }, { kind: 'token' }]);
    await owner.must(teamApi.removeMember, { id: team.id, user_id: member.userId });
    await manager.must(teamApi.leave, { id: team.id });
    for (const each of [key, second]) expect(await resolve(each)).toMatchObject({ kind: 'refusal' });
    // A token without a member cannot be made valid.
    await owner.must(teamTokenApi.update, { id: team.id, token, status: 1, status_only: true });
    expect(await resolve(key)).toMatchObject({ error: 'invalid_api_key' });
    await owner.must(teamTokenApi.update, { id: team.id, token, status: 2, status_only: true });
    await join(owner, team.id, member);
    expect(await resolve(key)).toMatchObject({ error: 'token_disabled' });
    await member.must(teamTokenApi.update, { id: team.id, token, status: 1, status_only: true });
    expect(await resolve(key)).toMatchObject({ kind: 'token' });
    expect(await readCode(owner.call(teamApi.leave, { id: team.id }))).toBe('team_owner_stays');
  });

  it('stop at once when the team or their member is banned', async () => {
    const admin = await house.person('admin', { role: 10 });
    const { key } = await newKey(member);
    expect(await resolve(key)).toMatchObject({ kind: 'token' });
    await admin.must(teamAdminApi.update, { id: team.id, status: 2 });
    expect(await resolve(key)).toMatchObject({ error: 'team_banned' });
    for (const call of [
      owner.call(teamApi.fund, { id: team.id, quota: 1 }),
      owner.call(teamApi.withdraw, { id: team.id, quota: 1 }),
      owner.call(teamApi.remove, { id: team.id }),
      owner.call(teamInvitationApi.create, { id: team.id }),
      member.call(teamTokenApi.create, { id: team.id, name: 'x' }),
    ])
      expect(await readCode(call)).toBe('team_is_banned');
    await admin.must(teamAdminApi.update, { id: team.id, status: 1 });
    expect(await resolve(key)).toMatchObject({ kind: 'token' });
    await admin.must(userApi.manage, { id: member.userId, action: 'disable' });
    expect(await resolve(key)).toMatchObject({ error: 'user_banned' });
  });

  it('use the group that administrators give the team', async () => {
    const admin = await house.person('admin', { role: 10 });
    const { key } = await newKey(member);
    expect(await resolve(key)).toMatchObject({ owner: { group: 'default' } });
    await admin.must(teamAdminApi.update, { id: team.id, group: 'vip' });
    expect(await resolve(key)).toMatchObject({ owner: { group: 'vip' } });
    const wrong = admin.call(teamAdminApi.update, { id: team.id, group: 'no such group' });
    expect(await readCode(wrong)).toBe('group_unknown');
  });

  it('follow the rule for channels that administrators give the team at once', async () => {
    const admin = await house.person('admin', { role: 10 });
    const { key } = await newKey(member);
    expect(await resolve(key)).toMatchObject({ channelRule: null });
    const rule = { regions: 'eu', no_retention: true };
    expect(await admin.must(teamAdminApi.update, { id: team.id, ...rule })).toMatchObject(rule);
    expect(await resolve(key)).toMatchObject({
      channelRule: { regions: new Set(['eu']), noRetention: true },
    });
  });
});

describe('administrators', () => {
  it('list, fund and debit teams with a reason that is on the statement', async () => {
    const admin = await house.person('admin', { role: 10 });
    expect(await admin.must(teamAdminApi.list, { keyword: 'eam' })).toMatchObject({
      total: 1,
      items: [{ id: team.id, owner_name: 'owner', owner_role: 1, member_count: 3, balance: 0 }],
    });
    await admin.must(teamAdminApi.adjust, { id: team.id, quota: 900, reason: 'contract 7' });
    expect(await admin.must(teamAdminApi.adjust, { id: team.id, quota: -100, reason: 'typo' })).toMatchObject(
      {
        balance: 800,
      },
    );
    const end = Math.floor(house.core.clock() / 1_000) + 3_600;
    const until = (quota: number, expires_time: number) =>
      readCode(admin.call(teamAdminApi.adjust, { id: team.id, quota, reason: 'trial', expires_time }));
    expect(await until(-1, end)).toBe('invalid_parameter');
    expect(await until(1, 1)).toBe('credit_expiry_past');
    const below = admin.call(teamAdminApi.adjust, { id: team.id, quota: -801, reason: 'all' });
    expect(await readCode(below)).toBe('quota_would_be_negative');
    const bare = admin.call(teamAdminApi.adjust, { id: team.id, quota: 1, reason: '' });
    expect(await readCode(bare)).toBe('invalid_input');
    expect(await owner.must(teamRecordApi.statement, { id: team.id })).toMatchObject({
      items: [
        { kind: 'adjust', amount: -100, note: 'typo' },
        { kind: 'adjust', amount: 900, note: 'contract 7' },
      ],
    });
    expect(await readCode(owner.call(teamAdminApi.list, {}))).toBe('insufficient_role');
  });

  it('may do to a team only what they may do to its owner', async () => {
    const admin = await house.person('admin', { role: 10 });
    const peer = await house.person('peer', { role: 10 });
    const [own, theirs] = [await openTeam(admin, 'own'), await openTeam(peer, 'peer')];
    for (const { id } of [own, theirs]) {
      const fund = admin.call(teamAdminApi.adjust, { id, quota: 5, reason: 'why not' });
      expect(await readCode(fund)).not.toBe('done');
    }
    const ban = admin.call(teamAdminApi.update, { id: theirs.id, status: 2 });
    expect(await readCode(ban)).not.toBe('done');
  });

  it('transfer a team whose owner was deleted to another member', async () => {
    const admin = await house.person('admin', { role: 10 });
    await admin.must(userApi.manage, { id: owner.userId, action: 'delete' });
    const list = await admin.must(teamAdminApi.list, {});
    expect(list).toMatchObject({ items: [{ id: team.id, owner_role: 0 }] });
    await admin.must(teamAdminApi.update, { id: team.id, owner_id: member.userId });
    expect(await shown(member)).toMatchObject({ role: 3, owner_name: 'member' });
  });
});
