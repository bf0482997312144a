import {
  proofSeconds,
  role,
  secondFactorApi,
  teamAdminApi,
  teamApi,
  type TeamData,
  teamTokenApi,
  type TeamTokenData,
  userApi,
} from '@tollgate/contract';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Agent } from '../../../testing/agent.ts';
import type { House } from '../../../testing/harness.ts';
import { setUpApp, type TestApp } from '../../../testing/second-factor/app.ts';
import { join, openTeam, openTeamHouse } from '../../../testing/teams/team-house.ts';

/** A sent call. */
type Sent = ReturnType<Agent['call']>;

let house: House;
let owner: Agent;
let member: Agent;
let app: TestApp;
let team: TeamData;
let key: TeamTokenData;

beforeEach(async () => {
  house = await openTeamHouse();
  owner = await house.person('owner', { quota: 1_000 });
  member = await house.person('member');
  team = await openTeam(owner);
  await join(owner, team.id, member);
  const wanted = { id: team.id, name: 'build', unlimited_quota: true };
  key = (await owner.must(teamTokenApi.create, wanted)) as TeamTokenData;
  await owner.must(teamApi.fund, { id: team.id, quota: 600 });
  app = await setUpApp(house, owner);
  house.time.ms += proofSeconds * 1_000;
});
afterEach(async () => {
  expect(await house.findings()).toEqual([]);
  await house.close();
});

/** Sensitive team operations of an owner, from the lightest to the last. */
const weighty = (): [string, () => Sent][] => {
  const { id } = team;
  return [
    ['show a key', () => owner.call(teamTokenApi.get, { id, token: key.id })],
    ['make a key', () => owner.call(teamTokenApi.create, { id, name: 'more', unlimited_quota: true })],
    ['fund', () => owner.call(teamApi.fund, { id, quota: 100 })],
    ['withdraw', () => owner.call(teamApi.withdraw, { id, quota: 100 })],
    ['hand over', () => owner.call(teamApi.handOver, { id, user_id: member.userId })],
  ];
};
const outcomes = async (calls: [string, () => Sent][]): Promise<[string, string][]> => {
  const seen: [string, string][] = [];
  for (const [name, call] of calls) {
    const { body } = await call();
    seen.push([name, body.success === true ? 'done' : String(body.code)]);
  }
  return seen;
};
const prove = () => owner.must(secondFactorApi.verify, { method: '2fa', code: app.code() });

it('a factor is required before money moves, keys are shown and teams are deleted, and nothing is done until then', async () => {
  const remove: [string, () => Sent] = ['delete', () => owner.call(teamApi.remove, { id: team.id })];
  const asked = [...weighty(), remove];
  expect(await outcomes(asked)).toEqual(asked.map(([name]) => [name, 'verify_again']));
  expect(await owner.must(teamApi.get, { id: team.id })).toMatchObject({ balance: 600, role: 3 });
  await prove();
  expect(await outcomes(weighty())).toEqual(weighty().map(([name]) => [name, 'done']));
  // The previous owner is a manager now, and the role alone refuses the call.
  expect(await outcomes([remove])).toEqual([['delete', 'team_role_insufficient']]);
  expect(await member.must(teamApi.remove, { id: team.id })).toBe(600);
});

it('calls without risk require none', async () => {
  const { id } = team;
  const light: [string, () => Sent][] = [
    ['read', () => owner.call(teamApi.get, { id })],
    ['keys, shortened', () => owner.call(teamTokenApi.list, { id })],
    ['rename', () => owner.call(teamApi.rename, { id, name: 'Other' })],
    [
      'limit',
      () =>
        owner.call(teamApi.changeMember, {
          id,
          user_id: member.userId,
          limit: { period: 'month', quota: 5 },
        }),
    ],
    ['stop a key', () => owner.call(teamTokenApi.remove, { id, token: key.id })],
  ];
  expect(await outcomes(light)).toEqual(light.map(([name]) => [name, 'done']));
});

it('members without a factor are not asked for one', async () => {
  const wanted = { id: team.id, name: 'mine', unlimited_quota: true };
  const made = (await member.must(teamTokenApi.create, wanted)) as TeamTokenData;
  const shown = (await member.must(teamTokenApi.get, { id: team.id, token: made.id })) as TeamTokenData;
  expect(shown.key).toBe(made.key);
});

it('administrators are asked before they change a wallet or an owner by hand', async () => {
  const admin = await house.person('admin', { role: role.admin });
  const adminsApp = await setUpApp(house, admin);
  house.time.ms += proofSeconds * 1_000;
  const calls: [string, () => Sent][] = [
    ['adjust', () => admin.call(teamAdminApi.adjust, { id: team.id, quota: 50, reason: 'gift' })],
    ['change', () => admin.call(teamAdminApi.update, { id: team.id, owner_id: member.userId })],
    ['a user, for comparison', () => admin.call(userApi.update, { id: member.userId, remark: 'x' })],
  ];
  expect(await outcomes(calls)).toEqual(calls.map(([name]) => [name, 'verify_again']));
  expect(await owner.must(teamApi.get, { id: team.id })).toMatchObject({ balance: 600, role: 3 });
  await admin.must(secondFactorApi.verify, { method: '2fa', code: adminsApp.code() });
  expect(await outcomes(calls)).toEqual(calls.map(([name]) => [name, 'done']));
});
