export { answerWithHead } from './answer-sink.ts';
export type { AdmitDeps } from './admit.ts';
export { type BeforeSend, createBeforeSend, type SendEdges } from './before-send.ts';
export type { GatewayDeps } from './deps.ts';
export { modelsFor, usingGroup } from './admit.ts';
export { ClientStream } from './client-stream.ts';
export { countTokens } from './count-tokens.ts';
export { IdempotentCalls, type IdempotentRelayCall } from './idempotency.ts';
export { identifyByKey } from './identify.ts';
export { wordIn } from './forbidden-words.ts';
export { hopHeader } from './journey.ts';
export { type PrepareDeps, prepareCall } from './prepare.ts';
export {
  type RealtimeDeps,
  realtimeLimits,
  serveRealtime,
  Sessions,
  type SocketRequest,
} from './realtime/index.ts';
export { disableOnFailure } from './options/disable-channel.ts';
export { identityHeaders } from './options/identity-headers.ts';
export { relayOptions } from './options/relay-options.ts';
export { pingEveryMs, showQuota, siteLanguage } from './options/site.ts';
export { upstreamTimeouts } from './options/timeouts.ts';
export { admitRate } from './rate.ts';
export { languageOf, type SiteLanguage } from './reader-language.ts';
export { Running } from './running.ts';
export { createFundsCheck } from './funds-check.ts';
export { createFileFetch } from './fetch-file.ts';
export { withoutPlaygroundWords } from './playground.ts';
export type { Probe } from './probe.ts';
export type { Listener } from './shared-answer.ts';
export { failureRow } from './failure-row.ts';
export { type Refusable, refuseCall, serve } from './serve.ts';
export type { Admission, Caller, EndReason, RelayCall } from './types.ts';
