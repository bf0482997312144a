export {
  bearer,
  getJson,
  postJson,
  publicVideo,
  videoAt,
  failed,
  gone,
  isGone,
  pollReader,
  readAnswer,
  submitReader,
} from './answers.ts';
export { bareImage, imagesOf, imageText, type VideoLimits, ownFields, refusalOf } from './limits.ts';
export { type Shape, shapeOf, sizeText } from './shape.ts';
export { arkVideo } from './ark.ts';
export {
  batchHeaders,
  batchIdIn,
  type BatchReport,
  type ItemResult,
  readBatch,
  readItemResult,
  takeResults,
} from './call-batches.ts';
export {
  type OwnApi,
  ownBatchObject,
  type OwnBatchState,
  type OwnResult,
  ownResultLine,
} from './own-batches.ts';
export { soraVideo } from './sora.ts';
export { songModels, sunoTasks } from './suno.ts';
export { midjourneyTasks } from './midjourney.ts';
export {
  buttonAction,
  callAction,
  changeAction,
  drawingCode,
  drawingModel,
  drawingModels,
  simpleChange,
  withoutSpeed,
} from './midjourney-actions.ts';
export { veoVideo } from './veo.ts';
