import { unpricedApi } from '@tollgate/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';

const staleMs = 5 * 60_000;

/** Number of offered models without a price, whose calls are refused; only root may ask. */
export const unpricedQuery = queryOptions({
  queryKey: ['unpriced-models'],
  queryFn: ({ signal }) => call(unpricedApi.count, {}, { signal }),
  staleTime: staleMs,
  meta: { quiet: true },
});
