import { pricesApi, type SeenPriceChange } from '@tollgate/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';
import { attentionQuery } from '../attention.ts';
import { belowCostQuery } from '../below-cost/query.ts';
import { pricesQuery } from './tables-query.ts';

/** The comparison with public lists. */
export const priceListsKey = ['price-lists'] as const;

/** Refetches every view of prices after a change. */
export function useInvalidatePrices(): () => Promise<unknown> {
  const client = useQueryClient();
  const keys = [
    pricesQuery.queryKey,
    priceListsKey,
    belowCostQuery.queryKey,
    attentionQuery.queryKey,
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
