export type { AnswerSink } from './answer-sink.ts';
export { beginTrace } from './begin-trace.ts';
export { callInLog } from './call-in-log.ts';
export { ClientStream } from './client-stream.ts';
export { Cancellation } from './cancellation.ts';
export { hopHeader } from './hop-header.ts';
export { languageOf, type SiteLanguage } from './reader-language.ts';
export { Running } from './running.ts';
export type { GatewayDeps, RateLimits, Rounds, SiteErrors } from './deps.ts';
export type {
  Admission,
  AttemptRecord,
  Caller,
  CountedRequest,
  EndReason,
  FailedExchange,
  FailedTries,
  RelayCall,
} from './types.ts';
