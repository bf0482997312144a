export { bearer, callOf, defineProvider, finishedAnswer } from './define-provider.ts';
export { type EventScanner, EventUnframer } from './event-unframer.ts';
export { imagesAsData, wantsData, withData, editAsJson, imagesAsked } from './images.ts';
export {
  type AnswerHead,
  answerOf,
  chunkOf,
  LineScanner,
  type OwnReader,
  OwnStream,
  openaiUsage,
} from './own-stream.ts';
export {
  alternating,
  boundOf,
  namesOfCalls,
  oneAnswer,
  type PlainTurn,
  plainTurns,
  replaceBody,
  stopsIn,
  withoutSchema,
  withoutTools,
} from './plain-turns.ts';
export { documentText, rerankAt, rerankUsage, tidyRerank } from './rerank.ts';
export { soundType, speechAsked } from './speech-request.ts';
export { upload, uploader, whoAsks } from './upload.ts';
export { claudeModels, geminiModels } from './model-lists.ts';
