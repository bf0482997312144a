import { AppError, type TeamRole } from '@tollgate/contract';
import { type Db, teamMembers, teams } from '../../../store/index.ts';

/** A user's present membership in a team. */
export interface Membership {
  readonly team: teams.TeamRow;
  readonly member: teamMembers.TeamMemberRow;
}

/**
 * The membership of a user: the only check of a role in a team. Throws `team_not_found` both for teams that do not
 * exist and for outsiders, `team_role_insufficient` for lower roles.
 */
export async function findMembership(
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

/** Whether a user has at least this role in a team. */
export async function hasTeamRole(
  db: Db,
  userId: number,
  teamId: number,
  needed: TeamRole,
): Promise<boolean> {
  try {
    await findMembership(db, userId, teamId, needed);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
