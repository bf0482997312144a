export { bearer, getJson, postJson, publicFilm } from './ask.ts';
export { filmAt } from './done.ts';
export { bareImage, imagesOf, imageText } from './images.ts';
export { type FilmLimits, ownFields, refusalOf } from './limits.ts';
export { failed, gone, isGone, pollReader, readAnswer } from './read.ts';
export { type Shape, shapeOf, sizeText } from './shape.ts';
