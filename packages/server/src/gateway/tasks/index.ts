export { askVendor } from './ask-vendor.ts';
export { addressOf, askAbout, conclude, runInBackground, withoutBody, withoutSecrets } from './background.ts';
export { taskChannel } from './choose.ts';
export type { TaskDeps, TaskOrder } from './deps.ts';
export { passThrough } from './pass-through.ts';
export { TaskPoller } from './poller.ts';
export { holdSale, releaseSale, type SaleDeps, settleSale } from './sales.ts';
export { quoteTask, submitTask } from './submit.ts';
