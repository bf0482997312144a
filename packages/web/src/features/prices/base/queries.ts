import { priceSyncApi, pricesApi, type SeenPriceChange } from '@tollgate/contract';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../lib/api/api-client.ts';
import { belowCostQuery } from '../../../shared/below-cost/query.ts';
import { pricesQuery } from '../../../shared/prices/tables-query.ts';

export const syncQuery = queryOptions({
  queryKey: ['price-lists'],
  queryFn: ({ signal }) => call(priceSyncApi.compare, {}, { signal }),
  staleTime: 60_000,
});

/** Every view of prices, after one has changed. */
function useInvalidatePrices(): () => Promise<unknown> {
  const client = useQueryClient();
  const keys = [
    pricesQuery.queryKey,
    syncQuery.queryKey,
    belowCostQuery.queryKey,
    ['unpriced-models'],
    ['pricing'],
    ['settings'],
  ];
  return () => Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
}

export function useSavePrices() {
  const onSuccess = useInvalidatePrices();
  return useMutation({
    mutationFn: (changes: SeenPriceChange[]) => call(pricesApi.update, { changes }),
    onSuccess,
  });
}

export function useApprovePrices() {
  const onSuccess = useInvalidatePrices();
  return useMutation({
    mutationFn: (rows: (SeenPriceChange & { own: boolean })[]) => call(priceSyncApi.approve, { rows }),
    onSuccess,
  });
}

/** Reads the lists again. */
export function useRefreshLists() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call(priceSyncApi.compare, { again: 'true' }),
    onSuccess: (report) => client.setQueryData(syncQuery.queryKey, report),
  });
}
