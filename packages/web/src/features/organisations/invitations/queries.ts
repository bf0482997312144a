import { teamInvitationApi, type CallOf } from '@tollgate/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../lib/api/api-client.ts';
import { teamRoot, useTeamMutation } from '../base/queries.ts';

export const invitationsQuery = (id: number) =>
  queryOptions({
    queryKey: [...teamRoot(id), 'invitations'],
    queryFn: ({ signal }) => call(teamInvitationApi.list, { id }, { signal }),
  });

/** Invites somebody; errors are shown in the drawer. */
export const useInvite = () =>
  useTeamMutation((input: CallOf<typeof teamInvitationApi.create>) => call(teamInvitationApi.create, input), {
    quiet: true,
  });

export const useWithdrawInvitation = (id: number) =>
  useTeamMutation((invitation: number) => call(teamInvitationApi.withdraw, { id, invitation }));
