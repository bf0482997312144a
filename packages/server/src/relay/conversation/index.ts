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
  hostedId,
} from './hosted-tools.ts';
export {
  isSearchOfResponses,
  isSearchOptional,
  termsOfChat,
  termsOfMessages,
  termsOfResponses,
} from './search-terms.ts';
export {
  dropModelOptions,
  messageAsText,
  callId,
  foundTool,
  toolInput,
  writeToolMessages,
  gatherTurns,
} from './messages.ts';
export { inOrder } from './in-order.ts';
export { keepsSuffix, markSignature, readSignature } from './reasoning.ts';
export { objectSchema } from './object-schema.ts';
export { fateOf, sharedWithResponses, untranslatedFields } from './request-fields.ts';
export { endWithoutReason, TextBlocks, type TextKind } from './text-blocks.ts';
export { serverOfResponses, serversOfMessages, writeServer } from './tool-servers.ts';
export { cannotTranslate, dropSampling, ownFields, ownPart, samplingOfOpenai } from './untranslatable.ts';
