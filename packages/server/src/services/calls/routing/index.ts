export { isChannelFault, isLocal, mayRetry, shouldDisable, vendorWaitMs } from './again.ts';
export { failedPart, type TriedIds } from './choose-key.ts';
export { type ChannelHealth, createChannelHealth } from './channel-health.ts';
export {
  type AttemptCounts,
  createAttemptCounts,
  createHealth,
  type HealthEvent,
  type HealthId,
  shareHealth,
} from './health.ts';
export {
  createLimits,
  type FullChannel,
  isFull,
  isLimitReason,
  type Limits,
  type Reservation,
} from './limits.ts';
export { type ChannelCosts, createPolicies, oddsBy, type RouteRequest, type Rule } from './policies.ts';
export type { Level } from './route-index.ts';
export { type Candidate, createRouting, type Routing, routingName } from './routing.ts';
export { createSpends, type Spends } from './spends.ts';
export { createKeptResponses, keptPlace, type KeptResponse, type KeptResponses } from './kept-responses.ts';
export { CopyWriter, dropCopy, findCopy, giveCopy, hasLines, readCopy, removeCopy } from './file-copies.ts';
export {
  createKeptParts,
  type KeptParts,
  keptSeconds,
  partPlace,
  partsOf,
  type SealedPart,
  sizeOfPart,
} from './kept-parts.ts';
export { createStoredResponses, type StoredResponses } from './stored-responses.ts';
export { createReferencedTexts, type ReferencedTexts } from './stored-responses.ts';
export {
  containerSeconds,
  createVendorFiles,
  fileIdIn,
  type FileQuery,
  type Upload,
  uploadKey,
  vendorFileRow,
  type VendorFiles,
} from './vendor-files.ts';
