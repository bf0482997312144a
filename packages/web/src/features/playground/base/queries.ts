import { pricingApi } from '@tollgate/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../lib/api/api-client.ts';

/** What models cost and which groups offer them. */
export const pricesQuery = queryOptions({
  queryKey: ['playground', 'prices'],
  queryFn: ({ signal }) => call(pricingApi.list, {}, { signal }),
  staleTime: 60_000,
});
