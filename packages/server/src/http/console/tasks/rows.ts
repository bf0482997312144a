import { type DrawingData, type GalleryItem, keptInEnglish, type TaskData } from '@tollgate/contract';
import { numberOf, objectOf, objectsIn, textOf } from '../../../lib/json.ts';
import { readBatch } from '../../../relay/tasks/index.ts';
import type { Task } from '../../../services/calls/tasks/index.ts';
import type { CallContext } from '../../context.ts';
import { drawingStatus, type PictureOptions, pictureUrl } from '../../relay/tasks/drawing-object.ts';
import { songStates } from '../../relay/tasks/suno.ts';

const seconds = (ms: number): number => Math.floor(ms / 1000);

/** Reason of the failure; our own texts are stored in Chinese. */
const reasonOf = ({ reason }: Task, { language }: CallContext): string =>
  language === 'zh' ? reason : keptInEnglish(reason);

/** Progress of a drawing; '' for pictures. */
function movingPicture({ result }: Task): string {
  return textOf(result.videoUrl) || textOf(objectsIn(result.videoUrls)[0]?.url);
}

const costOf = ({ model, quota, requestId }: Task) => ({ model, quota, request_id: requestId });

/** Parameters of a video. */
const shapeOf = ({ request }: Task) => ({
  seconds: typeof request.seconds === 'number' ? request.seconds : 0,
  size: textOf(request.size),
});

/** Ended and all calls of a batch. */
function callsOf({ action, result, request }: Task): string {
  const api = action === 'anthropic' || action === 'gemini' ? action : 'openai';
  const report = readBatch(api, objectOf(result.batch));
  return `${report?.ended ?? 0} / ${numberOf(request.requests)} · ${textOf(request.endpoint) || (api === 'gemini' ? ':generateContent' : '/v1/messages')}`;
}

const promptOf = ({ result, request }: Task): string =>
  textOf(result.prompt) || textOf(request.prompt) || textOf(request.gpt_description_prompt);

/** A drawing as a row of the console. */
export const drawingRow = (task: Task, context: CallContext, pictures: PictureOptions): DrawingData => ({
  id: task.id,
  user_id: task.userId,
  code: task.vendorId === '' ? 0 : 1,
  action: task.action,
  mj_id: task.taskId,
  prompt: promptOf(task),
  prompt_en: textOf(task.result.promptEn),
  description: textOf(task.result.description),
  state: textOf(task.request.state),
  submit_time: task.submitTime,
  start_time: task.startTime,
  finish_time: task.finishTime,
  image_url: pictureUrl(task, pictures),
  video_url: movingPicture(task),
  status: drawingStatus(task),
  progress: `${task.progress}%`,
  fail_reason: reasonOf(task, context),
  channel_id: task.channelId,
  username: task.bill.username,
  ...costOf(task),
});

/** A song or video as a row of the console. The data of a video is in the vendor's format and is not shown. */
export const taskRow = (task: Task, context: CallContext): TaskData => ({
  id: task.id,
  created_at: seconds(task.submitTime),
  task_id: task.taskId,
  platform: task.platform,
  user_id: task.userId,
  channel_id: task.channelId,
  username: task.bill.username,
  ...costOf(task),
  action: task.action,
  status: songStates[task.state],
  fail_reason: reasonOf(task, context),
  submit_time: seconds(task.submitTime),
  start_time: seconds(task.startTime),
  finish_time: seconds(task.finishTime),
  progress: `${task.progress}%`,
  properties: {
    input: task.platform === 'batch' ? callsOf(task) : promptOf(task),
    ...shapeOf(task),
  },
  data: songsOf(task),
});

const songsOf = ({ platform, result }: Task): unknown => (platform === 'suno' ? (result.data ?? null) : null);

const kindOf = ({ platform }: Task): GalleryItem['kind'] =>
  platform === 'mj' ? 'picture' : platform === 'suno' ? 'song' : 'video';

/** Finished and running media for the gallery. */
export const galleryRow = (task: Task, context: CallContext, pictures: PictureOptions): GalleryItem => {
  const isDrawing = task.platform === 'mj';
  return {
    id: task.id,
    task_id: task.taskId,
    kind: kindOf(task),
    action: task.action,
    ...costOf(task),
    prompt: promptOf(task),
    status: isDrawing ? drawingStatus(task) : songStates[task.state],
    progress: `${task.progress}%`,
    fail_reason: reasonOf(task, context),
    submit_time: seconds(task.submitTime),
    finish_time: seconds(task.finishTime),
    ...shapeOf(task),
    image_url: isDrawing ? pictureUrl(task, pictures) : '',
    video_url: isDrawing ? movingPicture(task) : '',
    data: songsOf(task),
  };
};
