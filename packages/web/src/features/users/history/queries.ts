import { userApi, userHistoryApi } from '@tollgate/contract';
import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../lib/api/api-client.ts';

const limit = 20;
const key = (id: number, what: string) => ['users', 'history', id, what];

export const userAuditQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: key(id, 'audit'),
    queryFn: ({ pageParam, signal }) =>
      call(userHistoryApi.audit, { id, before: pageParam, limit }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
  });

export const userMovementsQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: key(id, 'movements'),
    queryFn: ({ pageParam, signal }) =>
      call(userHistoryApi.movements, { id, before: pageParam, limit }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
  });

export const userSessionsQuery = (id: number) =>
  queryOptions({
    queryKey: key(id, 'sessions'),
    queryFn: ({ signal }) => call(userHistoryApi.sessions, { id }, { signal }),
  });

export const userTokensQuery = (id: number) =>
  queryOptions({
    queryKey: key(id, 'tokens'),
    queryFn: ({ signal }) => call(userHistoryApi.tokens, { id }, { signal }),
  });

/** Ends all sessions of a user; errors are shown as a toast. */
export function useEndSessions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => call(userApi.endSessions, { id }),
    onSettled: () => client.invalidateQueries({ queryKey: ['users', 'history'] }),
  });
}
