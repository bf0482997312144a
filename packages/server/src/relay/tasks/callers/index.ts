export { type VideoView, readVideoRequest } from './video.ts';
export { readPrediction, writeOperation } from './gemini.ts';
export {
  jimengResult,
  jimengSubmit,
  jimengTask,
  readJimeng,
  writeJimengResult,
  writeJimengTask,
} from './jimeng.ts';
export { type KlingCall, readKling, writeKling } from './kling.ts';
export { writeDeleted, writeGeneration, writeNewGeneration, writeVideo, writeVideos } from './openai.ts';
