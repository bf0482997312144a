export { createTraces } from './create-traces.ts';
export type { AttemptedCall, CallTrace, CallTraces, Sampler, SpanOutcome } from './types.ts';
