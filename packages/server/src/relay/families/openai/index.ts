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
export { choicesOf, refuser, requiredText, streamOptionsOf, tokenBound, wholeNumber } from './body-checks.ts';
export {
  joinUrl,
  listModels,
  namesIn,
  openaiEndpoints,
  openaiProtocols,
  type OpenaiProtocol,
} from './endpoints.ts';
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
export { addImage, estimateInput, inputFacts, type MediaSize, mediaSize, noMedia } from './input-size.ts';
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
export { addOpenaiUsage, readOpenaiUsage } from './usage.ts';
export { failureIn, namedError, namesEnd, openOpenaiPipe, readUsageOnly, usageIn } from './wire.ts';
