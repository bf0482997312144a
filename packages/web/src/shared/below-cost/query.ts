import { marginApi } from '@tollgate/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';

/** Channels with models that a group buys below their cost; only root may ask. */
export const belowCostQuery = queryOptions({
  queryKey: ['below-cost'],
  queryFn: ({ signal }) => call(marginApi.belowCost, {}, { signal }),
});
