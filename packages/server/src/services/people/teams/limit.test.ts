import { selfApi, teamApi, type TeamData, teamTokenApi, type TeamTokenData } from '@tollgate/contract';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Agent } from '../../../testing/agent.ts';
import type { House } from '../../../testing/harness.ts';
import { join, openTeam, openTeamHouse } from '../../../testing/teams/team-house.ts';
import { InsufficientQuota } from '../../money/ledger/index.ts';
import type { ResolvedToken } from '../tokens/index.ts';
import { monthStart } from './limit.ts';

let house: House;
let owner: Agent;
let member: Agent;
let team: TeamData;
let key: string;
let calls = 0;

beforeEach(async () => {
  house = await openTeamHouse();
  house.time.ms = Date.UTC(2026, 0, 15);
  owner = await house.person('owner', { quota: 100_000 });
  member = await house.person('member');
  team = await openTeam(owner);
  await join(owner, team.id, member);
  await owner.must(teamApi.fund, { id: team.id, quota: 100_000 });
  const made = await member.must(teamTokenApi.create, { id: team.id, name: 'k', unlimited_quota: true });
  ({ key } = made as TeamTokenData);
});
afterEach(async () => {
  expect(await house.findings()).toEqual([]);
  await house.close();
});

/** A call in the same steps as the relay: resolve the key, take the hold, charge the cost. */
async function begin(hold: number): Promise<(cost: number) => Promise<unknown>> {
  const { keys, ledger } = house.core;
  const token = (await keys.resolve(`Bearer sk-${key}`, '203.0.113.9')) as ResolvedToken;
  expect(token.kind).toBe('token');
  const requestId = `call-${(calls += 1)}`;
  const { durable } = await ledger.reserve({
    requestId,
    accountId: token.owner.accountId,
    userId: member.userId,
    tokenId: token.id,
    memberId: token.team!.memberId,
    channelId: 0,
    tokenUnlimited: true,
    amount: hold,
    request: '{}',
  });
  await durable;
  return (amount) =>
    ledger.settle({ requestId, amount, channelId: 0, counts: true, log: null, hourly: null });
}
const spend = async (cost: number) => (await begin(cost))(cost);
const limit = (period: '' | 'total' | 'month', quota = 0) =>
  owner.must(teamApi.changeMember, { id: team.id, user_id: member.userId, limit: { period, quota } });
const left = async () => {
  // Sessions expire over months, so each read signs in again.
  const reader = await house.signIn('member');
  return ((await reader.must(teamApi.get, { id: team.id })) as TeamData).limit_left;
};
const at = (...date: [number, number, number]) => {
  house.time.ms = Date.UTC(...date);
};

it('a month begins at midnight UTC of its first day, whatever the date', () => {
  const seconds = (text: string) => Date.parse(text) / 1_000;
  expect(monthStart(seconds('2028-02-29T23:59:59Z'))).toBe(seconds('2028-02-01T00:00:00Z'));
  expect(monthStart(seconds('2026-12-31T12:00:00Z'), 1)).toBe(seconds('2027-01-01T00:00:00Z'));
  expect(monthStart(seconds('2027-01-01T00:00:00Z'))).toBe(seconds('2027-01-01T00:00:00Z'));
});

it('shows what the team paid beside what the member paid, also after they have left', async () => {
  await spend(300);
  const used = async () => (await house.signIn('member')).must(selfApi.get, {});
  expect(await used()).toMatchObject({ used_quota: 0, team_used_quota: 300, request_count: 1 });
  await owner.must(teamApi.removeMember, { id: team.id, user_id: member.userId });
  expect(await used()).toMatchObject({ used_quota: 0, team_used_quota: 300 });
  expect(await owner.must(selfApi.get, {})).toMatchObject({ used_quota: 0, team_used_quota: 0 });
});

it('a monthly limit counts what the month has used already, and begins anew with the next', async () => {
  await spend(300);
  await limit('month', 1_000);
  expect(await left()).toBe(700);
  await spend(700);
  await expect(spend(1)).rejects.toThrow(InsufficientQuota);
  at(2026, 1, 1);
  expect(await left()).toBe(1_000);
  await spend(1_000);
  await expect(spend(1)).rejects.toThrow(InsufficientQuota);
  expect(await left()).toBe(0);
});

it('a month that ends twice gives nothing twice, and a clock that goes back gives nothing back', async () => {
  await limit('month', 1_000);
  await spend(400);
  at(2026, 1, 1);
  await spend(250);
  house.core.keys.forgetAll();
  await spend(250);
  expect(await left()).toBe(500);
  at(2026, 0, 31);
  house.core.keys.forgetAll();
  await spend(100);
  at(2026, 1, 2);
  house.core.keys.forgetAll();
  // Charges settled while the clock was set back belong to January by date, and were counted when they were spent.
  expect(await left()).toBe(400);
});

it('a call over the end of a month counts in the month of its settlement', async () => {
  await limit('month', 1_000);
  const end = await begin(600);
  at(2026, 1, 1);
  const second = await begin(300);
  await end(600);
  await second(100);
  expect(await left()).toBe(300);
  at(2026, 2, 1);
  expect(await left()).toBe(1_000);
});

it('a total limit counts all use ever, and removing it allows everything', async () => {
  await spend(80);
  await limit('total', 100);
  await expect(spend(21)).rejects.toThrow(InsufficientQuota);
  await spend(20);
  expect(await left()).toBe(0);
  await limit('');
  await spend(500);
  expect(await left()).toBe(null);
  await limit('total', 650);
  expect(await left()).toBe(50);
});

it('a limit below the use leaves nothing, and keeps running holds', async () => {
  const end = await begin(400);
  await limit('total', 100);
  await end(400);
  expect(await left()).toBe(0);
  await expect(spend(1)).rejects.toThrow(InsufficientQuota);
});
