import { priceSyncApi, type SeenPriceChange } from '@tollgate/contract';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../lib/api/api-client.ts';
import { priceListsKey, useInvalidatePrices } from '../../../shared/prices/save-prices.ts';

export const syncQuery = queryOptions({
  queryKey: priceListsKey,
  queryFn: ({ signal }) => call(priceSyncApi.compare, {}, { signal }),
  staleTime: 60_000,
});

export function useApprovePrices() {
  const onSuccess = useInvalidatePrices();
  return useMutation({
    mutationFn: (rows: (SeenPriceChange & { own: boolean })[]) => call(priceSyncApi.approve, { rows }),
    onSuccess,
  });
}

/** Refetches the lists. */
export function useRefreshLists() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call(priceSyncApi.compare, { again: 'true' }),
    onSuccess: (report) => client.setQueryData(syncQuery.queryKey, report),
  });
}
