import { channelApi, pricingApi, redemptionApi, tokenApi, userApi } from '@tollgate/contract';
import { queryOptions, skipToken } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';

/** One letter would match everything. */
export const isSearch = (query: string) => query.length >= 2;

/** A search of one kind of record; `may` is true if this person has access to it. */
interface Asked {
  query: string;
  may: boolean;
}

const isAsked = ({ query, may }: Asked) => may && isSearch(query);

export const tokensQuery = (asked: Asked) =>
  queryOptions({
    queryKey: ['palette', 'tokens', asked],
    queryFn: isAsked(asked)
      ? ({ signal }) => call(tokenApi.search, { keyword: asked.query, token: '' }, { signal })
      : skipToken,
  });

export const channelsQuery = (asked: Asked) =>
  queryOptions({
    queryKey: ['palette', 'channels', asked],
    queryFn: isAsked(asked)
      ? ({ signal }) => call(channelApi.search, { keyword: asked.query }, { signal })
      : skipToken,
  });

export const codesQuery = (asked: Asked) =>
  queryOptions({
    queryKey: ['palette', 'codes', asked],
    queryFn: isAsked(asked)
      ? ({ signal }) => call(redemptionApi.search, { keyword: asked.query, p: 1, page_size: 10 }, { signal })
      : skipToken,
  });

export const usersQuery = (asked: Asked) =>
  queryOptions({
    queryKey: ['palette', 'users', asked],
    queryFn: isAsked(asked)
      ? ({ signal }) => call(userApi.search, { keyword: asked.query, p: 1, page_size: 10 }, { signal })
      : skipToken,
  });

/** All models with their prices: requested once and searched here. */
export const modelsQuery = (asked: Asked) =>
  queryOptions({
    queryKey: ['palette', 'models'],
    queryFn: isAsked(asked) ? ({ signal }) => call(pricingApi.list, {}, { signal }) : skipToken,
    staleTime: 60_000,
  });
