export {
  addressOf,
  askAbout,
  askChannel,
  conclude,
  runInBackground,
  withoutBody,
  withoutSecrets,
} from './background.ts';
export { askBatch, cancelAtVendor, deleteAtVendor } from './batch-results.ts';
export { streamHead } from './background-stream.ts';
export type { BatchLine } from './batch-plan.ts';
export { submitFileBatch, submitListBatch } from './batch-submit.ts';
export { askVendor, vendorHeaders } from './ask-vendor.ts';
export { taskChannel } from './choose.ts';
export type { TaskDeps, TaskOrder } from './deps.ts';
export { passThrough, sendParts, SlowReader } from './pass-through.ts';
export { TaskPoller } from './poller.ts';
export { holdSale, releaseSale, type SaleDeps, settleSale } from './sales.ts';
export { quoteTask, submitTask } from './submit.ts';
