import { type Db, tasks } from '../../../store/index.ts';
import { taskOf } from './row.ts';
import type { Task } from './types.ts';

/** The filters of lists; absent for all. */
export type TaskFilter = tasks.TaskFilter;

/** Offset and size of a page. */
export interface TaskSlice {
  offset: number;
  limit: number;
}

/** A page of a list, with the length of the list. */
export interface TaskPage {
  rows: Task[];
  /** Number of matches, up to the counting limit. */
  total: number;
  /** False if there may be more than `total`. */
  exact: boolean;
}

/** Number of rows counted beyond the page; counting more is too slow. */
const countBound = 10_000;

/** Tasks that match a filter, newest first. */
export const pageOfTasks = async (db: Db, filter: TaskFilter, slice: TaskSlice): Promise<Task[]> =>
  (await tasks.page(db, filter, slice)).map(taskOf);

/** A page of tasks and their number. */
export async function countedPage(db: Db, filter: TaskFilter, slice: TaskSlice): Promise<TaskPage> {
  const rows = await pageOfTasks(db, filter, slice);
  const end = slice.offset + rows.length;
  if (rows.length < slice.limit && (rows.length > 0 || slice.offset === 0))
    return { rows, total: end, exact: true };
  const bound = slice.offset + slice.limit + countBound;
  const total = await tasks.count(db, filter, bound);
  return { rows, total, exact: total < bound };
}
