import { secondFactorApi, userApi, type CallOf } from '@tollgate/contract';
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../lib/api/api-client.ts';

const root = ['users'] as const;

export interface UserFilter {
  /** From 1. */
  page: number;
  pageSize: number;
  keyword: string;
  group: string;
  /** A column, or '' for the newest first. */
  sort: string;
}

export const isSearch = ({ keyword, group }: Pick<UserFilter, 'keyword' | 'group'>): boolean =>
  keyword !== '' || group !== '';

/** One page of the users of this site, including deleted ones. */
export const usersQuery = ({ page, pageSize, keyword, group, sort }: UserFilter) =>
  queryOptions({
    queryKey: [...root, 'list', page, pageSize, keyword, group, sort],
    queryFn: ({ signal }) => {
      const slice = { p: page, page_size: pageSize, sort };
      return isSearch({ keyword, group })
        ? call(userApi.search, { ...slice, keyword, group }, { signal })
        : call(userApi.list, slice, { signal });
    },
    placeholderData: keepPreviousData,
  });

export const userQuery = (id: number) =>
  queryOptions({
    queryKey: [...root, 'one', id],
    queryFn: ({ signal }) => call(userApi.get, { id }, { signal }),
    enabled: id > 0,
  });

function useUserMutation<Input, Result>(run: (input: Input) => Promise<Result>, quiet: boolean) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: run,
    // Changes of administrators to themselves also show on their own pages.
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: root }),
        client.invalidateQueries({ queryKey: ['self'] }),
      ]),
    meta: { quiet },
  });
}

export const useCreateUser = () =>
  useUserMutation((input: CallOf<typeof userApi.create>) => call(userApi.create, input), true);

export const useUpdateUser = () =>
  useUserMutation((change: CallOf<typeof userApi.update>) => call(userApi.update, change), true);

export type ManageCall = CallOf<typeof userApi.manage>;

/** Acts on a user's role or status; errors are shown as a toast. */
export const useManageUser = () => useUserMutation((input: ManageCall) => call(userApi.manage, input), false);

/** Removes a user's authenticator app, passkeys and recovery codes; errors are shown as a toast. */
export const useResetFactors = () =>
  useUserMutation(async (id: number) => {
    await call(secondFactorApi.reset, { id });
    await call(secondFactorApi.resetPasskeys, { id });
  }, false);

/** Adjusts the balance; errors are shown in the dialog. */
export const useAdjustBalance = () =>
  useUserMutation(
    (input: Pick<ManageCall, 'id' | 'value' | 'mode' | 'reason' | 'expires_time'>) =>
      call(userApi.manage, { ...input, action: 'add_quota' }),
    true,
  );
