import {
  AppError,
  type LimitPeriod,
  type TeamMemberData,
  type TeamRole,
  teamRole,
  teamStatus,
} from '@tollgate/contract';
import { seconds } from '../../../lib/clock.ts';
import { type Db, teamMembers, teams, tokens } from '../../../store/index.ts';
import { giveBudgets } from '../../money/budgets/index.ts';
import type { VerbContext } from '../../money/ledger/index.ts';
import type { Membership } from './access.ts';
import { changingTeam, type TeamsDeps } from './deps.ts';
import { maxMembers } from './invitations.ts';
import { setLimit } from './limit.ts';
import { listMembers } from './view.ts';

/** Columns that users of higher rank may change; absent fields stay unchanged. */
export interface MemberChange {
  userId: number;
  role?: number | undefined;
  limit?: { period: LimitPeriod; quota: number } | undefined;
}

/** A member of lower rank than the actor, locked. Throws `team_member_not_found`, `team_rank_protected`. */
async function lockBelow(
  db: Db,
  { team, member }: Membership,
  userId: number,
): Promise<teamMembers.TeamMemberRow> {
  const target = await teamMembers.findLocked(db, team.id, userId);
  if (!target) throw new AppError('team_member_not_found');
  if (target.role >= member.role) throw new AppError('team_rank_protected');
  return target;
}

/** Changes role or limit of a member of lower rank. No actor can promote a member to their own rank. */
export async function changeMember(
  deps: TeamsDeps,
  actor: Membership,
  { userId, role, limit }: MemberChange,
  requestId: string,
): Promise<TeamMemberData> {
  const { team, member } = actor;
  if (role !== undefined && role >= member.role) throw new AppError('team_rank_protected');
  const note = {
    ...(role !== undefined && { role }),
    ...(limit && { limit_period: limit.period, limit_quota: limit.quota }),
  };
  const change = async (money: VerbContext): Promise<void> => {
    const target = await lockBelow(money.db, actor, userId);
    if (limit) await setLimit(money, target, limit, { actorId: member.user_id, requestId });
    if (role !== undefined) await teamMembers.update(money.db, target.id, { role });
  };
  await changingTeam(deps, team.id, change, { userId, note });
  deps.log.info({ actorId: member.user_id, teamId: team.id, userId, role, limit }, 'a member was changed');
  const found = (await listMembers(deps, team.id)).find((each) => each.user_id === userId);
  if (!found) throw new AppError('team_member_not_found');
  return found;
}

/** Ends a membership: the member's keys of the team are disabled, and stop working within a second everywhere. */
async function end(db: Db, target: teamMembers.TeamMemberRow, now: number): Promise<void> {
  if (!(await teamMembers.end(db, target.id, now))) throw new AppError('team_member_not_found');
  await tokens.disableAll(db, { teamId: target.team_id, userId: target.user_id });
}

/** Adds a member (then true) or changes the role of one; the row is locked until the transaction ends. */
export async function setMember(
  { db, at }: VerbContext,
  teamId: number,
  userId: number,
  role: number,
): Promise<boolean> {
  const team = await teams.findLocked(db, teamId);
  if (team?.status !== teamStatus.enabled) throw new AppError('team_is_banned');
  const member = await teamMembers.findLocked(db, teamId, userId);
  if (member) {
    if (member.role === role) return false;
    if (member.role === teamRole.owner) throw new AppError('team_rank_protected');
    await teamMembers.update(db, member.id, { role });
    return false;
  }
  if (((await teamMembers.counts(db, [teamId])).get(teamId) ?? 0) >= maxMembers)
    throw new AppError('team_full', { limit: maxMembers });
  const before = await teamMembers.findEver(db, teamId, userId);
  if (before) await teamMembers.update(db, before.id, { role, joined_time: at, left_time: null });
  else await teamMembers.create(db, { team_id: teamId, user_id: userId, role, joined_time: at });
  return true;
}

/**
 * Makes a user a member with this role, or ends the membership (undefined), by a rule of the site. Owners stay. Throws
 * `team_not_found`, `team_is_banned`, `team_full`.
 */
export async function assignMember(
  deps: TeamsDeps,
  { teamId, userId }: { teamId: number; userId: number },
  role: TeamRole | undefined,
): Promise<void> {
  const member = await teamMembers.find(deps.db, teamId, userId);
  if (member?.role === teamRole.owner || member?.role === role) return;
  const change = async (money: VerbContext): Promise<boolean> => {
    if (role !== undefined) {
      const isNew = await setMember(money, teamId, userId, role);
      return isNew && (await giveBudgets(money.db, { userId, teamId }, money.at));
    }
    const target = await teamMembers.findLocked(money.db, teamId, userId);
    if (target) await end(money.db, target, money.at);
    return false;
  };
  const note = role === undefined ? {} : { role };
  const hasBudgets = await changingTeam(deps, teamId, change, {
    userId,
    note,
    evenBanned: role === undefined,
  });
  if (hasBudgets) await deps.budgetsChanged();
  deps.log.info({ teamId, userId, role }, 'a sign-in rule changed a membership');
}

/** Removes a member of lower rank. */
export async function removeMember(deps: TeamsDeps, actor: Membership, userId: number): Promise<void> {
  const { team, member } = actor;
  await changingTeam(
    deps,
    team.id,
    async ({ db }) => end(db, await lockBelow(db, actor, userId), seconds(deps.clock)),
    { userId },
  );
  deps.log.info({ actorId: member.user_id, teamId: team.id, userId }, 'a member was removed');
}

/** A member leaves. Throws `team_owner_stays`. */
export async function leaveTeam(deps: TeamsDeps, { team, member }: Membership): Promise<void> {
  await changingTeam(
    deps,
    team.id,
    async ({ db }) => {
      const self = await teamMembers.findLocked(db, team.id, member.user_id);
      if (!self) throw new AppError('team_not_found');
      if (self.role === teamRole.owner) throw new AppError('team_owner_stays');
      await end(db, self, seconds(deps.clock));
    },
    { evenBanned: true },
  );
  deps.log.info({ teamId: team.id, userId: member.user_id }, 'a member left a team');
}
