import { type DrawingData, keptInEnglish, type TaskData } from '@tollgate/contract';
import { textOf } from '../../../lib/json.ts';
import type { Task } from '../../../services/tasks/index.ts';
import type { CallContext } from '../../context.ts';
import { drawingStatus, type PictureOptions, pictureUrl } from '../../relay/tasks/drawing-object.ts';
import { songStates } from '../../relay/tasks/suno.ts';

const seconds = (ms: number): number => Math.floor(ms / 1000);

/** Why it failed; what we said of it ourselves is kept in Chinese. */
const reasonOf = ({ reason }: Task, { language }: CallContext): string =>
  language === 'zh' ? reason : keptInEnglish(reason);

/** A drawing as a row of the console. */
export const drawingRow = (task: Task, context: CallContext, pictures: PictureOptions): DrawingData => ({
  id: task.id,
  user_id: task.userId,
  code: task.vendorId === '' ? 0 : 1,
  action: task.action,
  mj_id: task.taskId,
  prompt: textOf(task.result.prompt) || textOf(task.request.prompt),
  prompt_en: textOf(task.result.promptEn),
  description: textOf(task.result.description),
  state: textOf(task.request.state),
  submit_time: task.submitTime,
  start_time: task.startTime,
  finish_time: task.finishTime,
  image_url: pictureUrl(task, pictures),
  status: drawingStatus(task),
  progress: `${task.progress}%`,
  fail_reason: reasonOf(task, context),
  channel_id: task.channelId,
  quota: task.quota,
});

/** A song or video as a row of the console. A video's data is its vendor's own, so that it is not shown. */
export const taskRow = (task: Task, context: CallContext): TaskData => ({
  id: task.id,
  created_at: seconds(task.submitTime),
  task_id: task.taskId,
  platform: task.platform,
  user_id: task.userId,
  channel_id: task.channelId,
  quota: task.quota,
  action: task.action,
  status: songStates[task.state],
  fail_reason: reasonOf(task, context),
  submit_time: seconds(task.submitTime),
  start_time: seconds(task.startTime),
  finish_time: seconds(task.finishTime),
  progress: `${task.progress}%`,
  properties: { input: textOf(task.request.prompt) || textOf(task.request.gpt_description_prompt) },
  data: task.platform === 'suno' ? (task.result.data ?? null) : null,
});
