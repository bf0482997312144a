import { tokenApi, tokenStatus, type CallOf, type TokenData } from '@tollgate/contract';
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';
import { isShortened, wholeKey, type TokenCall } from '../../shared/keys/key-form.ts';

const root = ['tokens'] as const;

export interface TokenFilter {
  /** From 1. */
  page: number;
  pageSize: number;
  keyword: string;
  key: string;
  /** A column, or '' for the newest first. */
  sort: string;
}

/** One page of the caller's tokens; a search returns all matches at once. */
export const tokensQuery = ({ page, pageSize, keyword, key, sort }: TokenFilter) =>
  queryOptions({
    queryKey: [...root, 'list', page, pageSize, keyword, key, sort],
    queryFn: ({ signal }) =>
      keyword === '' && key === ''
        ? call(tokenApi.list, { p: page - 1, size: pageSize, sort }, { signal })
        : call(tokenApi.search, { keyword, token: key, sort }, { signal }),
    placeholderData: keepPreviousData,
  });

/** One token with its full key, if the site can still show it. */
export const tokenQuery = (id: number) =>
  queryOptions({
    queryKey: [...root, 'one', id],
    queryFn: ({ signal }) => call(tokenApi.get, { id }, { signal }),
  });

/** Fetches the key of a token; undefined if the site no longer has it. */
export async function fetchKey(id: number): Promise<string | undefined> {
  const token = await call(tokenApi.get, { id });
  return isShortened(token.key) ? undefined : wholeKey(token);
}

function useTokenMutation<Input, Result>(run: (input: Input) => Promise<Result>, quiet: boolean) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSettled: () => client.invalidateQueries({ queryKey: root }),
    meta: { quiet },
  });
}

/** Creates tokens one after another and returns them; on a failure the earlier ones stay and are listed. */
export const useCreateTokens = () =>
  useTokenMutation(async (inputs: readonly TokenCall[]) => {
    const created: TokenData[] = [];
    for (const input of inputs) created.push(await call(tokenApi.create, input));
    return created;
  }, true);

export const useUpdateToken = () =>
  useTokenMutation((change: CallOf<typeof tokenApi.update>) => call(tokenApi.update, change), true);

/** Enables or disables; no other field is written. */
export const useSwitchToken = () =>
  useTokenMutation(
    ({ token, enable }: { token: number; enable: boolean }) =>
      call(tokenApi.update, {
        id: token,
        status: enable ? tokenStatus.enabled : tokenStatus.disabled,
        status_only: true,
      }),
    false,
  );

export const useRemoveToken = () => useTokenMutation((id: number) => call(tokenApi.remove, { id }), false);
