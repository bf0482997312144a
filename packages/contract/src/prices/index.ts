export * from './cache-ratio.ts';
export * from './completion-ratio.ts';
export * from './media-ratio.ts';
export * from './model-price.ts';
export * from './model-ratio.ts';
export * from './tool-price.ts';
export { defaultVideoPrice } from './video-second.ts';
export { type VideoFacts, videoFactor, videoPrice } from './video-price.ts';
export { videoRateOf } from './video-rate.ts';
