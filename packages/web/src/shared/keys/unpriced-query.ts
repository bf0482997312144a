import { pricingApi } from '@tollgate/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';

/** Names of the models without a price: calls of them are refused, unless the site serves them all the same. */
export const unpricedQuery = queryOptions({
  queryKey: ['pricing', 'unpriced'],
  queryFn: async ({ signal }) => {
    const items = await call(pricingApi.list, {}, { signal });
    return new Set(items.filter(({ unset }) => unset).map((item) => item.model_name));
  },
  staleTime: 60_000,
});
