import { channelInput, teamAdminApi, teamTokenApi, type TeamData } from '@tollgate/contract';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Agent } from '../../../testing/agent.ts';
import type { House } from '../../../testing/harness.ts';
import { join, openTeam, openTeamHouse } from '../../../testing/teams/team-house.ts';

let house: House;
let member: Agent;
let team: TeamData;

beforeEach(async () => {
  house = await openTeamHouse();
  await house.core.settings.set('GroupRatio', '{"default":1,"vip":0.5,"lab":2}');
  const owner = await house.person('owner');
  member = await house.person('member', { group: 'lab' });
  team = await openTeam(owner);
  await join(owner, team.id, member);
  await house.core.settings.set('UserUsableGroups', '{"default":"everybody"}');
  for (const [group, models] of Object.entries({ default: 'plain', vip: 'dear', lab: 'secret' }))
    await house.core.channels.create(
      channelInput.parse({ name: group, type: 1, key: 'sk-1', base_url: 'https://a.test', models, group }),
    );
});
afterEach(() => house.close());

const offer = async () => ({
  groups: await member.must(teamTokenApi.groups, { id: team.id }),
  models: await member.must(teamTokenApi.models, { id: team.id }),
});

it('offers the models and groups of the team’s group, not of its member’s', async () => {
  const everybody = { default: { ratio: 1, desc: 'everybody' } };
  expect(await offer()).toEqual({ groups: everybody, models: ['plain'] });
  const admin = await house.person('admin', { role: 10 });
  await admin.must(teamAdminApi.update, { id: team.id, group: 'vip' });
  expect(await offer()).toEqual({
    groups: { ...everybody, vip: { ratio: 0.5, desc: expect.any(String) } },
    models: ['dear', 'plain'],
  });
});

it('offers exactly the groups that a key of the team may have', async () => {
  const { groups } = await offer();
  const made = async (group: string) =>
    (await member.call(teamTokenApi.create, { id: team.id, name: group, unlimited_quota: true, group })).body;
  for (const group of Object.keys(groups as object))
    expect(await made(group)).toMatchObject({ success: true });
  for (const group of ['vip', 'lab'])
    expect(await made(group)).toMatchObject({ code: 'token_group_forbidden' });
});

it('offers and takes auto where the team’s group has groups for it', async () => {
  const made = async (group: string) =>
    (
      await member.call(teamTokenApi.create, {
        id: team.id,
        name: group,
        unlimited_quota: true,
        group,
        cross_group_retry: true,
      })
    ).body;
  await house.core.settings.set('AutoGroups', '["vip","lab"]');
  expect(await made('auto')).toMatchObject({ code: 'token_group_forbidden' });
  const admin = await house.person('admin', { role: 10 });
  await admin.must(teamAdminApi.update, { id: team.id, group: 'vip' });
  expect(await made('auto')).toMatchObject({ data: { group: 'auto', cross_group_retry: true } });
  await house.core.settings.set('AutoGroups', '["vip","default"]');
  expect(Object.keys((await offer()).groups as object)).toEqual(['auto', 'default', 'vip']);
});

it('does not exist for outsiders', async () => {
  const outsider = await house.person('outsider');
  for (const ask of [teamTokenApi.groups, teamTokenApi.models])
    expect((await outsider.call(ask, { id: team.id })).body).toMatchObject({ code: 'team_not_found' });
});
