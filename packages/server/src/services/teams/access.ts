import { AppError, type TeamRole } from '@tollgate/contract';
import { type Db, teamMembers, teams } from '../../store/index.ts';

/** Somebody's place in a team, as it is at this moment. */
export interface Membership {
  readonly team: teams.TeamRow;
  readonly member: teamMembers.TeamMemberRow;
}

/**
 * The place of a user in a team: the one check of a role in a team. Throws `team_not_found` for a team that does not
 * exist and for those who are not in it alike, `team_role_insufficient` for members of a lower role.
 */
export async function membershipOf(
  db: Db,
  userId: number,
  teamId: number,
  needed: TeamRole,
): Promise<Membership> {
  const [team, member] = await Promise.all([teams.find(db, teamId), teamMembers.find(db, teamId, userId)]);
  if (!team || !member) throw new AppError('team_not_found');
  if (member.role < needed) throw new AppError('team_role_insufficient');
  return { team, member };
}

/** Whether somebody has at least this role in a team. */
export async function hasTeamRole(
  db: Db,
  userId: number,
  teamId: number,
  needed: TeamRole,
): Promise<boolean> {
  try {
    await membershipOf(db, userId, teamId, needed);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
