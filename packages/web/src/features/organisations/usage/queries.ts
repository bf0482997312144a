import { teamRecordApi, type CallOf } from '@tollgate/contract';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../../lib/api/api-client.ts';
import { teamRoot } from '../base/queries.ts';

/** The organisation and the filters, as the calls take them. */
export type UsageFilter = CallOf<typeof teamRecordApi.logStat>;

export const usageQuery = (filter: UsageFilter, page: number, pageSize: number) =>
  queryOptions({
    queryKey: [...teamRoot(Number(filter.id)), 'log', filter, page, pageSize],
    queryFn: ({ signal }) =>
      call(teamRecordApi.logs, { ...filter, p: page, page_size: pageSize }, { signal }),
    placeholderData: keepPreviousData,
  });

export const usageStatQuery = (filter: UsageFilter) =>
  queryOptions({
    queryKey: [...teamRoot(Number(filter.id)), 'log-stat', filter],
    queryFn: ({ signal }) => call(teamRecordApi.logStat, filter, { signal }),
    placeholderData: keepPreviousData,
  });
