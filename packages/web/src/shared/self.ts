import { selfApi } from '@tollgate/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../lib/api/api-client.ts';

/** The person's own account: balance, use, group. What changes any of it invalidates this key. */
export const selfQuery = queryOptions({
  queryKey: ['self'],
  queryFn: ({ signal }) => call(selfApi.get, {}, { signal }),
});

/** The models the person may call. */
export const selfModelsQuery = queryOptions({
  queryKey: ['self', 'models'],
  queryFn: ({ signal }) => call(selfApi.models, {}, { signal }),
});

/** The groups the person may choose among, with their ratios. */
export const selfGroupsQuery = queryOptions({
  queryKey: ['self', 'groups'],
  queryFn: ({ signal }) => call(selfApi.groups, {}, { signal }),
});
