export {
  type DisableContext,
  isChannelFault,
  isLocal,
  mayRetry,
  type RetryContext,
  shouldDisable,
} from './again.ts';
export { createHealth, defaultHealthRules, type Health, type HealthRules } from './health.ts';
export type { Level } from './levels.ts';
export { routingName } from './model-name.ts';
export { createRouting, type Routing, type RoutingDeps } from './routing.ts';
