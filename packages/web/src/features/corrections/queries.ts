import { reratingApi, type ReratingData } from '@tollgate/contract';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../lib/api/api-client.ts';

const root = ['corrections'] as const;

/** Polling interval of a running correction, in ms. */
const pollMs = 1_000;

/** True while the server still changes charges for it. */
export const isUnderWay = ({ state }: Pick<ReratingData, 'state'>): boolean =>
  state === 'running' || state === 'reverting';

export const correctionsQuery = (page: number, pageSize: number) =>
  queryOptions({
    queryKey: [...root, 'list', page, pageSize],
    queryFn: ({ signal }) => call(reratingApi.list, { p: page, page_size: pageSize }, { signal }),
    refetchInterval: ({ state }) => (state.data?.items.some(isUnderWay) ? pollMs : false),
    placeholderData: keepPreviousData,
  });

export const correctionQuery = (rerating: number) =>
  queryOptions({
    queryKey: [...root, 'one', rerating],
    queryFn: ({ signal }) => call(reratingApi.get, { rerating }, { signal }),
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? pollMs : false),
  });

/** Its charges; refetched when their number or state changes. */
export const correctionRowsQuery = (correction: ReratingData, page: number, pageSize: number) =>
  queryOptions({
    queryKey: [
      ...root,
      'rows',
      correction.id,
      correction.state,
      correction.corrected_rows,
      correction.progress,
      page,
      pageSize,
    ],
    queryFn: ({ signal }) =>
      call(reratingApi.rows, { rerating: correction.id, p: page, page_size: pageSize }, { signal }),
    placeholderData: keepPreviousData,
  });

export const correctionsKey = root;
