export {
  ClientStream,
  hopHeader,
  languageOf,
  type SiteLanguage,
  Running,
  beginTrace,
  type Caller,
  type GatewayDeps,
  type RelayCall,
} from './call/index.ts';
export {
  admit,
  modelsFor,
  pricedNames,
  usingGroups,
  identifyByKey,
  identifyByMark,
  wordIn,
  admitRate,
  readRunKey,
  readTags,
  createFundsCheck,
  withoutPlaygroundWords,
} from './entrance/index.ts';
export {
  type BeforeSend,
  createBeforeSend,
  createSendTools,
  type SendEffects,
  type PrepareDeps,
  canLimitUses,
  goesOnTranslated,
  MissingProtocols,
  prepareCall,
  createFileFetch,
  ToolServers,
  vendorProtocol,
} from './upstream/index.ts';
export { countTokens } from './count-tokens.ts';
export { answerDryRun, type ExplainDeps, explainQuestion } from './explain.ts';
export { type Quote, quoteCall, type QuoteDeps } from './quote.ts';
export { MarkRounds } from './hold/index.ts';
export { type GuardDeps, serveGuarded, uncheckedError } from './guards/index.ts';
export {
  AnswerCache,
  idempotencyHeader,
  IdempotentCalls,
  type IdempotentRelayCall,
  type ClientSink,
} from './replay/index.ts';
export {
  createLiveHandles,
  realtimeLimits,
  serveRealtime,
  Sessions,
  type SocketRequest,
} from './realtime/index.ts';
export {
  disableOnFailure,
  fallbacksIn,
  identityHeaders,
  relayOptions,
  pingEveryMs,
  showQuota,
  billingStatus,
  upstreamTimeouts,
} from './options/index.ts';
export { createProbe, type Probe, type ProbeDeps, type Tester, type TestResult } from './probe/index.ts';
export { failureRow, isDryRun, type RefusalTarget, refuseCall } from './failover/index.ts';
export {
  askBatch,
  cancelAtVendor,
  deleteAtVendor,
  askVendor,
  vendorHeaders,
  type BatchLine,
  submitFileBatch,
  submitListBatch,
  holdSale,
  passThrough,
  sendParts,
  quoteTask,
  releaseSale,
  type SaleDeps,
  settleSale,
  submitTask,
  taskChannel,
  type TaskDeps,
  type TaskOrder,
  TaskPoller,
} from './tasks/index.ts';
export {
  beginUpload,
  type CacheCall,
  type CacheLife,
  changeCache,
  type ContainerCall,
  createContainer,
  passContainer,
  continueUpload,
  type ConversationCall,
  createCache,
  type FileCall,
  type FileUpload,
  listFiles,
  type NewCache,
  OwnResponses,
  serveCompaction,
  passFile,
  passStoredResponse,
  serveConversation,
  type StoredResponseCall,
  type UploadAnswer,
  uploadFile,
  type UploadPart,
  type UploadSession,
  type UploadStart,
} from './vendor-objects/index.ts';
export { openTools, rpcObject, type ToolHouse, type ToolVisit } from './tools/index.ts';
export { serve } from './serve.ts';
