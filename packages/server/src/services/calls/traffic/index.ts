export { createTraffic, type Traffic, type TrafficDeps } from './service.ts';
export type { CostedCall } from './replay.ts';
