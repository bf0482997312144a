export { IdempotentCalls, type IdempotentRelayCall } from './idempotency.ts';
export type { Listener } from './listeners.ts';
