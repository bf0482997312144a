import { dataApi, logApi, type LogStat, logType, type QuotaData } from '@tollgate/contract';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../../lib/api/api-client.ts';
import { spentOf } from '../../../shared/money/spent-of.ts';
import { selfQuery } from '../../../shared/self.ts';
import type { Span } from './span.ts';

/**
 * Scope of the figures: the user's own, or for administrators those of all users or of one; of calls with these tags
 * (`team=search`), or of all.
 */
export type Scope = ({ of: 'own' } | { of: 'all'; username: string }) & { tag: string };

/** Refetch interval of figures, in ms. Rates cover the last minute, so they are refetched more often. */
const refreshMs = 60_000;
const rateMs = 10_000;

/** The user's account, as fresh as the figures beside it. */
export const freshSelfQuery = queryOptions({ ...selfQuery, refetchInterval: refreshMs });

/**
 * Only the user's own money. Amounts that teams paid are on their statements, and are included in requests and tokens.
 */
const ownMoney = <T extends QuotaData | LogStat>(sum: T): T => ({
  ...sum,
  quota: sum.quota - sum.team_quota,
});

const ofAll = ({ username, tag }: Extract<Scope, { of: 'all' }>) => ({ username, tag });

const times = ({ start, end }: Span) => ({ start_timestamp: start, end_timestamp: end });

/** Consumption by model and hour. */
export const sumsQuery = (scope: Scope, span: Span) =>
  queryOptions({
    queryKey: ['dashboard', 'sums', scope, span],
    queryFn: ({ signal }): Promise<QuotaData[]> =>
      scope.of === 'own'
        ? call(dataApi.ownList, { ...times(span), tag: scope.tag }, { signal }).then((rows) =>
            rows.map((row) => ownMoney(row)),
          )
        : call(dataApi.list, { ...times(span), ...ofAll(scope) }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  });

/** Sums of the log over a span. */
export const summaryQuery = (scope: Scope, span: Span) =>
  queryOptions({
    queryKey: ['dashboard', 'summary', scope, span],
    queryFn: ({ signal }) =>
      scope.of === 'own'
        ? call(dataApi.ownSummary, { ...times(span), tag: scope.tag }, { signal })
        : call(dataApi.summary, { ...times(span), ...ofAll(scope) }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  });

/** Spending of a span by the value of a tag. */
export const tagSumsQuery = (scope: Scope, span: Span, name: string) =>
  queryOptions({
    queryKey: ['dashboard', 'tags', scope, span, name],
    queryFn: ({ signal }) =>
      scope.of === 'own'
        ? call(logApi.ownTagSums, { ...times(span), tag: scope.tag, name }, { signal })
        : call(logApi.tagSums, { ...times(span), ...ofAll(scope), name }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  });

/** Spending of a past span, as summed by the log. */
export const spentQuery = (scope: Scope, span: Span) =>
  queryOptions({
    queryKey: ['dashboard', 'spent', scope, span],
    queryFn: ({ signal }): Promise<LogStat> =>
      scope.of === 'own'
        ? call(logApi.ownStat, { ...times(span), tag: scope.tag }, { signal }).then((sum) =>
            ownMoney(spentOf(sum)),
          )
        : call(logApi.stat, { ...times(span), ...ofAll(scope) }, { signal }).then(spentOf),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  });

/** Spending since `start`, as summed by the log, and the requests and tokens of the last minute. */
export const todayQuery = (scope: Scope, start: number) =>
  queryOptions({
    queryKey: ['dashboard', 'today', scope, start],
    queryFn: ({ signal }): Promise<LogStat> =>
      scope.of === 'own'
        ? call(logApi.ownStat, { start_timestamp: start, tag: scope.tag }, { signal }).then((sum) =>
            ownMoney(spentOf(sum)),
          )
        : call(logApi.stat, { start_timestamp: start, ...ofAll(scope) }, { signal }).then(spentOf),
    placeholderData: keepPreviousData,
    refetchInterval: rateMs,
  });

/** Age of the oldest calls that count for the health of channels, in seconds. */
const trafficSeconds = 3_600;

/** The channels that fit into the grid, with their results of the last hour; the list shows all others. */
export const channelHealthQuery = queryOptions({
  queryKey: ['channels', 'health'],
  queryFn: ({ signal }) =>
    call(dataApi.channels, { start_timestamp: Math.floor(Date.now() / 1000) - trafficSeconds }, { signal }),
  select: ({ channels }) => channels,
  refetchInterval: refreshMs,
});

const refusalsShown = 6;

/** The newest failed calls of a span. */
export const refusalsQuery = (filter: { username: string; tag: string }, span: Span) =>
  queryOptions({
    queryKey: ['dashboard', 'refusals', filter, span],
    queryFn: ({ signal }) =>
      call(
        logApi.list,
        { ...times(span), p: 1, page_size: refusalsShown, type: logType.error, ...filter },
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  });
