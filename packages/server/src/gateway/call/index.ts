export { AnswerBinding } from './answer-binding.ts';
export { type AnswerSink, ClientStream } from './client-stream.ts';
export { beginTrace } from './trace.ts';
export { callInLog } from './trace.ts';
export { Cancellation, Running } from './client-stream.ts';
export { hopHeader } from './trace.ts';
export { languageOf, type SiteLanguage } from './reader-language.ts';
export type { GatewayDeps, RateLimits, Rounds, SiteErrors } from './deps.ts';
export type {
  Admission,
  AttemptRecord,
  CachedCall,
  Caller,
  CountedRequest,
  EndReason,
  FailedExchange,
  FailedTries,
  PreparedCall,
  RelayCall,
} from './types.ts';
