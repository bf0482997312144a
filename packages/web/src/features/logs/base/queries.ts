import { logApi, receiptApi, userApi, type CallOf } from '@tollgate/contract';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call, callFile } from '../../../lib/api/api-client.ts';

/** Filters as the calls take them. */
export type LogFilter = Pick<
  CallOf<typeof logApi.list>,
  | 'type'
  | 'exclude_type'
  | 'token_name'
  | 'model_name'
  | 'group'
  | 'request_id'
  | 'tag'
  | 'username'
  | 'channel'
  | 'payer'
  | 'start_timestamp'
  | 'end_timestamp'
>;

/** Administrators see all rows, others their own. */
export const fetchLogs = (
  isAdmin: boolean,
  filter: LogFilter,
  page: number,
  pageSize: number,
  signal?: AbortSignal,
) =>
  call(
    isAdmin ? logApi.list : logApi.ownList,
    { ...filter, p: page, page_size: pageSize },
    signal ? { signal } : {},
  );

export const logsQuery = (isAdmin: boolean, filter: LogFilter, page: number, pageSize: number) =>
  queryOptions({
    queryKey: ['logs', 'list', isAdmin, filter, page, pageSize],
    queryFn: ({ signal }) => fetchLogs(isAdmin, filter, page, pageSize, signal),
    placeholderData: keepPreviousData,
  });

export const logStatQuery = (isAdmin: boolean, filter: LogFilter) =>
  queryOptions({
    queryKey: ['logs', 'stat', isAdmin, filter],
    queryFn: ({ signal }) => call(isAdmin ? logApi.stat : logApi.ownStat, filter, { signal }),
    placeholderData: keepPreviousData,
  });

export const tagSumsQuery = (isAdmin: boolean, filter: LogFilter, name: string) =>
  queryOptions({
    queryKey: ['logs', 'tags', isAdmin, filter, name],
    queryFn: ({ signal }) =>
      call(isAdmin ? logApi.tagSums : logApi.ownTagSums, { ...filter, name }, { signal }),
    placeholderData: keepPreviousData,
  });

/** Ends every line of a file. */
const lineEnd = '\n'.charCodeAt(0);

/** The charges of all pages in the columns of FOCUS; `onRows` is called with their number so far. */
export function readFocusFile(
  isAdmin: boolean,
  filter: LogFilter,
  { signal, onRows }: { signal: AbortSignal; onRows: (count: number) => void },
): Promise<Blob> {
  // The first line has the names of the columns.
  let lines = -1;
  const onPiece = (piece: Uint8Array): void => {
    for (const byte of piece) if (byte === lineEnd) lines += 1;
    onRows(Math.max(0, lines));
  };
  return callFile(isAdmin ? logApi.focus : logApi.ownFocus, filter, { signal, onPiece });
}

/** The receipt of a call; it never changes once the call is settled. */
export const receiptQuery = (requestId: string) =>
  queryOptions({
    queryKey: ['logs', 'receipt', requestId],
    queryFn: ({ signal }) => call(receiptApi.get, { request: requestId }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The captured texts of a call. Each read has an audit record, so it is made on request only. */
export const readContent = (requestId: string) => call(receiptApi.content, { request: requestId });

export const userQuery = (id: number) =>
  queryOptions({
    queryKey: ['logs', 'user', id],
    queryFn: ({ signal }) => call(userApi.get, { id }, { signal }),
  });
