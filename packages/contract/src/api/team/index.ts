export { teamApi, type TeamData, teamId, type TeamMemberData } from './team.ts';
export {
  maxImportedMembers,
  type MemberImportResult,
  type MemberImportRow,
  teamImportApi,
} from './team-import.ts';
export {
  maxInvitationDays,
  type NewTeamInvitation,
  type OwnInvitationData,
  teamInvitationApi,
  type TeamInvitationData,
} from './team-invitation.ts';
export { type StatementEntry, statementKinds, teamRecordApi, type TeamStatement } from './team-records.ts';
export { type ManagedTeamData, teamAdminApi } from './team-admin.ts';
