import {
  AppError,
  teamAdminApi,
  teamApi,
  teamImportApi,
  teamInvitationApi,
  teamRecordApi,
  teamRole,
  teamStatus,
} from '@tollgate/contract';
import type { Payments } from '../../../services/money/payments/index.ts';
import type { Teams } from '../../../services/people/teams/index.ts';
import { requireActor, type CallContext, requireMembership } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';
import { type TeamTokenDeps, teamTokenRoutes } from './token.ts';
import type { Logs } from '../../../services/upkeep/logs/index.ts';

interface TeamRecordDeps {
  teams: Teams;
  logs: Pick<Logs, 'teamList' | 'teamStat'>;
}

/** Owner of the rows that a member sees: their own, or undefined (all) for managers and owners. */
function readerOf(context: CallContext): { teamId: number; userId: number | undefined } {
  const { team, member } = requireMembership(context);
  return { teamId: team.id, userId: member.role >= teamRole.manager ? undefined : member.user_id };
}

/** A team's log and the statement of its wallet. */
const teamRecordRoutes = ({ teams, logs }: TeamRecordDeps): MountedRoute[] =>
  implement(teamRecordApi, {
    logs: ({ p, page_size, ...filters }, context) =>
      logs.teamList(readerOf(context), filters, { page: p, pageSize: page_size }),
    logStat: (filters, context) => logs.teamStat(readerOf(context), filters),
    statement: ({ month, p, page_size }, context) =>
      teams.statement(requireMembership(context), { month, page: p, pageSize: page_size }),
  });

/** Invitations into teams. */
const teamInvitationRoutes = ({ teams }: { teams: Teams }): MountedRoute[] =>
  implement(teamInvitationApi, {
    list: (_, context) => teams.invitations(requireMembership(context)),
    create: ({ invitee, role, days }, context) =>
      teams.invite(requireMembership(context), { invitee, role, days }, context.language),
    async withdraw({ invitation }, context) {
      await teams.withdrawInvitation(requireMembership(context), invitation);
      return null;
    },
    ownList: (_, context) => teams.ownInvitations(requireActor(context).id),
    look: ({ code }, context) => teams.lookAtInvitation(requireActor(context).id, code),
    accept: (which, context) => teams.accept(requireActor(context).id, which),
    async decline(which, context) {
      await teams.decline(requireActor(context).id, which);
      return null;
    },
  });

/** Import of members by the owner, and by root. */
const teamImportRoutes = ({ teams }: { teams: Teams }): MountedRoute[] =>
  implement(teamImportApi, {
    own: ({ rows, time_zone: timeZone, dry_run: isDry }, context) =>
      teams.importOwn(requireMembership(context), { rows, timeZone, isDry, language: context.language }),
    all: ({ id, rows, time_zone: timeZone, dry_run: isDry }, { language }) =>
      teams.importInto(id, { rows, timeZone, isDry, language }),
  });

/** All teams, for administrators. */
const teamAdminRoutes = ({ teams }: { teams: Teams }): MountedRoute[] =>
  implement(teamAdminApi, {
    list: ({ p, page_size, keyword }) => teams.all({ page: p, pageSize: page_size, keyword }),
    update: ({ id, owner_id, ...edit }, context) =>
      teams.edit(requireActor(context), id, { ...edit, ownerId: owner_id }, context.requestId),
    adjust: ({ id, quota, reason, expires_time: expiresAt }, context) =>
      teams.adjust(requireActor(context), { id, quota, reason, expiresAt }, context.requestId),
  });

export interface TeamRouteDeps extends TeamRecordDeps, TeamTokenDeps {
  teams: Teams;
  payments: Pick<Payments, 'redeem'>;
}

/** A team, its wallet and its members. Roles are checked with the route, before any of this runs. */
const ownTeams = ({ teams, payments }: TeamRouteDeps): MountedRoute[] =>
  implement(teamApi, {
    list: (_, context) => teams.list(requireActor(context).id),
    create: ({ name }, context) => teams.create(requireActor(context).id, name),
    get: (_, context) => teams.show(requireMembership(context)),
    async rename({ name }, context) {
      const membership = requireMembership(context);
      await teams.rename(membership, name);
      return teams.show(membership);
    },
    remove: (_, context) => teams.remove(requireMembership(context), context.requestId),
    async handOver({ user_id }, context) {
      await teams.handOver(requireMembership(context), user_id, context.requestId);
      return null;
    },
    async leave(_, context) {
      await teams.leave(requireMembership(context));
      return null;
    },
    fund: ({ quota }, context) => teams.fund(requireMembership(context), quota, context.requestId),
    withdraw: ({ quota }, context) => teams.withdraw(requireMembership(context), quota, context.requestId),
    redeem({ key }, context) {
      const { team } = requireMembership(context);
      if (team.status !== teamStatus.enabled) throw new AppError('team_is_banned');
      const wallet = { id: team.id, accountId: team.account_id };
      return payments.redeem({ id: requireActor(context).id, team: wallet }, key);
    },
    members(_, context) {
      const membership = requireMembership(context);
      const { role, user_id } = membership.member;
      return teams.members(membership, role >= teamRole.manager ? undefined : user_id);
    },
    changeMember: ({ user_id, role, limit }, context) =>
      teams.changeMember(requireMembership(context), { userId: user_id, role, limit }, context.requestId),
    async removeMember({ user_id }, context) {
      await teams.removeMember(requireMembership(context), user_id);
      return null;
    },
  });

/** Every call about teams, which the console calls organisations. */
export const teamRoutes = (deps: TeamRouteDeps): MountedRoute[] => [
  ...ownTeams(deps),
  ...teamInvitationRoutes(deps),
  ...teamImportRoutes(deps),
  ...teamTokenRoutes(deps),
  ...teamRecordRoutes(deps),
  ...teamAdminRoutes(deps),
];
