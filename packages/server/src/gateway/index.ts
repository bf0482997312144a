export type { AdmitDeps } from './admit.ts';
export { usingGroup } from './admit.ts';
export { ClientStream } from './client-stream.ts';
export { identifyByKey } from './identify.ts';
export type { Journey } from './journey.ts';
export { FailedCall } from './ladder.ts';
export { type GatewayDeps, refuseCall, serve } from './serve.ts';
export type { Admission, Caller, EndReason, Exchange } from './types.ts';
