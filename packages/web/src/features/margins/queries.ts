import { marginApi, type MarginQuery } from '@tollgate/contract';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';

export type MarginFilter = MarginQuery;

export const marginsQuery = (filter: MarginFilter) =>
  queryOptions({
    queryKey: ['margins', filter],
    queryFn: ({ signal }) => call(marginApi.sums, filter, { signal }),
    placeholderData: keepPreviousData,
  });
