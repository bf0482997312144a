import { teamApi, teamRecordApi } from '@tollgate/contract';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../lib/api/api-client.ts';

/** Prefix of all query keys about organisations. */
export const root = ['teams'] as const;
/** Prefix of all query keys about one organisation. */
export const teamRoot = (id: number) => [...root, id] as const;

/** The organisations of the user. */
export const teamsQuery = queryOptions({
  queryKey: [...root, 'own'],
  queryFn: ({ signal }) => call(teamApi.list, {}, { signal }),
});

/** One organisation; an impossible id is not requested. */
export const teamQuery = (id: number) =>
  queryOptions({
    queryKey: [...teamRoot(id), 'one'],
    queryFn: ({ signal }) => call(teamApi.get, { id }, { signal }),
    enabled: id > 0,
  });

export const membersQuery = (id: number) =>
  queryOptions({
    queryKey: [...teamRoot(id), 'members'],
    queryFn: ({ signal }) => call(teamApi.members, { id }, { signal }),
  });

/** A page of a month of the wallet; '' is this month. */
export const statementQuery = (id: number, month: string, page: number, pageSize: number) =>
  queryOptions({
    queryKey: [...teamRoot(id), 'statement', month, page, pageSize],
    queryFn: ({ signal }) =>
      call(teamRecordApi.statement, { id, month, p: page, page_size: pageSize }, { signal }),
  });

/** A change of organisations, after which all of them, and the user's own balance, are refetched. */
export function useTeamMutation<Input, Result>(
  run: (input: Input) => Promise<Result>,
  { quiet = false } = {},
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: root }),
        client.invalidateQueries({ queryKey: ['self'], exact: true }),
      ]),
    meta: { quiet },
  });
}
