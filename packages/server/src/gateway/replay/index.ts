export { AnswerCache } from './answer-cache.ts';
export { idempotencyHeader, IdempotentCalls, type IdempotentRelayCall, readKeyName } from './idempotency.ts';
export type { ClientSink } from './shared-answer.ts';
export { serveStored } from './stored-answer.ts';
