import { AppError } from '@tollgate/contract';
import type {
  Language,
  ManagedTeamData,
  MemberImportResult,
  NewTeamInvitation,
  OwnInvitationData,
  Page,
  TeamData,
  TeamInvitationData,
  TeamMemberData,
  TeamRole,
  TeamStatement,
} from '@tollgate/contract';
import { createAttempts } from '../../../lib/attempts.ts';
import { type Db, teams } from '../../../store/index.ts';
import type { Actor } from '../auth/index.ts';
import { type Membership, findMembership } from './access.ts';
import { adjustTeam, editTeam, listAllTeams, type TeamEdit, type TeamQuotaChange } from './administer.ts';
import type { TeamsDeps } from './deps.ts';
import * as invitations from './invitations.ts';
import { importMembers, type MemberImport } from './import-members.ts';
import { assignMember, changeMember, leaveTeam, type MemberChange, removeMember } from './members.ts';
import { moveQuota } from './money.ts';
import { readStatement } from './statement.ts';
import { createTeam, handOver, removeTeam, renameTeam, showTeam } from './team.ts';
import { listMembers, listTeams } from './view.ts';

/** Teams: users who share a wallet. Functions throw AppErrors; a Membership means that its role was checked. */
export interface Teams {
  /** The only check of a role in a team: `team_not_found` for outsiders, `team_role_insufficient` for lower roles. */
  membership(userId: number, teamId: number, needed: TeamRole): Promise<Membership>;
  list(userId: number): Promise<TeamData[]>;
  show(membership: Membership): Promise<TeamData>;
  create(ownerId: number, name: string): Promise<TeamData>;
  rename(membership: Membership, name: string): Promise<void>;
  /** Returns the amount moved to the owner. */
  remove(membership: Membership, requestId: string): Promise<number>;
  handOver(membership: Membership, userId: number, requestId: string): Promise<void>;
  leave(membership: Membership): Promise<void>;
  /** Returns the team's balance. */
  fund(membership: Membership, quota: number, requestId: string): Promise<number>;
  withdraw(membership: Membership, quota: number, requestId: string): Promise<number>;
  /** `only`: one member's limit, if the reader may not see others. */
  members(membership: Membership, only?: number): Promise<TeamMemberData[]>;
  changeMember(membership: Membership, change: MemberChange, requestId: string): Promise<TeamMemberData>;
  removeMember(membership: Membership, userId: number): Promise<void>;
  /** By a rule of the site: a member with this role, or none (undefined). */
  assign(userId: number, teamId: number, role: TeamRole | undefined): Promise<void>;
  /** Adds or invites members with their limits; the results are in the order of the rows. */
  importOwn(membership: Membership, what: MemberImport): Promise<MemberImportResult[]>;
  /** The same for root, who adds users and creates unknown ones. Throws `team_not_found`. */
  importInto(teamId: number, what: MemberImport): Promise<MemberImportResult[]>;
  invite(
    membership: Membership,
    input: invitations.InvitationInput,
    language: Language,
  ): Promise<NewTeamInvitation>;
  invitations(membership: Membership): Promise<TeamInvitationData[]>;
  withdrawInvitation(membership: Membership, invitation: number): Promise<void>;
  ownInvitations(userId: number): Promise<OwnInvitationData[]>;
  lookAtInvitation(userId: number, code: string): Promise<OwnInvitationData>;
  accept(userId: number, which: invitations.WhichInvitation): Promise<number>;
  decline(userId: number, which: invitations.WhichInvitation): Promise<void>;
  statement(
    membership: Membership,
    query: { month: string; page: number; pageSize: number },
  ): Promise<TeamStatement>;
  all(query: { keyword: string; page: number; pageSize: number }): Promise<Page<ManagedTeamData>>;
  edit(actor: Actor, id: number, edit: TeamEdit, requestId: string): Promise<ManagedTeamData>;
  adjust(actor: Actor, change: TeamQuotaChange, requestId: string): Promise<ManagedTeamData>;
}

/** Maximum number of invitations by mail that one user may send in an hour, to prevent spam. */
const maxMails = 20;
const hourMs = 3_600_000;

/** Opens the teams. `reports` is a connection for statements, which may be slow: its reads block nothing else. */
export function createTeams(deps: TeamsDeps & { reports: Db }): Teams {
  const mails = createAttempts(maxMails, hourMs, deps.clock);
  return {
    membership: (userId, teamId, needed) => findMembership(deps.db, userId, teamId, needed),
    list: (userId) => listTeams(deps, userId),
    show: ({ team, member }) => showTeam(deps, team.id, member.user_id),
    create: (ownerId, name) => createTeam(deps, ownerId, name),
    rename: (membership, name) => renameTeam(deps, membership, name),
    remove: (membership, requestId) => removeTeam(deps, membership, requestId),
    handOver: (membership, userId, requestId) => handOver(deps, membership, userId, requestId),
    leave: (membership) => leaveTeam(deps, membership),
    fund: (membership, quota, requestId) =>
      moveQuota(deps, membership, { quota, direction: 'in' }, requestId),
    withdraw: (membership, quota, requestId) =>
      moveQuota(deps, membership, { quota, direction: 'out' }, requestId),
    members: ({ team }, only) => listMembers(deps, team.id, only),
    changeMember: (membership, change, requestId) => changeMember(deps, membership, change, requestId),
    removeMember: (membership, userId) => removeMember(deps, membership, userId),
    assign: (userId, teamId, role) => assignMember(deps, { teamId, userId }, role),
    importOwn: (membership, what) => {
      const mayMail = () => mails.take(membership.member.user_id) === 0;
      return importMembers(deps, { kind: 'owner', membership, mayMail }, what);
    },
    async importInto(teamId, what) {
      const team = await teams.find(deps.db, teamId);
      if (!team) throw new AppError('team_not_found');
      return importMembers(deps, { kind: 'root', team }, what);
    },
    invite: (membership, input, language) =>
      invitations.invite(deps, membership, input, {
        mayMail: () => mails.take(membership.member.user_id) === 0,
        language,
      }),
    invitations: (membership) => invitations.listInvitations(deps, membership),
    withdrawInvitation: (membership, id) => invitations.withdrawInvitation(deps, membership, id),
    ownInvitations: (userId) => invitations.ownInvitations(deps, userId),
    lookAtInvitation: (userId, code) => invitations.lookAtInvitation(deps, userId, code),
    accept: (userId, which) => invitations.acceptInvitation(deps, userId, which),
    decline: (userId, which) => invitations.declineInvitation(deps, userId, which),
    statement: (membership, query) => readStatement(deps, membership, query),
    all: (query) => listAllTeams(deps, query),
    edit: (actor, id, edit, requestId) => editTeam(deps, actor, id, edit, requestId),
    adjust: (actor, change, requestId) => adjustTeam(deps, actor, change, requestId),
  };
}
