import {
  budgetApi,
  type BudgetData,
  type MemberImportResult,
  role,
  teamApi,
  type TeamData,
  teamImportApi,
  teamInvitationApi,
  type TeamInvitationData,
} from '@tollgate/contract';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { z } from 'zod';
import { eachDialect } from '../../../store/each-dialect.ts';
import type { Agent } from '../../../testing/agent.ts';
import type { House } from '../../../testing/harness.ts';
import { openTeam, openTeamHouse } from '../../../testing/teams/team-house.ts';

// The limits of an invitation belong to the person who joins by it: once, with the membership, or not at all.

eachDialect('the limits of an invitation', (database) => {
  let house: House;
  let count = 0;
  let owner: Agent;
  let team: TeamData;
  let until: number;
  const address = 'new@school.example';
  beforeAll(async () => {
    await (await database.open()).close();
    house = await openTeamHouse(database.kind === 'sqlite' ? {} : { env: { DATABASE_URL: database.url() } });
  });
  beforeEach(async () => {
    owner = await person('owner');
    team = await openTeam(owner);
    until = Math.floor(house.time.ms / 1_000) + 3_600;
  });
  afterAll(async () => {
    expect(await house.findings()).toEqual([]);
    await house.close();
  });

  const person = (name: string, parts: Parameters<House['person']>[1] = {}): Promise<Agent> =>
    house.person(`${name}${(count += 1)}`, parts);
  type Row = z.input<typeof teamImportApi.own.input>['rows'][number];
  async function importRow(row: Row): Promise<MemberImportResult> {
    const [result] = (await owner.must(teamImportApi.own, {
      id: team.id,
      rows: [row],
    })) as MemberImportResult[];
    return result!;
  }
  const limitsOf = async ({ userId }: Agent) => {
    const found = (await owner.must(budgetApi.list, { team_id: team.id, user_id: userId })) as BudgetData[];
    return found.map(({ name, period, amount, set_by: by }) => [name, period, amount, by]);
  };
  const accept = async (agent: Agent, code: string): Promise<string> => {
    const { body } = await agent.call(teamInvitationApi.accept, { code });
    return body.success ? 'joined' : String(body.code);
  };
  const open = async () =>
    ((await owner.must(teamInvitationApi.list, { id: team.id })) as TeamInvitationData[]).map(({ limits }) =>
      limits.map(({ name, amount }) => [name, amount]),
    );

  it('are set with the membership of the one person who joins of many at once', async () => {
    const { code } = await importRow({ email: address, weekly: 700, grant: 9_000, grant_until: until });
    const people = await Promise.all(Array.from({ length: 4 }, () => person('p')));
    const answers = await Promise.all(people.map((each) => accept(each, code)));
    expect(answers.toSorted()).toEqual([...Array<string>(3).fill('invitation_not_found'), 'joined']);
    const limits = await Promise.all(people.map(limitsOf));
    expect(limits.filter((each) => each.length > 0)).toEqual([
      [
        ['weekly', 'week', 700, 'team'],
        ['grant', 'term', 9_000, 'team'],
      ],
    ]);
    const joined = people[answers.indexOf('joined')]!;
    expect(limits[answers.indexOf('joined')]).toHaveLength(2);
    const ofCalls = house.core.budgetRules.of?.({
      tokenId: 0,
      userId: joined.userId,
      teamId: team.id,
      group: 'default',
      model: 'm',
    });
    expect(ofCalls).toHaveLength(2);
  });

  it('change with another import, also while somebody accepts, and leave nothing behind', async () => {
    const { code } = await importRow({ email: address, weekly: 700 });
    expect((await importRow({ email: address, weekly: 700 })).outcome).toBe('unchanged');
    expect((await importRow({ email: address })).outcome).toBe('unchanged');
    expect((await importRow({ email: address, grant: 5, grant_until: until })).outcome).toBe('changed');
    expect(await open()).toEqual([
      [
        ['weekly', 700],
        ['grant', 5],
      ],
    ]);
    const newcomer = await person('newcomer');
    const [joined, { outcome }] = await Promise.all([
      accept(newcomer, code),
      importRow({ email: address, weekly: 800 }),
    ]);
    expect(joined).toBe('joined');
    const [[, , weekly] = []] = await limitsOf(newcomer);
    expect(outcome === 'changed' ? [800] : [700]).toEqual([weekly]);
  });

  it('are none without a membership: after a refusal, and beside those of an administrator', async () => {
    const root = await person('boss', { role: role.root });
    const { code } = await importRow({ email: address, weekly: 700, grant: 5, grant_until: until });
    const former = await person('former');
    await root.must(teamImportApi.all, {
      id: team.id,
      rows: [{ username: `former${count}`, weekly: 300 }],
    });
    expect(await accept(former, code)).toBe('already_team_member');
    expect(await limitsOf(former)).toEqual([['weekly', 'week', 300, 'site']]);
    expect(await open()).toHaveLength(1);
    await owner.must(teamApi.removeMember, { id: team.id, user_id: former.userId });
    house.time.ms += 7_200_000;
    expect(await accept(former, code)).toBe('joined');
    // The term is over, and what the administrator has set stays.
    expect(await limitsOf(former)).toEqual([['weekly', 'week', 300, 'site']]);
  });
});
