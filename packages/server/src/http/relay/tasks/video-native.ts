import {
  jimengResult,
  jimengSubmit,
  jimengTask,
  type KlingCall,
  readJimeng,
  readKling,
  readPrediction,
  writeJimengResult,
  writeJimengTask,
  writeKling,
  writeOperation,
} from '../../../relay/tasks/callers/index.ts';
import { textOf } from '../../../lib/json.ts';
import { refuse } from '../../../relay/types/index.ts';
import type { Task } from '../../../services/calls/tasks/index.ts';
import { answerJson } from './body.ts';
import type { TaskHandler, TaskRouteDeps } from './deps.ts';
import type { AuthorizedRequest } from '../read-call.ts';
import { readVideoBody } from './video-body.ts';
import { submitVideo } from './video-submit.ts';
import { ownVideo, viewOf } from './video-view.ts';

const shown = (deps: TaskRouteDeps, { req }: AuthorizedRequest, task: Task) =>
  viewOf(task, deps.options(req).ServerAddress);

/** POST /kling/v1/videos/{text2video,image2video} */
export const createKling: TaskHandler = async (deps, authorized) => {
  const call: KlingCall = /\/image2video\/?$/.test(authorized.path) ? 'image2video' : 'text2video';
  const { fields } = await readVideoBody(deps, authorized);
  const task = await submitVideo(deps, authorized, readKling(fields, call));
  answerJson(deps, authorized, writeKling(shown(deps, authorized, task), authorized.requestId));
};

/** GET /kling/v1/videos/{text2video,image2video}/{id} */
export const fetchKling: TaskHandler = async (deps, authorized) => {
  const task = await ownVideo(deps, authorized, authorized.matched.slots.id ?? '');
  answerJson(deps, authorized, writeKling(shown(deps, authorized, task), authorized.requestId));
};

/** POST /jimeng/?Action=…: one path for both actions. */
export const callJimeng: TaskHandler = async (deps, authorized) => {
  const action = new URLSearchParams(authorized.query).get('Action') ?? '';
  if (action !== jimengSubmit && action !== jimengResult)
    throw refuse('field_not_choice', { field: 'Action', choices: `${jimengSubmit}, ${jimengResult}` });
  const { fields } = await readVideoBody(deps, authorized);
  const { requestId } = authorized;
  if (action === jimengSubmit) {
    const { taskId } = await submitVideo(deps, authorized, readJimeng(fields));
    return answerJson(deps, authorized, writeJimengTask(taskId, requestId));
  }
  const task = await ownVideo(deps, authorized, jimengTask(fields));
  answerJson(deps, authorized, writeJimengResult(shown(deps, authorized, task), requestId));
};

/** Vertex's path of the model, without its version; '' for Gemini's own paths. */
const placeIn = (path: string): string => /^\/v\d\w*\/(.*publishers\/google)\/models\//.exec(path)?.[1] ?? '';

/** POST …/models/{model}:predictLongRunning, of Gemini's and of Vertex */
export const createOperation: TaskHandler = async (deps, authorized) => {
  const { fields } = await readVideoBody(deps, authorized);
  const video = readPrediction(fields, authorized.matched.slots.model ?? '');
  const view = shown(deps, authorized, await submitVideo(deps, authorized, video));
  answerJson(deps, authorized, writeOperation(view, placeIn(authorized.path)));
};

/** POST …/models/{model}:fetchPredictOperation, Vertex's replacement for a GET */
export const fetchOperation: TaskHandler = async (deps, authorized) => {
  const { fields } = await readVideoBody(deps, authorized);
  const [, id = ''] = /\/operations\/([^/]+)$/.exec(textOf(fields.operationName)) ?? [];
  const task = await ownVideo(deps, authorized, id);
  answerJson(deps, authorized, writeOperation(shown(deps, authorized, task), placeIn(authorized.path)));
};

/** GET /v1beta/models/{model}/operations/{id} */
export const readOperation: TaskHandler = async (deps, authorized) => {
  const task = await ownVideo(deps, authorized, authorized.matched.slots.id ?? '');
  answerJson(deps, authorized, writeOperation(shown(deps, authorized, task)));
};
