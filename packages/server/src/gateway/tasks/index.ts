export { askVendor } from './ask-vendor.ts';
export type { TaskAsk, TaskCall, TaskDeps, TaskExchange, TaskOrder } from './deps.ts';
export { type Passed, passThrough } from './pass-through.ts';
export { TaskPoller } from './poller.ts';
export { quoteTask, type Submitted, submitTask } from './submit.ts';
