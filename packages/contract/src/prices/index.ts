export * from './ratio-rules.ts';
export * from './cost.ts';
export * from './image-factor.ts';
export { type ModelKind, modelKindOf } from './model-kind.ts';
export * from './tool-price.ts';
export { type VideoFacts, videoFactor, videoPrice } from './video-price.ts';
export { videoRateOf } from './video-rate.ts';
