export { createTraces } from './create-traces.ts';
export type { AttemptedCall, CallTrace, CallTraces, Sampler, SpanOutcome, TraceSettings } from './types.ts';
