import { teamInvitationApi } from '@tollgate/contract';
import type { Teams } from '../../../services/people/teams/index.ts';
import { actorOf, membershipIn } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';

/** Invitations into teams. */
export const teamInvitationRoutes = ({ teams }: { teams: Teams }): MountedRoute[] =>
  implement(teamInvitationApi, {
    list: (_, context) => teams.invitations(membershipIn(context)),
    create: ({ invitee, role, days }, context) =>
      teams.invite(membershipIn(context), { invitee, role, days }, context.language),
    async withdraw({ invitation }, context) {
      await teams.withdrawInvitation(membershipIn(context), invitation);
      return null;
    },
    ownList: (_, context) => teams.ownInvitations(actorOf(context).id),
    look: ({ code }, context) => teams.lookAtInvitation(actorOf(context).id, code),
    accept: (which, context) => teams.accept(actorOf(context).id, which),
    async decline(which, context) {
      await teams.decline(actorOf(context).id, which);
      return null;
    },
  });
