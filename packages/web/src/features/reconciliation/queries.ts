import { reconciliationApi } from '@tollgate/contract';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';

export const reportsQuery = queryOptions({
  queryKey: ['usage-reports'],
  queryFn: ({ signal }) => call(reconciliationApi.list, {}, { signal }),
});

export const reportChannelsQuery = queryOptions({
  queryKey: ['report-channels'],
  queryFn: ({ signal }) => call(reconciliationApi.channels, {}, { signal }),
});

export const comparedQuery = (report: number, tolerance: number) =>
  queryOptions({
    queryKey: ['usage-report', report, tolerance],
    queryFn: ({ signal }) => call(reconciliationApi.compare, { report, tolerance }, { signal }),
    placeholderData: keepPreviousData,
  });
