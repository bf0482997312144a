import {
  channelApi,
  channelHealthApi,
  modelApi,
  type CallOf,
  type ChannelData,
  type ChannelTestKind,
} from '@tollgate/contract';
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call, callFull } from '../../../lib/api/api-client.ts';
import { isFailing } from './rows.ts';

export const root = ['channels'] as const;

export interface ChannelFilter {
  /** From 1. */
  page: number;
  pageSize: number;
  keyword: string;
  group: string;
  model: string;
  /** 0 for all. */
  status: number;
  /** Only those whose last test failed. */
  failing: boolean;
  tagMode: boolean;
  idSort: boolean;
  /** A column; '' for the default order by priority or id. */
  sort: string;
}

export const isSearch = (filter: Pick<ChannelFilter, 'keyword' | 'group' | 'model' | 'status'>): boolean =>
  filter.keyword !== '' || filter.group !== '' || filter.model !== '' || filter.status !== 0;

/** A page of channels (in tag mode all channels of a page of tags) and the total; a search returns all matches. */
export const channelsQuery = (filter: ChannelFilter) =>
  queryOptions({
    queryKey: [...root, 'list', filter],
    queryFn: async ({ signal }) => {
      const { page, pageSize, keyword, group, model, status, failing, tagMode, idSort, sort } = filter;
      const order = { id_sort: idSort, tag_mode: tagMode, sort };
      if (isSearch(filter)) {
        const found = await call(channelApi.search, { keyword, group, model, status, ...order }, { signal });
        const channels = failing ? found.filter(isFailing) : found;
        return { channels, total: channels.length };
      }
      const asked = { p: page - 1, page_size: pageSize, ...order };
      const { data, extra } = await callFull(channelApi.list, asked, { signal });
      return { channels: data, total: extra.total };
    },
    placeholderData: keepPreviousData,
  });

export const channelQuery = (id: number) =>
  queryOptions({
    queryKey: [...root, 'one', id],
    queryFn: ({ signal }) => call(channelApi.get, { id }, { signal }),
  });

/** A page of the keys of a multi-key channel; status 0 for all. */
export const channelKeysQuery = (asked: { id: number; page: number; pageSize: number; status: number }) =>
  queryOptions({
    queryKey: [...root, 'keys', asked],
    queryFn: async ({ signal }) => {
      const { id, page, pageSize, status } = asked;
      const wanted = { channel_id: id, page, page_size: pageSize, ...(status > 0 && { status }) };
      const data = await call(channelApi.manageKeys, { action: 'get_key_status', ...wanted }, { signal });
      return typeof data === 'object' ? data : null;
    },
    placeholderData: keepPreviousData,
  });

/** Results of each channel in the last hour. */
export const healthQuery = queryOptions({
  queryKey: ['channel-health', 'list'],
  queryFn: ({ signal }) => call(channelHealthApi.report, {}, { signal }),
  staleTime: 30_000,
});

/** The kinds of providers; they change only with the server. */
export const typesQuery = queryOptions({
  queryKey: ['channel-types'],
  queryFn: ({ signal }) => call(channelApi.types, {}, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Provider number → its built-in models. */
export const knownModelsQuery = queryOptions({
  queryKey: ['known-models'],
  queryFn: ({ signal }) => call(modelApi.byType, {}, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Progress of the test of all channels; polled every second while it runs. */
export const testProgressQuery = queryOptions({
  queryKey: [...root, 'test-progress'],
  queryFn: ({ signal }) => call(channelApi.testProgress, {}, { signal }),
  refetchInterval: (query) => (query.state.data?.running ? 1000 : false),
});

/** A change of channels, which refetches every list of them. `quiet` if a form shows the error. */
export function useChannelMutation<Input, Result>(run: (input: Input) => Promise<Result>, quiet = false) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSettled: () => client.invalidateQueries({ queryKey: root }),
    meta: { quiet },
  });
}

export type ChannelChange = CallOf<typeof channelApi.update>;

export const useUpdateChannel = (quiet = false) =>
  useChannelMutation((change: ChannelChange) => call(channelApi.update, change), quiet);

export const useCreateChannel = () =>
  useChannelMutation((input: CallOf<typeof channelApi.create>) => call(channelApi.create, input), true);

/** Parameters of a test; '' if the server chooses by the model's name. */
export type TestChoice = ChannelTestKind | '';

/** Tests a channel with a model and returns the seconds it took. A refusal throws the upstream's message. */
export const testChannel = async (
  id: number,
  model: string,
  signal?: AbortSignal,
  kind: TestChoice = '',
): Promise<number> => {
  const asked = { id, model, ...(kind !== '' && { kind }) };
  return (await callFull(channelApi.test, asked, signal ? { signal } : {})).extra.time;
};

/** Comma lists of the wire. */
export const splitList = (list: string): string[] =>
  list
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);

/** Reason and time of Tollgate's disabling of a channel; null for other channels. */
export function disabledBecause(channel: ChannelData): { reason: string; time: number } | null {
  try {
    const info: unknown = JSON.parse(channel.other_info || '{}');
    if (typeof info !== 'object' || info === null) return null;
    const { status_reason: reason, status_time: time } = info as Record<string, unknown>;
    return typeof reason === 'string' && typeof time === 'number' ? { reason, time } : null;
  } catch {
    return null;
  }
}
