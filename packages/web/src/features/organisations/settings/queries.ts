import { teamApi } from '@tollgate/contract';
import { call } from '../../../lib/api/api-client.ts';
import { useTeamMutation } from '../base/queries.ts';

export const useRename = (id: number) =>
  useTeamMutation((name: string) => call(teamApi.rename, { id, name }), { quiet: true });

/** Answers what went back to the owner, in quota units. */
export const useRemoveTeam = () => useTeamMutation((id: number) => call(teamApi.remove, { id }));
