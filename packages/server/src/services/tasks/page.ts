import { type Db, tasks } from '../../store/index.ts';
import { taskOf } from './row.ts';
import type { Task } from './types.ts';

/** What lists are searched by; absent for any. */
export type TaskFilter = tasks.TaskFilter;

/** A page of tasks, newest first. */
export const pageOfTasks = async (
  db: Db,
  filter: TaskFilter,
  slice: { offset: number; limit: number },
): Promise<Task[]> => (await tasks.page(db, filter, slice)).map(taskOf);
