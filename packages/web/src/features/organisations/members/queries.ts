import { teamApi, type CallOf } from '@tollgate/contract';
import { call } from '../../../lib/api/api-client.ts';
import { useTeamMutation } from '../base/queries.ts';

/** Changes role or limit of a member; errors are shown in the drawer. */
export const useChangeMember = () =>
  useTeamMutation((input: CallOf<typeof teamApi.changeMember>) => call(teamApi.changeMember, input), {
    quiet: true,
  });

/** Errors are shown as a toast. */
export const useRemoveMember = () =>
  useTeamMutation((input: CallOf<typeof teamApi.removeMember>) => call(teamApi.removeMember, input));

export const useHandOver = () =>
  useTeamMutation((input: CallOf<typeof teamApi.handOver>) => call(teamApi.handOver, input));

export const useLeaveTeam = () => useTeamMutation((id: number) => call(teamApi.leave, { id }));
