export { BlockOrder, type ContentEvent } from './block-order.ts';
export { fetchedSource, fileAddresses, type FilePart } from './file-parts.ts';
export {
  alwaysSearches,
  cacheMarks,
  canHost,
  chosenHostedTool,
  hasUseLimit,
  hostedOffers,
  hostedTool,
  limitUses,
  toolUses,
  writeHostedTool,
} from './hosted-tools.ts';
export {
  isSearchOfResponses,
  isSearchOptional,
  termsOfChat,
  termsOfMessages,
  termsOfResponses,
} from './search-terms.ts';
export { hostedId } from './hosted-id.ts';
export { dropModelOptions, messageAsText } from './message-as-text.ts';
export { inOrder } from './in-order.ts';
export { keepsSuffix } from './kept-suffix.ts';
export { objectSchema } from './object-schema.ts';
export { fateOf, sharedWithResponses, untranslatedFields } from './request-fields.ts';
export { markSignature, readSignature } from './signature.ts';
export { endWithoutReason, TextBlocks, type TextKind } from './text-blocks.ts';
export { serverOfResponses, serversOfMessages, writeServer } from './tool-servers.ts';
export { callId, foundTool, toolInput, writeToolMessages } from './tool-messages.ts';
export { gatherTurns } from './two-speakers.ts';
export { cannotTranslate, dropSampling, ownFields, ownPart, samplingOfOpenai } from './untranslatable.ts';
