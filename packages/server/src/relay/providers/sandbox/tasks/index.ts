import { drawingModels, midjourneyTasks } from '../../../tasks/midjourney/index.ts';
import { songModels, sunoTasks } from '../../../tasks/suno/index.ts';
import type { LocalTaskAnswer, ProviderTasks, TaskQuestion } from '../../../types/index.ts';
import { answerDrawing } from './drawing.ts';
import { answerSong } from './song.ts';
import { answerVideo, sandboxVideo, videoModels } from './video.ts';

/** Models of the sandbox's tasks: videos by names of its own, drawings and songs by the names that all have. */
export const taskModels: readonly string[] = [...videoModels, ...drawingModels, ...songModels];

/** Sandbox tasks follow the clock. Nothing is stored: the task's id contains all of it. */
export const sandboxTasks: ProviderTasks = {
  video: sandboxVideo,
  drawing: midjourneyTasks,
  music: sunoTasks,
  local: answerTask,
};

function answerTask(question: TaskQuestion, nowMs: number): LocalTaskAnswer {
  const { pathname } = new URL(question.url);
  if (pathname.startsWith('/mj/')) return answerDrawing(question, nowMs);
  if (pathname.startsWith('/suno/')) return answerSong(question, nowMs);
  return answerVideo(question, nowMs);
}
