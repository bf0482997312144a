import { auditApi, type CallOf } from '@tollgate/contract';
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';

/** The filters as parameters of the call. */
export type AuditFilter = Pick<
  CallOf<typeof auditApi.list>,
  'start_timestamp' | 'end_timestamp' | 'actor' | 'target' | 'kind' | 'text'
>;

/** The filtered rows before a row id (0 for the newest). */
export const fetchAudit = (filter: AuditFilter, before: number, limit: number, signal?: AbortSignal) =>
  call(auditApi.list, { ...filter, before, limit }, signal ? { signal } : {});

const pageSize = 50;

export const auditQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam, signal }) => fetchAudit(filter, pageParam, pageSize, signal),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
