import { drawingApi, taskApi, type CallOf, type DataOf } from '@tollgate/contract';
import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { call, callFull } from '../../../lib/api/api-client.ts';

/** Fields of a row that only administrators see, without its owner. */
interface Overseen {
  channel_id?: number;
  username?: string;
}
export type DrawingRow = DataOf<typeof drawingApi.ownList>[number] & Overseen;
export type TaskRow = DataOf<typeof taskApi.ownList>[number] & Overseen;
export type GalleryRow = DataOf<typeof taskApi.gallery>[number];

/** A page of a list with its total. */
interface Rows<Row> {
  rows: Row[];
  total: number;
  exact: boolean;
}

export type DrawingFilter = Omit<CallOf<typeof drawingApi.list>, 'p' | 'page_size'>;
export type TaskFilter = Omit<CallOf<typeof taskApi.list>, 'p' | 'page_size'>;
export type GalleryFilter = Omit<CallOf<typeof taskApi.gallery>, 'before' | 'page_size'>;

/** Polling interval of unfinished tasks, in ms. */
const pollMs = 3000;

/** True while a task may still change. */
export const isOpen = ({ status }: { status: string }): boolean =>
  status !== 'SUCCESS' && status !== 'FAILURE';

/** Polls while a task is unfinished; the library stops while the page is hidden. */
const whileOpen = (rows: readonly { status: string }[] | undefined): number | false =>
  rows?.some(isOpen) ? pollMs : false;

/** A page of drawings; pages count from 1 here, from 0 in the call. Administrators see those of all users. */
export const drawingsQuery = (isAdmin: boolean, filter: DrawingFilter, page: number, pageSize: number) =>
  queryOptions({
    queryKey: ['drawings', isAdmin, filter, page, pageSize],
    queryFn: async ({ signal }): Promise<Rows<DrawingRow>> => {
      const route = isAdmin ? drawingApi.list : drawingApi.ownList;
      const { data, extra } = await callFull(
        route,
        { ...filter, p: page - 1, page_size: pageSize },
        { signal },
      );
      return { rows: data, ...extra };
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => whileOpen(state.data?.rows),
  });

/** A page of songs and videos, as `drawingsQuery`. */
export const tasksQuery = (isAdmin: boolean, filter: TaskFilter, page: number, pageSize: number) =>
  queryOptions({
    queryKey: ['tasks', isAdmin, filter, page, pageSize],
    queryFn: async ({ signal }): Promise<Rows<TaskRow>> => {
      const route = isAdmin ? taskApi.list : taskApi.ownList;
      const { data, extra } = await callFull(
        route,
        { ...filter, p: page - 1, page_size: pageSize },
        { signal },
      );
      return { rows: data, ...extra };
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => whileOpen(state.data?.rows),
  });

/** Cancels one's own batch at its vendor, with the next poll. */
export function useCancelBatch() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => call(taskApi.cancel, { id }),
    onSettled: () => client.invalidateQueries({ queryKey: ['tasks'] }),
  });
}

const galleryPage = 24;

/** The user's own works, newest first. */
export const galleryQuery = (filter: GalleryFilter) =>
  infiniteQueryOptions({
    queryKey: ['gallery', filter],
    queryFn: ({ pageParam, signal }) =>
      call(taskApi.gallery, { ...filter, before: pageParam, page_size: galleryPage }, { signal }),
    initialPageParam: 0,
    getNextPageParam: (page) => (page.length < galleryPage ? undefined : page.at(-1)?.id),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => whileOpen(state.data?.pages.flat()),
  });
