import { channelStatus } from '@tollgate/contract';
import { type Json, type JsonObject, textOf } from '../../../lib/json.ts';
import { submitTask } from '../../../gateway/index.ts';
import {
  buttonAction,
  callAction,
  changeAction,
  drawingCode,
  drawingModel,
  simpleChange,
  withoutSpeed,
} from '../../../relay/tasks/index.ts';
import { refuse } from '../../../relay/types/index.ts';
import type { Task } from '../../../services/calls/tasks/index.ts';
import type { AuthorizedRequest } from '../read-call.ts';
import { answerJson, kept, readTaskBody } from './body.ts';
import type { DrawingOptions, TaskHandler, TaskRouteDeps } from './deps.ts';

/** A drawing that is not done after an hour has failed. */
const limitMs = 3_600_000;

/** Required fields, by the last segment of the path. */
const requiredFields: Readonly<Record<string, readonly string[]>> = {
  imagine: ['prompt'],
  shorten: ['prompt'],
  blend: ['base64Array'],
  swap: ['sourceBase64', 'targetBase64'],
  change: ['taskId', 'action'],
  'simple-change': ['content'],
  action: ['taskId', 'customId'],
  modal: ['taskId'],
  'upload-discord-images': ['base64Array'],
};

/** For these a later call, which is charged, makes the image. */
const freeActions: ReadonlySet<string> = new Set(['INPAINT', 'CUSTOM_ZOOM']);

/** A requested drawing: the action, the body, and the drawing that it is based on. */
interface Wanted {
  action: string;
  /** The path at the vendor. */
  path: string;
  body: JsonObject;
  origin: Task | undefined;
}

/** POST /mj/submit/… and /mj/insight-face/swap */
export const submitDrawing: TaskHandler = async (deps, authorized) => {
  const options = deps.options(authorized.req);
  const path = authorized.path.slice(authorized.path.indexOf('/mj/')).replace(/\/$/, '');
  const asked = await readTaskBody(deps, authorized);
  const wanted = await read(deps, authorized, path, asked);
  const { action, origin } = wanted;
  const model = drawingModel(action);
  authorized.model = model;
  const body = tidy(wanted.body, options);
  const { task, accepted } = await submitTask(deps.tasks, authorized, {
    platform: 'mj',
    action,
    model,
    asked,
    request: kept(origin ? { ...asked, prompt: asked.prompt ?? origin.request.prompt } : asked),
    ...(origin && { channelId: origin.channelId, keyId: origin.bill.keyId }),
    isFree: freeActions.has(action),
    mayFailOver: false,
    isRateCounted: false,
    limitMs,
    ask: ({ provider, channel }) => {
      const drawing = provider.tasks?.drawing;
      return (
        drawing && {
          question: drawing.submit(wanted.path, body, channel),
          read: (status, answer) => {
            const taken = drawing.readSubmit(status, answer);
            // An uploaded image is available with the answer; no task follows.
            return action === 'UPLOAD' && 'vendorId' in taken
              ? { ...taken, update: { state: 'succeeded', result: { upload: taken.answer?.result } } }
              : taken;
          },
        }
      );
    },
  });
  answerJson(deps, authorized, answerOf(task, accepted.answer ?? {}));
};

/** The vendor's answer with Tollgate's task id; an existing or queued task counts as submitted for the caller. */
function answerOf(task: Task, answer: JsonObject): JsonObject {
  const isTaken = answer.code === drawingCode.queued || answer.code === drawingCode.exists;
  const code = isTaken && !(answer.code === drawingCode.exists && freeActions.has(task.action));
  const result: Json = Array.isArray(answer.result) ? answer.result : task.taskId;
  return { ...answer, code: code ? drawingCode.submitted : (answer.code ?? 0), result };
}

async function read(
  deps: TaskRouteDeps,
  authorized: AuthorizedRequest,
  path: string,
  asked: JsonObject,
): Promise<Wanted> {
  const call = path.slice(path.lastIndexOf('/') + 1);
  for (const field of requiredFields[call] ?? []) {
    if (isMissing(asked[field])) throw refuse('task_field_missing', { field });
  }
  // An image to describe may be given by its address.
  if (call === 'describe' && isMissing(asked.base64) && isMissing(asked.link))
    throw refuse('task_field_missing', { field: 'base64' });
  const { action, taskId, index } = actionIn(call, asked);
  const origin = taskId === '' ? undefined : await findOrigin(deps, authorized, taskId, action);
  const isSimple = call === 'simple-change';
  const body: JsonObject = isSimple ? { action, index } : { ...asked };
  if (isSimple) delete body.content;
  if (origin) body.taskId = origin.vendorId;
  return { action, path: isSimple ? '/mj/submit/change' : path, body, origin };
}

/** Nothing, or an empty text or list. */
const isMissing = (value: Json | undefined): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

function actionIn(call: string, asked: JsonObject): { action: string; taskId: string; index: number } {
  const taskId = textOf(asked.taskId);
  if (call === 'simple-change') {
    const change = simpleChange(textOf(asked.content));
    if (!change) throw refuse('task_action_unknown', { action: textOf(asked.content).slice(0, 40) });
    return change;
  }
  if (call === 'action') {
    const customId = textOf(asked.customId);
    const button = buttonAction(customId);
    if (!button) throw refuse('task_action_unknown', { action: customId.slice(0, 40) });
    return { ...button, taskId };
  }
  if (call === 'change') return { ...changeIn(asked), taskId };
  return { action: callAction(call) ?? '', taskId, index: 0 };
}

/** The parameters of a change. A vendor refuses one without its image, but some vendors charge before that. */
function changeIn(asked: JsonObject): { action: string; index: number } {
  const word = textOf(asked.action);
  const change = changeAction(word);
  if (!change) throw refuse('task_action_unknown', { action: word.slice(0, 40) });
  const index = Number(asked.index ?? 0);
  const isPicture = Number.isInteger(index) && index >= 1 && index <= 4;
  if (change.needsIndex && !isPicture) throw refuse('task_field_missing', { field: 'index' });
  return { action: change.action, index };
}

/** The caller's own drawing that another one is based on; only its channel can make it. */
async function findOrigin(
  { tasks, options }: TaskRouteDeps,
  { caller, req }: AuthorizedRequest,
  taskId: string,
  action: string,
): Promise<Task> {
  const task = await tasks.tasks.findOwn(caller.userId, taskId);
  if (!task || task.platform !== 'mj') throw refuse('task_not_found');
  const mustBeDone = options(req).MjActionCheckSuccessEnabled && action !== 'MODAL';
  if (mustBeDone && task.state !== 'succeeded') throw refuse('task_status_not_success');
  const routed = tasks.gateway.routing.byId(task.channelId);
  if (routed?.status !== channelStatus.enabled) throw refuse('task_channel_disabled');
  return task;
}

/** The body after the site's options. */
function tidy(body: JsonObject, options: DrawingOptions): JsonObject {
  const tidied = { ...body };
  if (!options.MjAccountFilterEnabled) delete tidied.accountFilter;
  if (!options.MjNotifyEnabled) delete tidied.notifyHook;
  if (options.MjModeClearEnabled && typeof tidied.prompt === 'string') {
    tidied.prompt = withoutSpeed(tidied.prompt);
  }
  return tidied;
}
