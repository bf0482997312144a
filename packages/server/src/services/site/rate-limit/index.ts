export { createModelLimiter, type ModelLimiter, type ModelLimits, modelLimitsOf } from './model-limiter.ts';
