import { teamAdminApi, type CallOf } from '@tollgate/contract';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../../lib/api/api-client.ts';
import { root, useTeamMutation } from '../base/queries.ts';

/** A page of all organisations, newest first; pages count from 1. */
export const allQuery = (page: number, pageSize: number, keyword: string) =>
  queryOptions({
    queryKey: [...root, 'all', page, pageSize, keyword],
    queryFn: ({ signal }) => call(teamAdminApi.list, { p: page, page_size: pageSize, keyword }, { signal }),
    placeholderData: keepPreviousData,
  });

/** Changes one; errors are shown in the drawer, or as a toast. */
export const useManageTeam = (options?: { quiet: boolean }) =>
  useTeamMutation((input: CallOf<typeof teamAdminApi.update>) => call(teamAdminApi.update, input), options);

/** Adjusts the balance; errors are shown in the dialog. */
export const useAdjustTeam = () =>
  useTeamMutation((input: CallOf<typeof teamAdminApi.adjust>) => call(teamAdminApi.adjust, input), {
    quiet: true,
  });
