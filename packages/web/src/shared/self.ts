import { selfApi } from '@tollgate/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../lib/api/api-client.ts';

/** The user's own account: balance, use, group. Changes to any of it invalidate this key. */
export const selfQuery = queryOptions({
  queryKey: ['self'],
  queryFn: ({ signal }) => call(selfApi.get, {}, { signal }),
});

/** The models that the user may call. */
export const selfModelsQuery = queryOptions({
  queryKey: ['self', 'models'],
  queryFn: ({ signal }) => call(selfApi.models, {}, { signal }),
});

/** The groups that the user may choose, with their ratios. */
export const selfGroupsQuery = queryOptions({
  queryKey: ['self', 'groups'],
  queryFn: ({ signal }) => call(selfApi.groups, {}, { signal }),
});
