export { createTraces } from './create-traces.ts';
export type { CallTrace, CallTraces, Sampler, SpanOutcome, TraceSettings } from './types.ts';
