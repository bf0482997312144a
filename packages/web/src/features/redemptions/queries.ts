import { redemptionApi, redemptionStatus, type CallOf } from '@tollgate/contract';
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';

const root = ['redemptions'] as const;

export const redemptionsQuery = (page: number, pageSize: number, keyword: string, sort: string) =>
  queryOptions({
    queryKey: [...root, 'list', page, pageSize, keyword, sort],
    queryFn: ({ signal }) =>
      keyword === ''
        ? call(redemptionApi.list, { p: page, page_size: pageSize, sort }, { signal })
        : call(redemptionApi.search, { p: page, page_size: pageSize, keyword, sort }, { signal }),
    placeholderData: keepPreviousData,
  });

export const redemptionQuery = (id: number) =>
  queryOptions({
    queryKey: [...root, 'one', id],
    queryFn: ({ signal }) => call(redemptionApi.get, { id }, { signal }),
  });

/** The whole code. */
export const fetchCode = (id: number): Promise<string> => call(redemptionApi.reveal, { id });

/** Shows a full code; nothing changes, so the list is not refetched. */
export const useRevealCode = () => useMutation({ mutationFn: fetchCode });

function useRedemptionMutation<Input, Result>(run: (input: Input) => Promise<Result>, quiet: boolean) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSettled: () => client.invalidateQueries({ queryKey: root }),
    meta: { quiet },
  });
}

/** Creates codes and returns them. */
export const useCreateRedemptions = () =>
  useRedemptionMutation(
    (input: CallOf<typeof redemptionApi.create>) => call(redemptionApi.create, input),
    true,
  );

export const useUpdateRedemption = () =>
  useRedemptionMutation(
    (input: CallOf<typeof redemptionApi.update>) => call(redemptionApi.update, input),
    true,
  );

/** Enables or disables; no other field is written. */
export const useSwitchRedemption = () =>
  useRedemptionMutation(
    ({ id, enable }: { id: number; enable: boolean }) =>
      call(redemptionApi.update, {
        id,
        status: enable ? redemptionStatus.unused : redemptionStatus.disabled,
        status_only: true,
      }),
    false,
  );

/** Deletes the codes that cannot be redeemed; returns their number. */
export const useRemoveInvalid = () =>
  useRedemptionMutation(
    (input: CallOf<typeof redemptionApi.removeInvalid>) => call(redemptionApi.removeInvalid, input),
    false,
  );

export const useRemoveRedemption = () =>
  useRedemptionMutation((id: number) => call(redemptionApi.remove, { id }), false);
