export { isOver } from './states.ts';
export { countedPage, pageOfTasks, type TaskFilter, type TaskPage, type TaskSlice } from './page.ts';
export {
  type Batches,
  createBatches,
  type NewItem,
  requestCancel,
  itemName,
  type OpenItem,
} from './batches.ts';
export {
  createSales,
  isSaleModel,
  type Sale,
  saleModel,
  type Sales,
  type Storage,
  storageCost,
} from './sales.ts';
export { createTasks, type NewTask, type TaskReport, type Tasks } from './tasks.ts';
export type { ItemPrice, OwnBatch, ResponseBill, Task, TaskPlatform } from './types.ts';
