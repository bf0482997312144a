export { IdempotentCalls, type IdempotentRelayCall } from './idempotency.ts';
export type { ClientSink } from './broadcast-sink.ts';
