export { isChannelFault, isLocal, mayRetry, shouldDisable } from './again.ts';
export { createHealth, type HealthEvent } from './health.ts';
export { routingName } from './model-name.ts';
export { createRouting, type Routing } from './routing.ts';
export { createStoredResponses, type StoredResponses } from './stored-responses.ts';
export { createReferencedTexts, type ReferencedTexts } from './referenced-texts.ts';
export { shareHealth } from './share-health.ts';
