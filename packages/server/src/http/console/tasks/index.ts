import {
  AppError,
  drawingApi,
  type DrawingQuery,
  type GalleryQuery,
  taskApi,
  type TaskQuery,
} from '@tollgate/contract';
import type { Task, TaskFilter, TaskPage, TaskSlice } from '../../../services/calls/tasks/index.ts';
import { requireActor } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';
import type { PictureOptions } from '../../relay/tasks/drawing-object.ts';
import { songStates } from '../../relay/tasks/suno.ts';
import { drawingRow, galleryRow, taskRow } from './rows.ts';

export interface TaskListDeps {
  /** A page of tasks, newest first, and their number. */
  page: (filter: TaskFilter, slice: TaskSlice) => Promise<TaskPage>;
  /** Only tasks, newest first. */
  some: (filter: TaskFilter, slice: TaskSlice) => Promise<Task[]>;
  pictures: () => PictureOptions;
  /** Asks for the end of a batch of this user; false if none of that id runs. */
  cancelBatch: (userId: number, id: number) => Promise<boolean>;
}

/** The members of a filter that have a value. */
type Asked<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Empty fields of a query do not filter. */
const filled = <T extends object>(filter: T): Asked<T> =>
  Object.fromEntries(
    Object.entries(filter).filter(([, value]) => value !== '' && value !== 0 && value !== undefined),
  ) as Asked<T>;

const sliceOf = ({ p, page_size: limit }: { p: number; page_size: number }): TaskSlice => ({
  offset: p * limit,
  limit,
});
const nothing: TaskPage = { rows: [], total: 0, exact: true };

const drawingFilter = (query: Omit<DrawingQuery, 'channel_id'>): TaskFilter => ({
  platforms: ['mj'],
  ...filled({ taskId: query.mj_id, from: query.start_timestamp, to: query.end_timestamp }),
});

/** Drawings have a separate list. */
const listed: readonly string[] = ['suno', 'video', 'batch'];

/** The filter of a query; undefined if it names a platform or status that no task has. */
function taskFilter(query: Omit<TaskQuery, 'channel_id'>): TaskFilter | undefined {
  const platforms = query.platform === '' ? listed : listed.filter((name) => name === query.platform);
  const state = Object.entries(songStates)
    .filter(([, word]) => query.status === '' || word === query.status)
    .map(([name]) => name);
  if (platforms.length === 0 || state.length === 0) return undefined;
  const to = query.end_timestamp === 0 ? 0 : query.end_timestamp * 1000 + 999;
  return {
    platforms,
    ...(query.status !== '' && { state }),
    ...filled({ taskId: query.task_id, action: query.action, from: query.start_timestamp * 1000, to }),
  };
}

const alive = ['submitting', 'submitted', 'queued', 'in_progress', 'succeeded'];
const platformsOf = { '': ['mj', 'suno', 'video'], picture: ['mj'], song: ['suno'], video: ['video'] };

/** Finished and running media; lyrics are not shown. */
const galleryFilter = ({ kind, failed, before }: GalleryQuery): TaskFilter => ({
  platforms: platformsOf[kind],
  ...(failed === 'hidden' && { state: alive }),
  without: ['DESCRIBE', 'SHORTEN', 'UPLOAD', 'LYRICS'],
  ...filled({ before }),
});

/** A page in the format of the calls. */
const answered = <Row>({ rows, total, exact }: TaskPage, rowOf: (task: Task) => Row) => ({
  data: rows.map(rowOf),
  extra: { total, exact },
});

/** Lists of tasks (docs/compatibility.md#lists-of-tasks). Users see their own, without channels. */
export const taskRoutes = ({ page, some, pictures, cancelBatch }: TaskListDeps): MountedRoute[] => [
  ...implement(drawingApi, {
    async list(query, context) {
      const filter = { ...drawingFilter(query), ...filled({ channelId: query.channel_id }) };
      const found = await page(filter, sliceOf(query));
      return answered(found, (task) => drawingRow(task, context, pictures()));
    },
    async ownList(query, context) {
      const filter = { ...drawingFilter(query), userId: requireActor(context).id };
      const found = await page(filter, sliceOf(query));
      return answered(found, (task) => drawingRow(task, context, pictures()));
    },
  }),
  ...implement(taskApi, {
    async list(query, context) {
      const filter = taskFilter(query);
      const channel = filled({ channelId: query.channel_id });
      const found = filter ? await page({ ...filter, ...channel }, sliceOf(query)) : nothing;
      return answered(found, (task) => taskRow(task, context));
    },
    async ownList(query, context) {
      const filter = taskFilter(query);
      const userId = requireActor(context).id;
      const found = filter ? await page({ ...filter, userId }, sliceOf(query)) : nothing;
      return answered(found, (task) => taskRow(task, context));
    },
    async cancel({ id }, context) {
      if (!(await cancelBatch(requireActor(context).id, id))) throw new AppError('row_not_found');
      return null;
    },
    async gallery(query, context) {
      const slice = { offset: 0, limit: query.page_size };
      const found = await some({ ...galleryFilter(query), userId: requireActor(context).id }, slice);
      return found.map((task) => galleryRow(task, context, pictures()));
    },
  }),
];
