export { isOver } from './states.ts';
export { pageOfTasks, type TaskFilter } from './page.ts';
export { createTasks, type Acceptance, type NewTask, type Tasks, type TasksDeps } from './tasks.ts';
export type { Task, TaskBill, TaskPlatform } from './types.ts';
