export { askVendor } from './ask-vendor.ts';
export type { TaskTarget, TaskCall, TaskDeps, TaskExchange, TaskOrder } from './deps.ts';
export { type PassThrough, passThrough } from './pass-through.ts';
export { TaskPoller } from './poller.ts';
export { quoteTask, type Submitted, submitTask } from './submit.ts';
