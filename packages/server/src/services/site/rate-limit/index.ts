export { modelLimitsOf } from './limits-of.ts';
export {
  createModelLimiter,
  type LimitVerdict,
  type ModelLimiter,
  type ModelLimiterDeps,
  type ModelLimits,
} from './model-limiter.ts';
