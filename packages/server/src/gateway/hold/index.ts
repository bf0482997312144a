export { boundToHold } from './afford.ts';
export { holdRequest } from './hold-request.ts';
export { Hold } from './hold.ts';
export { lowered } from './lowered.ts';
export { extrasOf, mediaUsage, type OwnUsage } from './media.ts';
export { type CountTokens, Meter, mostTokens } from './meter.ts';
export { progressOf } from './progress.ts';
export { type HoldDeps, quotaRefusal, takeHold } from './take-hold.ts';
export { Watch } from './watch.ts';
