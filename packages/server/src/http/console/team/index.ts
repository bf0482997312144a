import { AppError, teamApi, teamRole, teamStatus } from '@tollgate/contract';
import type { Payments } from '../../../services/money/payments/index.ts';
import type { Teams } from '../../../services/people/teams/index.ts';
import { actorOf, membershipIn } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';
import { teamAdminRoutes } from './admin.ts';
import { teamInvitationRoutes } from './invitation.ts';
import { type TeamRecordDeps, teamRecordRoutes } from './records.ts';
import { type TeamTokenDeps, teamTokenRoutes } from './token.ts';

export interface TeamRouteDeps extends TeamRecordDeps, TeamTokenDeps {
  teams: Teams;
  payments: Pick<Payments, 'redeem'>;
}

/** A team, its wallet and its members. Roles are checked with the route, before any of this runs. */
const ownTeams = ({ teams, payments }: TeamRouteDeps): MountedRoute[] =>
  implement(teamApi, {
    list: (_, context) => teams.list(actorOf(context).id),
    create: ({ name }, context) => teams.create(actorOf(context).id, name),
    get: (_, context) => teams.show(membershipIn(context)),
    async rename({ name }, context) {
      const membership = membershipIn(context);
      await teams.rename(membership, name);
      return teams.show(membership);
    },
    remove: (_, context) => teams.remove(membershipIn(context), context.requestId),
    async handOver({ user_id }, context) {
      await teams.handOver(membershipIn(context), user_id, context.requestId);
      return null;
    },
    async leave(_, context) {
      await teams.leave(membershipIn(context));
      return null;
    },
    fund: ({ quota }, context) => teams.fund(membershipIn(context), quota, context.requestId),
    withdraw: ({ quota }, context) => teams.withdraw(membershipIn(context), quota, context.requestId),
    redeem({ key }, context) {
      const { team } = membershipIn(context);
      if (team.status !== teamStatus.enabled) throw new AppError('team_is_banned');
      const wallet = { id: team.id, accountId: team.account_id };
      return payments.redeem({ id: actorOf(context).id, team: wallet }, key);
    },
    members(_, context) {
      const membership = membershipIn(context);
      const { role, user_id } = membership.member;
      return teams.members(membership, role >= teamRole.manager ? undefined : user_id);
    },
    changeMember: ({ user_id, role, limit }, context) =>
      teams.changeMember(membershipIn(context), { userId: user_id, role, limit }, context.requestId),
    async removeMember({ user_id }, context) {
      await teams.removeMember(membershipIn(context), user_id);
      return null;
    },
  });

/** Every call about teams, which the console calls organisations. */
export const teamRoutes = (deps: TeamRouteDeps): MountedRoute[] => [
  ...ownTeams(deps),
  ...teamInvitationRoutes(deps),
  ...teamTokenRoutes(deps),
  ...teamRecordRoutes(deps),
  ...teamAdminRoutes(deps),
];
