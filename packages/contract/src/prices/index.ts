export * from './ratio-rules.ts';
export * from './cost.ts';
export { type ModelKind, modelKindOf, needsCallPrice } from './model-kind.ts';
export * from './tool-price.ts';
export { imageFactor, type VideoFacts, videoFactor, videoPrice, videoRateOf } from './media-price.ts';
