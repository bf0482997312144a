import type { LimitPeriod, TeamData, TeamMemberData } from '@tollgate/contract';
import { type Clock, seconds } from '../../../lib/clock.ts';
import { accounts, type Db, teamMembers, teams, users } from '../../../store/index.ts';
import { limitLeft, monthStart } from './limit.ts';

type ViewDeps = { db: Db; clock: Clock };

/** A limit and its present state. */
const showLimit = (member: teamMembers.TeamMemberRow, usedMonth: number, now: number) => ({
  limit_period: member.limit_period as LimitPeriod,
  limit_quota: member.limit_quota,
  limit_left: limitLeft(member, usedMonth, now),
  used_quota: member.used_quota,
  used_month: usedMonth,
});

/** A user's teams, the oldest membership first. */
export async function listTeams(deps: ViewDeps, userId: number): Promise<TeamData[]> {
  return showTeams(deps, await teamMembers.ofUser(deps.db, userId));
}

/** The teams of these memberships, each with the member's data. */
export async function showTeams(
  { db, clock }: ViewDeps,
  memberships: readonly teamMembers.TeamMemberRow[],
): Promise<TeamData[]> {
  const ids = memberships.map((member) => member.team_id);
  const now = seconds(clock);
  const memberIds = memberships.map(({ id }) => id);
  const [rows, counts, used] = await Promise.all([
    teams.findMany(db, ids),
    teamMembers.counts(db, ids),
    teamMembers.usedBy(db, memberIds, monthStart(now)),
  ]);
  const balances = await accounts.findBalances(
    db,
    rows.map((team) => team.account_id),
  );
  const names = await users.findNames(
    db,
    rows.map((team) => team.owner_id),
  );
  return memberships.flatMap((member) => {
    const team = rows.find(({ id }) => id === member.team_id);
    if (!team) return [];
    return {
      id: team.id,
      name: team.name,
      group: team.group,
      status: team.status,
      owner_id: team.owner_id,
      owner_name: names.get(team.owner_id) ?? '',
      created_time: team.created_time,
      member_count: counts.get(team.id) ?? 0,
      balance: balances.get(team.account_id)?.balance ?? 0,
      role: member.role,
      ...showLimit(member, used.get(member.id) ?? 0, now),
    };
  });
}

/** The members of a team; `only` one of them if the reader may not see others. */
export async function listMembers(
  { db, clock }: ViewDeps,
  teamId: number,
  only?: number,
): Promise<TeamMemberData[]> {
  const now = seconds(clock);
  const rows = await teamMembers.list(db, teamId);
  const used = await teamMembers.usedBy(
    db,
    rows.map(({ id }) => id),
    monthStart(now),
  );
  return rows.map((row) => ({
    user_id: row.user_id,
    username: row.username,
    display_name: row.display_name,
    role: row.role,
    status: row.user_status,
    joined_time: row.joined_time,
    ...(only === undefined || only === row.user_id
      ? showLimit(row, used.get(row.id) ?? 0, now)
      : { limit_period: '' as const, limit_quota: 0, limit_left: null, used_quota: 0, used_month: 0 }),
  }));
}
