import {
  budgetApi,
  type BudgetData,
  type MemberImportResult,
  role,
  type TeamData,
  teamApi,
  teamImportApi,
  teamInvitationApi,
  type TeamMemberData,
  teamRole,
} from '@tollgate/contract';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { z } from 'zod';
import { users } from '../../../store/index.ts';
import type { Agent } from '../../../testing/agent.ts';
import type { House } from '../../../testing/harness.ts';
import { join, openTeam, openTeamHouse } from '../../../testing/teams/team-house.ts';

let house: House;
let root: Agent;
let owner: Agent;
let member: Agent;
let outsider: Agent;
let team: TeamData;
let until: number;

beforeEach(async () => {
  house = await openTeamHouse();
  root = await house.person('boss', { role: role.root });
  owner = await house.person('owner');
  member = await house.person('member');
  outsider = await house.person('outsider');
  team = await openTeam(owner);
  await join(owner, team.id, member, teamRole.member);
  until = Math.floor(house.time.ms / 1_000) + 90 * 86_400;
});
afterEach(async () => {
  expect(await house.findings()).toEqual([]);
  await house.close();
});

type ImportCall = (typeof teamImportApi)[keyof typeof teamImportApi];
type Rows = z.input<typeof teamImportApi.own.input>['rows'];
const importAs = async (agent: Agent, rows: Rows, isDry = false): Promise<MemberImportResult[]> => {
  const call = agent === root ? teamImportApi.all : teamImportApi.own;
  return (await agent.must(call, { id: team.id, rows, dry_run: isDry })) as MemberImportResult[];
};
const outcomes = (results: readonly MemberImportResult[]): string[] =>
  results.map(({ outcome, username }) => `${username} ${outcome}`);
const members = async () =>
  ((await owner.must(teamApi.members, { id: team.id })) as TeamMemberData[]).map(
    (each) => `${each.username} ${each.role}`,
  );
const limits = async (agent: Agent) =>
  ((await owner.must(budgetApi.list, { team_id: team.id, user_id: agent.userId })) as BudgetData[]).map(
    (each) => [each.period, each.amount, each.set_by, each.mode],
  );
const invitations = async () =>
  ((await owner.must(teamInvitationApi.list, { id: team.id })) as unknown[]).length;

it('by root adds users, creates unknown ones with a password, and sets limits; again it changes nothing', async () => {
  const rows = [
    { username: 'member', role: teamRole.manager, weekly: 500, grant: 9_000, grant_until: until },
    { username: 'outsider', weekly: 700 },
    { username: 'novice', email: 'Novice@school.example', display_name: 'A Novice', weekly: 900 },
    { email: 'second@school.example' },
  ];
  const expected = ['member changed', 'outsider added', 'novice created', 'second created'];
  expect(outcomes(await importAs(root, rows, true))).toEqual(expected);
  expect(await members()).toEqual(['owner 3', 'member 1']);
  expect(await limits(member)).toEqual([]);
  const made = await importAs(root, rows);
  expect(outcomes(made)).toEqual(expected);
  expect(await members()).toEqual(['owner 3', 'member 2', 'outsider 1', 'novice 1', 'second 1']);
  expect(await limits(member)).toEqual([
    ['week', 500, 'site', 'hard'],
    ['term', 9_000, 'site', 'hard'],
  ]);
  expect(await limits(outsider)).toEqual([['week', 700, 'site', 'hard']]);
  const novice = (await users.findByName(house.core.store.db, 'novice'))!;
  expect([novice.email, novice.display_name, novice.role]).toEqual([
    'novice@school.example',
    'A Novice',
    role.common,
  ]);
  await house.guest.signIn('novice', made[2]!.password);
  const calls = house.core.budgetRules.of?.({
    tokenId: 0,
    userId: outsider.userId,
    teamId: team.id,
    group: 'default',
    model: 'm',
  });
  expect(calls).toHaveLength(1);
  const again = await importAs(root, rows);
  expect(again.map(({ outcome, password }) => [outcome, password])).toEqual(
    rows.map(() => ['unchanged', '']),
  );
  expect(outcomes(await importAs(root, [{ username: 'member', weekly: 600 }]))).toEqual(['member changed']);
  expect((await limits(member)).map(([, amount]) => amount)).toEqual([600, 9_000]);
});

it('by the owner invites whoever is no member, with limits that are set as they join', async () => {
  const rows = [
    { username: 'member', weekly: 500 },
    { username: 'outsider', weekly: 700, role: teamRole.manager },
    { username: 'nobody of this name' },
    { email: 'new@school.example' },
  ];
  const expected = [
    'member changed',
    'outsider invited',
    'nobody of this name invited',
    'new@school.example invited',
  ];
  expect(outcomes(await importAs(owner, rows, true))).toEqual(expected);
  expect(await invitations()).toBe(0);
  const made = await importAs(owner, rows);
  expect(outcomes(made)).toEqual(expected);
  expect(await limits(member)).toEqual([['week', 500, 'team', 'hard']]);
  expect(await limits(outsider)).toEqual([]);
  expect(outcomes(await importAs(owner, rows)).every((each) => each.endsWith('unchanged'))).toBe(true);
  expect(await invitations()).toBe(3);
  await outsider.must(teamInvitationApi.accept, { code: made[1]!.code });
  expect(outcomes(await importAs(owner, rows))[1]).toBe('outsider unchanged');
  expect(await limits(outsider)).toEqual([['week', 700, 'team', 'hard']]);
  expect(await members()).toContain('outsider 2');
});

it('names what is wrong with a row and applies the others', async () => {
  await importAs(root, [{ username: 'member', weekly: 500 }]);
  const { db } = house.core.store;
  await users.update(db, outsider.userId, { email: 'out@school.example' });
  const bad = [
    {},
    { username: 'member', email: 'out@school.example' },
    { username: 'member', email: 'no address' },
    { username: 'owner', role: teamRole.member },
    { username: 'two\u200b' },
    { username: 'MEMBER' },
    { username: 'new', grant: 5, grant_until: 1 },
    { username: 'outsider' },
    { email: 'out@school.example' },
  ];
  const results = await importAs(root, bad);
  expect(results.map(({ outcome }) => outcome)).toEqual([
    ...Array.from({ length: 7 }, () => 'error'),
    'added',
    'error',
  ]);
  expect(results.every(({ outcome, error }) => (outcome === 'error') === (error !== ''))).toBe(true);
  expect(await members()).toEqual(['owner 3', 'member 1', 'outsider 1']);
  // What an administrator has set, an owner does not change.
  const [refused] = await importAs(owner, [{ username: 'member', weekly: 501 }]);
  expect(refused).toMatchObject({ outcome: 'error', error: expect.stringMatching(/.+/) });
  expect(await limits(member)).toEqual([['week', 500, 'site', 'hard']]);
});

it('is for the owner and root only, and does not tell an owner who has an account', async () => {
  const rows = [{ username: 'outsider' }];
  const codeOf = async (agent: Agent, call: ImportCall) =>
    (await agent.call(call, { id: team.id, rows, dry_run: false })).body.code;
  await importAs(root, [{ username: 'member', role: teamRole.manager }]);
  expect(await codeOf(member, teamImportApi.own)).toBe('team_role_insufficient');
  expect(await codeOf(outsider, teamImportApi.own)).toBe('team_not_found');
  expect(await codeOf(owner, teamImportApi.all)).toBe('insufficient_role');
  const admin = await house.person('admin', { role: role.admin });
  expect(await codeOf(admin, teamImportApi.all)).toBe('insufficient_role');
  await users.update(house.core.store.db, outsider.userId, { email: 'out@school.example' });
  const known = await importAs(owner, [{ username: 'someone', email: 'out@school.example' }], true);
  const unknown = await importAs(owner, [{ username: 'someone', email: 'none@school.example' }], true);
  expect(known).toEqual(unknown);
});
