export { bearer, getJson, postJson, publicVideo } from './ask.ts';
export { videoAt } from './done.ts';
export { bareImage, imagesOf, imageText } from './images.ts';
export { type VideoLimits, ownFields, refusalOf } from './limits.ts';
export { failed, gone, isGone, pollReader, readAnswer, submitReader } from './read.ts';
export { type Shape, shapeOf, sizeText } from './shape.ts';
