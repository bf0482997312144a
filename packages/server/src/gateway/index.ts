export { answerWithHead } from './answer-sink.ts';
export type { AdmitDeps } from './admit.ts';
export { type BeforeSend, createBeforeSend, type SendEdges } from './before-send.ts';
export type { GatewayDeps } from './deps.ts';
export { usingGroup } from './admit.ts';
export { ClientStream } from './client-stream.ts';
export { countTokens } from './count-tokens.ts';
export { IdempotentCalls, type KeyedExchange } from './idempotency.ts';
export { identifyByKey } from './identify.ts';
export { wordIn } from './forbidden-words.ts';
export { hopHeader } from './journey.ts';
export { type PrepareDeps, prepareCall } from './prepare.ts';
export {
  type RealtimeDeps,
  realtimeLimits,
  serveRealtime,
  Sessions,
  type SocketVisit,
} from './realtime/index.ts';
export { Running } from './running.ts';
export { createFileFetch } from './fetch-file.ts';
export { withoutPlaygroundWords } from './playground.ts';
export type { Probe } from './probe.ts';
export type { Listener } from './shared-answer.ts';
export { type Refusable, refuseCall, serve } from './serve.ts';
export type { Admission, Caller, EndReason, Exchange } from './types.ts';
