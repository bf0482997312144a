import type { TaskCallName } from '../relay-route.ts';
import type { TaskHandler } from './deps.ts';
import {
  fetchDrawing,
  listDrawings,
  notifyDrawing,
  pictureOfDrawing,
  seedOfDrawing,
} from './drawing-read.ts';
import { submitDrawing } from './drawing-submit.ts';
import { fetchSuno, listSuno, submitSuno } from './suno.ts';

export type { TaskRouteDeps } from './deps.ts';

const handlers: Readonly<Record<TaskCallName, TaskHandler>> = {
  'mj-submit': submitDrawing,
  'mj-fetch': fetchDrawing,
  'mj-list': listDrawings,
  'mj-seed': seedOfDrawing,
  'mj-notify': notifyDrawing,
  'mj-image': pictureOfDrawing,
  'suno-submit': submitSuno,
  'suno-fetch': fetchSuno,
  'suno-list': listSuno,
};

/** Answers a call about tasks; throws the refusal. */
export const answerTask: TaskHandler = async (deps, authorized) => {
  const { task } = authorized.matched.route;
  if (!task) throw new Error('a route about tasks does not say what it does');
  await handlers[task](deps, authorized);
};
