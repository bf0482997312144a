import { sql, type Selectable } from 'kysely';
import { dialectOf } from '../../db.ts';
import type { Db } from '../../dialects/types.ts';
import type { TeamMemberTable } from '../../schema/people.ts';
import { countOf } from '../shared.ts';

export type TeamMemberRow = Selectable<TeamMemberTable>;
/** Columns that people change; all others are the ledger's, or never change. */
export type TeamMemberChange = Partial<
  Pick<
    TeamMemberRow,
    'role' | 'limit_period' | 'limit_quota' | 'period_start' | 'unlimited_quota' | 'joined_time' | 'left_time'
  >
>;

/** Adds a first-time member without a limit; returns the row's id. */
export const create = (
  db: Db,
  member: Pick<TeamMemberRow, 'team_id' | 'user_id' | 'role' | 'joined_time'>,
): Promise<number> =>
  dialectOf(db).insertReturningId(
    db.insertInto('team_members').values({
      ...member,
      limit_period: '',
      limit_quota: 0,
      period_start: 0,
      remain_quota: 0,
      held: 0,
      unlimited_quota: 1,
      used_quota: 0,
      left_time: null,
    }),
  );

/** The row of a present or former member. */
export const findEver = (db: Db, teamId: number, userId: number): Promise<TeamMemberRow | undefined> =>
  db
    .selectFrom('team_members')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .executeTakeFirst();

/** The row of a present or former member. */
export const findById = (db: Db, id: number): Promise<TeamMemberRow | undefined> =>
  db.selectFrom('team_members').selectAll().where('id', '=', id).executeTakeFirst();

/** A present member. */
export const find = (db: Db, teamId: number, userId: number): Promise<TeamMemberRow | undefined> =>
  db
    .selectFrom('team_members')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .where('left_time', 'is', null)
    .executeTakeFirst();

/** A present member, locked until the transaction ends. Take the locks of accounts and tokens first. */
export const findLocked = (db: Db, teamId: number, userId: number): Promise<TeamMemberRow | undefined> =>
  dialectOf(db)
    .lockRows(
      db
        .selectFrom('team_members')
        .selectAll()
        .where('team_id', '=', teamId)
        .where('user_id', '=', userId)
        .where('left_time', 'is', null),
    )
    .executeTakeFirst();

/** The present members with their names, the owner first, then by the time of joining. */
export const list = (db: Db, teamId: number) =>
  db
    .selectFrom('team_members')
    .innerJoin('users', 'users.id', 'team_members.user_id')
    .selectAll('team_members')
    .select(['users.username', 'users.display_name', 'users.status as user_status'])
    .where('team_members.team_id', '=', teamId)
    .where('team_members.left_time', 'is', null)
    .orderBy('team_members.role', 'desc')
    .orderBy('team_members.id')
    .execute();

/** The memberships of a person in teams that were not deleted. */
export const ofUser = (db: Db, userId: number): Promise<TeamMemberRow[]> =>
  db
    .selectFrom('team_members')
    .innerJoin('teams', 'teams.id', 'team_members.team_id')
    .selectAll('team_members')
    .where('team_members.user_id', '=', userId)
    .where('team_members.left_time', 'is', null)
    .where('teams.deleted_at', 'is', null)
    .orderBy('team_members.id')
    .execute();

/** True if a user is or was in any team. */
export async function wasEverMember(db: Db, userId: number): Promise<boolean> {
  const row = await db
    .selectFrom('team_members')
    .select('id')
    .where('user_id', '=', userId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Number of members of each of these teams. */
export async function counts(db: Db, teamIds: readonly number[]): Promise<Map<number, number>> {
  if (teamIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('team_members')
    .select((e) => ['team_id', e.fn.countAll<number>().as('members')])
    .where('team_id', 'in', teamIds)
    .where('left_time', 'is', null)
    .groupBy('team_id')
    .execute();
  return new Map(rows.map(({ team_id, members }) => [team_id, Number(members)]));
}

export async function update(db: Db, id: number, change: TeamMemberChange): Promise<void> {
  await db.updateTable('team_members').set(change).where('id', '=', id).execute();
}

/** Ends a membership; false if another process was faster. */
export async function end(db: Db, id: number, now: number): Promise<boolean> {
  const result = await db
    .updateTable('team_members')
    .set({ left_time: now })
    .where('id', '=', id)
    .where('left_time', 'is', null)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Owners of a team become managers, before another member becomes its owner. */
export async function lowerOwners(db: Db, teamId: number): Promise<void> {
  await db
    .updateTable('team_members')
    .set({ role: 2 })
    .where('team_id', '=', teamId)
    .where('role', '=', 3)
    .execute();
}

/** A deleted user leaves every team. The owner of a team remains its owner by name, visible to administrators. */
export async function endAll(db: Db, userId: number, now: number): Promise<void> {
  await db
    .updateTable('team_members')
    .set({ left_time: now })
    .where('user_id', '=', userId)
    .where('left_time', 'is', null)
    .execute();
}

/** Total charges of calls to the wallets of these teams. */
export async function usedByTeams(db: Db, teamIds: readonly number[]): Promise<Map<number, number>> {
  if (teamIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('team_members')
    .select((e) => ['team_id', e.fn.sum<number | string>('used_quota').as('used')])
    .where('team_id', 'in', teamIds)
    .groupBy('team_id')
    .execute();
  return new Map(rows.map(({ team_id, used }) => [team_id, Number(used)]));
}

/** Total charges of these people's calls to wallets of teams; absent for people who never were members. */
export async function usedByUsers(db: Db, userIds: readonly number[]): Promise<Map<number, number>> {
  if (userIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('team_members')
    .select((e) => ['user_id', e.fn.sum<number | string>('used_quota').as('used')])
    .where('user_id', 'in', userIds)
    .groupBy('user_id')
    .execute();
  return new Map(rows.map(({ user_id, used }) => [user_id, Number(used)]));
}

/** Begins a month for a monthly limit; false if any process has begun it already. */
export async function beginPeriod(db: Db, id: number, start: number): Promise<boolean> {
  const result = await db
    .updateTable('team_members')
    .set({ period_start: start })
    .where('id', '=', id)
    .where('limit_period', '=', 'month')
    .where('period_start', '<', start)
    .executeTakeFirstOrThrow();
  return countOf(result) > 0;
}

/** Quota units that a member's calls took from the wallet from a moment on (Unix seconds). */
export async function usedSince(db: Db, memberId: number, since: number): Promise<number> {
  const used = await usedBy(db, [memberId], since);
  return used.get(memberId) ?? 0;
}

/** The same for several members; absent for those without use. */
export async function usedBy(
  db: Db,
  memberIds: readonly number[],
  since: number,
): Promise<Map<number, number>> {
  if (memberIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('ledger')
    .select(['member_id', sql<number | string>`-sum(account_delta)`.as('used')])
    .where('member_id', 'in', memberIds)
    // Redundant, but lets the database use the index over the rows of members.
    .where('member_id', '<>', sql.lit(0))
    .where('at', '>=', since)
    .groupBy('member_id')
    .execute();
  return new Map(rows.map(({ member_id, used }) => [member_id, Number(used)]));
}
