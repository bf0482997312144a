export {
  aiproxyAccounts,
  aiproxyBalance,
  creditGrants,
  deepseekBalance,
  moonshotBalance,
  openaiBalance,
  openrouterBalance,
  siliconflowBalance,
} from './balance.ts';
export {
  addImage,
  choicesOf,
  conversationSize,
  estimateInput,
  inputFacts,
  type MediaSize,
  mediaSize,
  noMedia,
  refuser,
  requiredText,
  streamOptionsOf,
  tokenBound,
  wholeNumber,
  joinUrl,
  listModels,
  namesIn,
  openaiEndpoints,
  openaiProtocols,
  type OpenaiProtocol,
  openaiRealtime,
} from './request.ts';
export {
  errorObject,
  readErrorObject,
  readOpenaiError,
  upstreamFailure,
  writeOpenaiError,
  writeOpenaiStreamError,
} from './error.ts';
export {
  imageOutputTokens,
  inputImageTokens,
  maxImageTokens,
  partialImageTokens,
  sizeOfImage,
  secondsOfFile,
  secondsOfSound,
} from './media-output.ts';
export {
  continuedInput,
  isSummary,
  withSummaries,
  inputItems,
  isInput,
  listItems,
} from './continued-input.ts';
export { isRunning, responseEnds } from './response-state.ts';
export { imageTokens, inlineImage } from './image-tokens.ts';
export {
  isReference,
  referredTexts,
  withoutReferences,
  withReferredTexts,
  withOwnDetails,
} from './reasoning-items.ts';
export {
  adaptOpenWeights,
  adaptReasoning,
  refusesFunctions,
  adaptResponses,
  renameMaxTokens,
  setEffort,
  wantsThoughts,
  takenSampling,
} from './reasoning-effort.ts';
export {
  addOpenaiUsage,
  failureIn,
  namedError,
  namesEnd,
  openOpenaiPipe,
  readOpenaiUsage,
  readUsageOnly,
  usageIn,
} from './wire.ts';
