export { readGeminiError, readGeminiFailure, writeGeminiError, writeGeminiStreamError } from './error.ts';
export {
  imagenEndpoint,
  imagesIn,
  maxImages,
  predictEndpoint,
  tokensPerImage,
  withheldImages,
} from './imagen.ts';
export {
  askedImageTokens,
  googleImageTokens,
  googleMedia,
  googleMediaMarks,
  inlineData,
} from './media-output.ts';
export {
  Searches,
  withSearches,
  addGeminiUsage,
  readGeminiUsage,
  hasOutput,
  writeGeminiUsage,
} from './usage.ts';
