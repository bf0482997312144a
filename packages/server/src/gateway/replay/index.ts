export { IdempotentCalls, type IdempotentRelayCall } from './idempotency.ts';
export type { ClientSink } from './shared-answer.ts';
