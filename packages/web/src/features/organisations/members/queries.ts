import { teamApi, type CallOf } from '@tollgate/contract';
import { call } from '../../../lib/api/api-client.ts';
import { useTeamMutation } from '../base/queries.ts';

/** Changes role or limit of a member; what is refused stands in the drawer. */
export const useChangeMember = () =>
  useTeamMutation((input: CallOf<typeof teamApi.changeMember>) => call(teamApi.changeMember, input), {
    quiet: true,
  });

/** What is refused is told in the corner. */
export const useRemoveMember = () =>
  useTeamMutation((input: CallOf<typeof teamApi.removeMember>) => call(teamApi.removeMember, input));

export const useHandOver = () =>
  useTeamMutation((input: CallOf<typeof teamApi.handOver>) => call(teamApi.handOver, input));

export const useLeaveTeam = () => useTeamMutation((id: number) => call(teamApi.leave, { id }));
