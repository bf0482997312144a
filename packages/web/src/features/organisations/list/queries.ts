import { teamApi, teamInvitationApi, type CallOf } from '@tollgate/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../lib/api/api-client.ts';
import { root, useTeamMutation } from '../base/queries.ts';

/** Open invitations that name the person. */
export const ownInvitationsQuery = queryOptions({
  queryKey: [...root, 'invitations'],
  queryFn: ({ signal }) => call(teamInvitationApi.ownList, {}, { signal }),
});

/** The invitation of a link's code. */
export const lookQuery = (code: string) =>
  queryOptions({
    // Not under the shared prefix: after an answer uses up the code, it must not be refetched.
    queryKey: ['team-invitation', code],
    queryFn: ({ signal }) => call(teamInvitationApi.look, { code }, { signal }),
    enabled: code !== '',
    staleTime: Number.POSITIVE_INFINITY,
  });

export const useCreateTeam = () =>
  useTeamMutation((name: string) => call(teamApi.create, { name }), { quiet: true });

type Which = CallOf<typeof teamInvitationApi.accept>;

/** Joins; returns the id of the organisation. Errors are shown as a toast, or by the page. */
export const useAccept = (options?: { quiet: boolean }) =>
  useTeamMutation((which: Which) => call(teamInvitationApi.accept, which), options);

export const useDecline = (options?: { quiet: boolean }) =>
  useTeamMutation((which: Which) => call(teamInvitationApi.decline, which), options);
