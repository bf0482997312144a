export { isOver } from './states.ts';
export { countedPage, pageOfTasks, type TaskFilter, type TaskPage, type TaskSlice } from './page.ts';
export {
  createTasks,
  type Acceptance,
  type NewTask,
  type TaskReport,
  type Tasks,
  type TasksDeps,
} from './tasks.ts';
export type { Task, TaskBill, TaskPlatform } from './types.ts';
