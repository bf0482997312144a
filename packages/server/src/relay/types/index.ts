export type { LocalAnswer, LocalRequest, IssuedToken, Question, SendTools, UpstreamCall } from './call.ts';
export {
  type CallLimits,
  type Channel,
  type ChannelKey,
  type ChannelLimits,
  type ChannelSetting,
  type SystemPrompt,
  unsavedChannel,
} from './channel.ts';
export type {
  ChatEvent,
  ChatRequest,
  Citation,
  Extra,
  FetchedFile,
  FinishReason,
  HostedTool,
  Message,
  Part,
  ReasoningRequest,
  ResponseFormat,
  Sampling,
  Source,
  Tool,
  ToolChoice,
} from './chat.ts';
export type {
  AnswerName,
  ChatCodec,
  ChatStreamReader,
  ChatStreamWriter,
  Emit,
  MediaMaker,
  MediaRule,
  NamedText,
  RequestContext,
  UpstreamCodec,
  WriterOptions,
} from './codec.ts';
export type {
  AdaptContext,
  Adapted,
  Address,
  ConversionRequest,
  StreamOrigin,
  Converted,
  DraftBody,
  Endpoint,
  HeaderContext,
  LocalConversation,
  LocalEvent,
  RealtimeEndpoint,
  RelayOptions,
  WrittenBody,
} from './endpoint.ts';
export { headerFault, holdsSecret, passesByPattern, readHeaderOverride } from './header-override.ts';
export type { DeliveredMedia, DeliveredText } from './delivered.ts';
export type { FormFile, RequestForm } from './form.ts';
export {
  type HostedCall,
  type HostedKind,
  type SearchTerms,
  type ToolServer,
  toolUseMarks,
} from './hosted.ts';
export type { ProtocolId } from './protocol-id.ts';
export type {
  AnswerEnd,
  AnswerPipe,
  AnswerSetup,
  BodyKind,
  BodySizes,
  CallerProtocol,
  ErrorAnswer,
  Inbound,
  MediaFacts,
  HostedOffer,
  Outbound,
  Protocol,
  RequestFacts,
  Unframer,
  UpstreamProtocol,
  UncountedEnd,
} from './protocol.ts';
export {
  type AddressHint,
  type BalanceSource,
  type FetchedModels,
  type FieldFault,
  type KeyPlace,
  keyOriginsOf,
  originOf,
  type Provider,
  type RelayRequest,
  secretsOf,
  withoutCallPath,
} from './provider.ts';
export {
  invalidForm,
  type Blame,
  type Language,
  localErrorType,
  refuse,
  type RefuseArguments,
  RelayError,
  tableError,
  upstreamErrorType,
} from './relay-error.ts';
export type {
  AcceptedTask,
  BatchVendor,
  LocalTaskAnswer,
  ProviderTasks,
  TaskQuestion,
  TaskState,
  TaskUpdate,
  VendorTask,
  VideoFacts,
  VideoRequest,
  VideoVendor,
} from './task.ts';
export {
  type ConditionMode,
  type OperationMode,
  operationFault,
  operationsOf,
  pathSteps,
} from './operations.ts';
