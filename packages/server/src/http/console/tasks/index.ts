import { drawingApi, type DrawingQuery, taskApi, taskPageSize, type TaskQuery } from '@tollgate/contract';
import type { Task, TaskFilter } from '../../../services/tasks/index.ts';
import { actorOf } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';
import type { PictureOptions } from '../../relay/tasks/drawing-object.ts';
import { songStates } from '../../relay/tasks/suno.ts';
import { drawingRow, taskRow } from './rows.ts';

export interface TaskListDeps {
  /** A page of tasks, newest first. */
  page: (filter: TaskFilter, slice: { offset: number; limit: number }) => Promise<Task[]>;
  pictures: () => PictureOptions;
}

/** The members of a filter that say something. */
type Asked<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Fields of a query that are left empty search for nothing. */
const filled = <T extends object>(filter: T): Asked<T> =>
  Object.fromEntries(
    Object.entries(filter).filter(([, value]) => value !== '' && value !== 0 && value !== undefined),
  ) as Asked<T>;

const sliceOf = (p: number) => ({ offset: p * taskPageSize, limit: taskPageSize });

const drawingFilter = (query: Omit<DrawingQuery, 'channel_id'>): TaskFilter => ({
  platforms: ['mj'],
  ...filled({ taskId: query.mj_id, from: query.start_timestamp, to: query.end_timestamp }),
});

/** Drawings have a list of their own. */
const listed: readonly string[] = ['suno', 'video'];

/** What a query searches; undefined where it names a platform or status that no task has. */
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

/** Lists of what vendors answer later (docs/compatibility.md#lists-of-tasks). Users see their own, without channels. */
export const taskRoutes = ({ page, pictures }: TaskListDeps): MountedRoute[] => [
  ...implement(drawingApi, {
    async list(query, context) {
      const filter = { ...drawingFilter(query), ...filled({ channelId: query.channel_id }) };
      const found = await page(filter, sliceOf(query.p));
      return found.map((task) => drawingRow(task, context, pictures()));
    },
    async ownList(query, context) {
      const filter = { ...drawingFilter(query), userId: actorOf(context).id };
      const found = await page(filter, sliceOf(query.p));
      return found.map((task) => drawingRow(task, context, pictures()));
    },
  }),
  ...implement(taskApi, {
    async list(query, context) {
      const filter = taskFilter(query);
      const channel = filled({ channelId: query.channel_id });
      const found = filter ? await page({ ...filter, ...channel }, sliceOf(query.p)) : [];
      return found.map((task) => taskRow(task, context));
    },
    async ownList(query, context) {
      const filter = taskFilter(query);
      const userId = actorOf(context).id;
      const found = filter ? await page({ ...filter, userId }, sliceOf(query.p)) : [];
      return found.map((task) => taskRow(task, context));
    },
  }),
];
