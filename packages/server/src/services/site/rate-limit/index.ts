export { modelLimitsOf } from './limits-of.ts';
export { createModelLimiter, type ModelLimiter, type ModelLimits } from './model-limiter.ts';
