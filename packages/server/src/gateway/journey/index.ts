export type { GatewayDeps, SettleDeps } from './deps.ts';
export { Journey, settlementFailed } from './journey.ts';
