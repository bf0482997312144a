import { type CallOf, planApi } from '@tollgate/contract';
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';

const root = ['plans'] as const;

export const plansQuery = queryOptions({
  queryKey: [...root, 'list'],
  queryFn: ({ signal }) => call(planApi.list, {}, { signal }),
});

export const subscriptionsQuery = (page: number, pageSize: number) =>
  queryOptions({
    queryKey: [...root, 'subscriptions', page, pageSize],
    queryFn: ({ signal }) => call(planApi.subscriptions, { p: page, page_size: pageSize }, { signal }),
    placeholderData: keepPreviousData,
  });

function usePlanMutation<Input, Result>(run: (input: Input) => Promise<Result>, quiet: boolean) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSettled: () => client.invalidateQueries({ queryKey: root }),
    meta: { quiet },
  });
}

/** Creates a plan, or changes the one with the id. */
export const useSavePlan = () =>
  usePlanMutation(
    ({ id, ...plan }: CallOf<typeof planApi.create> & { id: number | undefined }) =>
      id === undefined ? call(planApi.create, plan) : call(planApi.update, { id, ...plan }),
    true,
  );

export const useRemovePlan = () => usePlanMutation((id: number) => call(planApi.remove, { id }), false);

export const useGivePlan = () =>
  usePlanMutation((input: CallOf<typeof planApi.gift>) => call(planApi.gift, input), true);

export const useEndSubscription = () => usePlanMutation((id: number) => call(planApi.end, { id }), false);
