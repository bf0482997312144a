import { dataApi, logApi, type LogStat, logType, type QuotaData } from '@tollgate/contract';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../../lib/api/api-client.ts';
import { spentOf } from '../../../shared/money/spent-of.ts';
import { selfQuery } from '../../../shared/self.ts';
import type { Span } from './span.ts';

/** Whose figures: one's own, or as an administrator those of everybody or of one user. */
export type Scope = { of: 'own' } | { of: 'all'; username: string };

/** How often figures are refetched, in ms. Rates are those of the last minute, so they are asked for more often. */
const refreshMs = 60_000;
const rateMs = 10_000;

/** The person's account, as fresh as the figures beside it. */
export const freshSelfQuery = queryOptions({ ...selfQuery, refetchInterval: refreshMs });

/** Only one's own money: what teams paid is on their statements, and part of requests and tokens. */
const ownMoney = <T extends QuotaData | LogStat>(sum: T): T => ({
  ...sum,
  quota: sum.quota - sum.team_quota,
});

const times = ({ start, end }: Span) => ({ start_timestamp: start, end_timestamp: end });

/** Consumption by model and hour. */
export const sumsQuery = (scope: Scope, span: Span) =>
  queryOptions({
    queryKey: ['dashboard', 'sums', scope, span],
    queryFn: ({ signal }): Promise<QuotaData[]> =>
      scope.of === 'own'
        ? call(dataApi.ownList, times(span), { signal }).then((rows) => rows.map((row) => ownMoney(row)))
        : call(dataApi.list, { ...times(span), username: scope.username }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  });

/** Sums of the log over a span. */
export const summaryQuery = (scope: Scope, span: Span) =>
  queryOptions({
    queryKey: ['dashboard', 'summary', scope, span],
    queryFn: ({ signal }) =>
      scope.of === 'own'
        ? call(dataApi.ownSummary, times(span), { signal })
        : call(dataApi.summary, { ...times(span), username: scope.username }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  });

/** What was spent in a span that is over, as the log sums it up. */
export const spentQuery = (scope: Scope, span: Span) =>
  queryOptions({
    queryKey: ['dashboard', 'spent', scope, span],
    queryFn: ({ signal }): Promise<LogStat> =>
      scope.of === 'own'
        ? call(logApi.ownStat, times(span), { signal }).then((sum) => ownMoney(spentOf(sum)))
        : call(logApi.stat, { ...times(span), username: scope.username }, { signal }).then(spentOf),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  });

/** What was spent since `start`, as the log sums it up, and the requests and tokens of the last minute. */
export const todayQuery = (scope: Scope, start: number) =>
  queryOptions({
    queryKey: ['dashboard', 'today', scope, start],
    queryFn: ({ signal }): Promise<LogStat> =>
      scope.of === 'own'
        ? call(logApi.ownStat, { start_timestamp: start }, { signal }).then((sum) => ownMoney(spentOf(sum)))
        : call(logApi.stat, { start_timestamp: start, username: scope.username }, { signal }).then(spentOf),
    placeholderData: keepPreviousData,
    refetchInterval: rateMs,
  });

/** How far back the calls reach that channels are judged by, in seconds. */
const trafficSeconds = 3_600;

/** The channels that fit into the grid, and how the calls of the last hour went on each; the list itself shows the rest. */
export const channelHealthQuery = queryOptions({
  queryKey: ['channels', 'health'],
  queryFn: ({ signal }) =>
    call(dataApi.channels, { start_timestamp: Math.floor(Date.now() / 1000) - trafficSeconds }, { signal }),
  select: ({ channels }) => channels,
  refetchInterval: refreshMs,
});

const refusalsShown = 6;

/** The newest calls of a span that failed. */
export const refusalsQuery = (username: string, span: Span) =>
  queryOptions({
    queryKey: ['dashboard', 'refusals', username, span],
    queryFn: ({ signal }) =>
      call(
        logApi.list,
        { ...times(span), p: 1, page_size: refusalsShown, type: logType.error, username },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  });
