import { pricingApi, selfApi } from '@tollgate/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../lib/api/api-client.ts';

export const modelsQuery = queryOptions({
  queryKey: ['self', 'models'],
  queryFn: ({ signal }) => call(selfApi.models, {}, { signal }),
});

export const groupsQuery = queryOptions({
  queryKey: ['self', 'groups'],
  queryFn: ({ signal }) => call(selfApi.groups, {}, { signal }),
});

/** The balance; asked anew after each answer. */
export const selfQuery = queryOptions({
  queryKey: ['self'],
  queryFn: ({ signal }) => call(selfApi.get, {}, { signal }),
});

/** What models cost and which groups offer them. */
export const pricesQuery = queryOptions({
  queryKey: ['playground', 'prices'],
  queryFn: ({ signal }) => call(pricingApi.list, {}, { signal }),
  staleTime: 60_000,
});
