import { teamRole, teamStatus, type TeamData, type TeamMemberData } from '@tollgate/contract';

/** Permissions of a member in an organisation. */
export type TeamAction =
  | 'fund'
  | 'withdraw'
  | 'makeKeys'
  | 'seeAll'
  | 'invite'
  | 'inviteManagers'
  | 'rename'
  | 'remove'
  | 'leave';

type Place = Pick<TeamData, 'role' | 'status'>;

/** The permissions of a role, so that only permitted buttons are shown; the server has its own checks. */
export function teamActions({ role, status }: Place): ReadonlySet<TeamAction> {
  const acts = new Set<TeamAction>();
  const isManager = role >= teamRole.manager;
  const isOwner = role === teamRole.owner;
  if (!isOwner) acts.add('leave');
  if (isManager) acts.add('seeAll');
  if (status !== teamStatus.enabled) return acts;
  acts.add('makeKeys');
  if (isManager) acts.add('fund').add('invite').add('rename');
  if (isOwner) acts.add('withdraw').add('inviteManagers').add('remove');
  return acts;
}

/** Permitted actions on a member. */
export type MemberAction = 'limit' | 'role' | 'handOver' | 'remove';

/** Members of lower rank may be changed; only the owner appoints managers and transfers the organisation. */
export function memberActions(place: Place, member: Pick<TeamMemberData, 'role'>): ReadonlySet<MemberAction> {
  const acts = new Set<MemberAction>();
  const isAbove = place.role >= teamRole.manager && place.role > member.role;
  if (place.status !== teamStatus.enabled || !isAbove) return acts;
  acts.add('limit').add('remove');
  if (place.role === teamRole.owner) acts.add('role').add('handOver');
  return acts;
}
