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
} from './request.ts';
export {
  joinUrl,
  listModels,
  namesIn,
  openaiEndpoints,
  openaiProtocols,
  type OpenaiProtocol,
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
} from './image-output.ts';
export { imageTokens, inlineImage } from './image-tokens.ts';
export { openaiRealtime } from './realtime.ts';
export { isReference, referredTexts, withoutReferences, withReferredTexts } from './reasoning-items.ts';
export { withOwnDetails } from './reasoning-details.ts';
export {
  adaptOpenWeights,
  adaptReasoning,
  refusesFunctions,
  adaptResponses,
  renameMaxTokens,
  setEffort,
  wantsThoughts,
} from './reasoning-effort.ts';
export { takenSampling } from './taken-sampling.ts';
export { secondsOfFile, secondsOfSound } from './sound-output.ts';
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
