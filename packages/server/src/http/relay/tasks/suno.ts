import { type JsonObject, textOf } from '../../../lib/json.ts';
import { submitTask } from '../../../gateway/index.ts';
import { refuse } from '../../../relay/types/index.ts';
import type { Task } from '../../../services/calls/tasks/index.ts';
import type { AuthorizedRequest } from '../read-call.ts';
import { answerJson, idsIn, kept, readTaskBody } from './body.ts';
import type { TaskHandler, TaskRouteDeps } from './deps.ts';

/** A song that is not done after this time has failed. */
const limitMs = 24 * 3_600_000;
const usualModel = 'chirp-v3-0';

/** Tollgate's states for Suno's clients. */
export const songStates: Readonly<Record<Task['state'], string>> = {
  submitting: 'NOT_START',
  submitted: 'SUBMITTED',
  queued: 'QUEUED',
  in_progress: 'IN_PROGRESS',
  succeeded: 'SUCCESS',
  failed: 'FAILURE',
};

const seconds = (ms: number): number => Math.floor(ms / 1000);

/** A task in Suno's format. */
const sunoTask = (task: Task): JsonObject => ({
  task_id: task.taskId,
  notify_hook: '',
  action: task.action,
  status: songStates[task.state],
  fail_reason: task.reason,
  submit_time: seconds(task.submitTime),
  start_time: seconds(task.startTime),
  finish_time: seconds(task.finishTime),
  progress: `${task.progress}%`,
  data: task.result.data ?? null,
});

const isSong = ({ platform }: Task): boolean => platform === 'suno';

/** POST /suno/submit/{action} */
export const submitSuno: TaskHandler = async (deps, authorized) => {
  const action = (authorized.matched.slots.action ?? '').toUpperCase();
  if (action !== 'MUSIC' && action !== 'LYRICS')
    throw refuse('task_action_unknown', { action: action.slice(0, 40) });
  const model = `suno_${action.toLowerCase()}`;
  authorized.model = model;
  const asked = await readTaskBody(deps, authorized);
  if (action === 'LYRICS' && textOf(asked.prompt) === '') throw refuse('task_prompt_empty');
  const before = await continued(deps, authorized, asked);
  const body = {
    ...asked,
    ...(action === 'MUSIC' && { mv: textOf(asked.mv) || usualModel }),
    ...(before && { task_id: before.vendorId }),
  };
  const { task, accepted } = await submitTask(deps.tasks, authorized, {
    platform: 'suno',
    action,
    model,
    asked,
    request: kept(asked),
    ...(before && { channelId: before.channelId, keyId: before.bill.keyId }),
    mayFailOver: true,
    isRateCounted: false,
    limitMs,
    ask: ({ provider, channel }) => {
      const music = provider.tasks?.music;
      return (
        music && {
          question: music.submit(`/suno/submit/${action}`, body, channel),
          read: (status, answer) => music.readSubmit(status, answer),
        }
      );
    },
  });
  answerJson(deps, authorized, { message: '', ...accepted.answer, data: task.taskId });
};

/** The caller's own task that a song continues. */
async function continued(
  { tasks }: TaskRouteDeps,
  { caller }: AuthorizedRequest,
  asked: JsonObject,
): Promise<Task | undefined> {
  const taskId = textOf(asked.task_id);
  if (taskId === '') {
    if (textOf(asked.continue_clip_id) !== '') throw refuse('task_field_missing', { field: 'task_id' });
    return undefined;
  }
  const task = await tasks.tasks.findOwn(caller.userId, taskId);
  if (!task || !isSong(task)) throw refuse('task_not_exist');
  return task;
}

/** GET /suno/fetch/{id} */
export const fetchSuno: TaskHandler = async (deps, authorized) => {
  const task = await deps.tasks.tasks.findOwn(authorized.caller.userId, authorized.matched.slots.id ?? '');
  if (!task || !isSong(task)) throw refuse('task_not_exist');
  answerJson(deps, authorized, { code: 'success', message: '', data: sunoTask(task) });
};

/** POST /suno/fetch */
export const listSuno: TaskHandler = async (deps, authorized) => {
  const { ids } = await readTaskBody(deps, authorized);
  const found = await deps.tasks.tasks.findMany(authorized.caller.userId, idsIn(ids));
  answerJson(deps, authorized, { code: 'success', message: '', data: found.filter(isSong).map(sunoTask) });
};
