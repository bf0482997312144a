import {
  type NewTeamInvitation,
  selfApi,
  teamApi,
  type TeamData,
  teamInvitationApi,
  teamRole,
} from '@tollgate/contract';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Agent } from '../../../testing/agent.ts';
import { type House, testPassword } from '../../../testing/harness.ts';
import { openTeam, openTeamHouse } from '../../../testing/teams/team-house.ts';

const daySeconds = 86_400;

let house: House;
let owner: Agent;
let alice: Agent;
let bob: Agent;
let team: TeamData;
beforeEach(async () => {
  house = await openTeamHouse();
  owner = await house.person('owner');
  alice = await house.person('alice');
  bob = await house.person('bob');
  team = await openTeam(owner);
});
afterEach(() => house.close());

const invite = async (input: object = {}): Promise<NewTeamInvitation> =>
  (await owner.must(teamInvitationApi.create, { id: team.id, ...input })) as NewTeamInvitation;
const accept = async (
  agent: Agent,
  { code, invitation }: { code?: string; invitation?: number },
): Promise<string> => {
  const { body } = await agent.call(teamInvitationApi.accept, { code, invitation });
  return body.success ? 'joined' : String(body.code);
};
const open = async () => (await owner.must(teamInvitationApi.list, { id: team.id })) as { id: number }[];

it('a link admits any user who has it, once, in the role it names', async () => {
  const { code } = await invite({ role: teamRole.manager });
  expect(await alice.must(teamInvitationApi.look, { code })).toMatchObject({
    team_name: 'Team',
    inviter_name: 'owner',
    role: 2,
  });
  expect(await accept(alice, { code })).toBe('joined');
  expect(await alice.must(teamApi.get, { id: team.id })).toMatchObject({ role: 2 });
  expect(await accept(bob, { code })).toBe('invitation_not_found');
  expect(await open()).toEqual([]);
});

it('only one of many concurrent users joins by one link', async () => {
  const people = await Promise.all(Array.from({ length: 6 }, (_, n) => house.person(`p${n}`)));
  const { code } = await invite();
  const answers = await Promise.all(people.map((person) => accept(person, { code })));
  expect(answers.toSorted()).toEqual([...Array<string>(5).fill('invitation_not_found'), 'joined']);
});

it('the store has only the hash of a code', async () => {
  const { code } = await invite();
  const rows = await house.core.store.db.selectFrom('team_invitations').selectAll().execute();
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(code);
  expect(JSON.stringify(await open())).not.toContain(code);
});

it('a name admits that user alone, from their list or by the link', async () => {
  const { code, id } = await invite({ invitee: 'alice' });
  expect(await accept(bob, { code })).toBe('invitation_not_found');
  expect(await accept(bob, { invitation: id })).toBe('invitation_not_found');
  expect(await bob.must(teamInvitationApi.ownList, {})).toEqual([]);
  expect(await alice.must(teamInvitationApi.ownList, {})).toMatchObject([{ id, team_name: 'Team' }]);
  expect(await accept(alice, { invitation: id })).toBe('joined');
});

it('a user who takes over an invited name gets nothing by it', async () => {
  const { id } = await invite({ invitee: 'alice' });
  const { db } = house.core.store;
  await db.updateTable('users').set({ username: 'other' }).where('id', '=', alice.userId).execute();
  await db.updateTable('users').set({ username: 'alice' }).where('id', '=', bob.userId).execute();
  expect(await bob.must(teamInvitationApi.ownList, {})).toEqual([]);
  expect(await accept(bob, { invitation: id })).toBe('invitation_not_found');
});

it('an unknown name is answered like a known one', async () => {
  const [known, unknown] = [await invite({ invitee: 'alice' }), await invite({ invitee: 'nobody' })];
  const plain = ({ id: _id, code: _code, invitee: _invitee, ...rest }: NewTeamInvitation) => rest;
  expect(plain(unknown)).toEqual(plain(known));
  expect(await accept(bob, { code: unknown.code })).toBe('invitation_not_found');
});

it.each<[string, () => Promise<unknown>]>([
  ['was removed', () => owner.must(teamApi.removeMember, { id: team.id, user_id: alice.userId })],
  ['left', () => alice.must(teamApi.leave, { id: team.id })],
  [
    'was made a member',
    () => owner.must(teamApi.changeMember, { id: team.id, user_id: alice.userId, role: teamRole.member }),
  ],
  ['deleted the account', () => alice.must(selfApi.remove, {}, { password: testPassword })],
])('nobody gets in by what a manager made who %s: neither others nor the manager', async (_how, leave) => {
  expect(await accept(alice, { code: (await invite({ role: teamRole.manager })).code })).toBe('joined');
  const make = async (input: object) =>
    (await alice.must(teamInvitationApi.create, { id: team.id, ...input })) as NewTeamInvitation;
  const link = await make({});
  const named = await make({ invitee: 'bob' });
  expect(await bob.must(teamInvitationApi.ownList, {})).toMatchObject([{ id: named.id }]);
  await leave();
  expect(await bob.must(teamInvitationApi.ownList, {})).toEqual([]);
  expect((await bob.call(teamInvitationApi.look, { code: link.code })).body.code).toBe(
    'invitation_not_found',
  );
  for (const which of [{ code: link.code }, { code: named.code }, { invitation: named.id }])
    expect(await accept(bob, which)).toBe('invitation_not_found');
  expect(await accept(alice, { code: link.code })).not.toBe('joined');
});

it('a decline uses an invitation up, and so does withdrawing it', async () => {
  const first = await invite({ invitee: 'alice' });
  await alice.must(teamInvitationApi.decline, { invitation: first.id });
  expect(await accept(alice, { invitation: first.id })).toBe('invitation_not_found');
  const second = await invite();
  await owner.must(teamInvitationApi.withdraw, { id: team.id, invitation: second.id });
  expect(await accept(alice, { code: second.code })).toBe('invitation_not_found');
});

it('an invitation of another team cannot be withdrawn', async () => {
  const { id, code } = await invite();
  const other = await openTeam(bob);
  const reply = await bob.call(teamInvitationApi.withdraw, { id: other.id, invitation: id });
  expect(reply.body.code).toBe('invitation_not_found');
  expect(await accept(alice, { code })).toBe('joined');
});

it('expires after its last day', async () => {
  const { code } = await invite({ days: 2 });
  house.time.ms += 2 * daySeconds * 1_000 - 1_000;
  expect(await alice.must(teamInvitationApi.look, { code })).toMatchObject({ team_name: 'Team' });
  house.time.ms += 1_000;
  // The session expired in the meantime.
  alice = await house.signIn('alice');
  expect(await accept(alice, { code })).toBe('invitation_not_found');
});

it('admits no member twice, and a returning member keeps their use of the limit', async () => {
  expect(await accept(alice, await invite())).toBe('joined');
  expect(await accept(alice, await invite())).toBe('already_team_member');
  await alice.must(teamApi.leave, { id: team.id });
  expect(await accept(alice, await invite())).toBe('joined');
  const rows = await house.core.store.db
    .selectFrom('team_members')
    .selectAll()
    .where('user_id', '=', alice.userId)
    .execute();
  expect(rows).toHaveLength(1);
});

it('ends with the team', async () => {
  const { code } = await invite();
  await owner.must(teamApi.remove, { id: team.id });
  expect(await accept(alice, { code })).toBe('invitation_not_found');
});

it('keeps the number of open invitations bounded', async () => {
  for (let n = 0; n < 50; n += 1) await invite();
  const reply = await owner.call(teamInvitationApi.create, { id: team.id });
  expect(reply.body.code).toBe('invitation_limit_reached');
});
