import { z } from 'zod';
import { pageSizeField } from '../../envelope.ts';
import { route } from '../../route.ts';
import { meanings } from '../../meanings.ts';
import { whole } from '../../whole.ts';

/** Charge of a task and its log row. */
const bill = {
  model: z.string().meta({ zh: '计费所用的模型名称', en: 'Model that is billed' }),
  quota: z.number().int().meta(meanings.quota),
  request_id: z
    .string()
    .meta({ zh: '计费与退款所属的请求 ID', en: 'Request id of the charge and the refund' }),
};

/** Owner and vendor of a task. */
const forAdministrators = {
  channel_id: z.number().int().meta(meanings.channelId),
  username: z.string().meta(meanings.username),
};

/** A drawing as its owner sees it (docs/compatibility.md#lists-of-tasks). Times are Unix ms, 0 for none. */
export const ownDrawingData = z.object({
  id: z.number().int().meta(meanings.rowId),
  user_id: z.number().int().meta(meanings.userId),
  code: z
    .number()
    .int()
    .meta({ zh: '供应商已接受为 1，否则为 0', en: '1 once the vendor has taken it, else 0' }),
  action: z.string().meta(meanings.action),
  mj_id: z.string().meta(meanings.taskId),
  prompt: z.string().meta(meanings.prompt),
  prompt_en: z.string().meta({ zh: '英文提示词', en: 'Prompt in English' }),
  description: z.string().meta({ zh: '供应商的说明', en: 'Description by the vendor' }),
  state: z.string().meta({ zh: '供应商的状态，用于后续操作', en: 'State at the vendor, for later actions' }),
  submit_time: z.number().int().meta(meanings.milliseconds),
  start_time: z.number().int().meta(meanings.milliseconds),
  finish_time: z.number().int().meta(meanings.milliseconds),
  image_url: z.string().meta(meanings.imageUrl),
  video_url: z.string().meta(meanings.videoUrl),
  status: z.string().meta(meanings.taskStatus),
  progress: z.string().meta(meanings.progress),
  fail_reason: z.string().meta(meanings.failReason),
  ...bill,
});
export const drawingData = ownDrawingData.extend(forAdministrators);
export type DrawingData = z.output<typeof drawingData>;

/** A song, video or batch as its owner sees it (docs/compatibility.md#lists-of-tasks). Times are Unix seconds, 0 for none. */
export const ownTaskData = z.object({
  id: z.number().int().meta(meanings.rowId),
  created_at: z.number().int().meta(meanings.seconds),
  task_id: z.string().meta(meanings.taskId),
  platform: z.string().meta({ zh: 'suno、video 或 batch', en: '`suno`, `video` or `batch`' }),
  user_id: z.number().int().meta(meanings.userId),
  ...bill,
  action: z.string().meta(meanings.action),
  status: z.string().meta(meanings.taskStatus),
  fail_reason: z.string().meta(meanings.failReason),
  submit_time: z.number().int().meta(meanings.seconds),
  start_time: z.number().int().meta(meanings.seconds),
  finish_time: z.number().int().meta(meanings.secondsOrNone),
  progress: z.string().meta(meanings.progress),
  properties: z
    .object({
      input: z.string().meta(meanings.prompt),
      seconds: z.number().meta(meanings.durationOrNone),
      size: z.string().meta({ zh: '画面尺寸', en: 'Size of the picture' }),
    })
    .meta({ zh: '任务的属性', en: 'Properties of the task' }),
  data: z.unknown().meta(meanings.songs),
});
export const taskData = ownTaskData.extend(forAdministrators);
export type TaskData = z.output<typeof taskData>;

/** A generated result as the gallery shows it. Times are Unix seconds, 0 for none. */
export const galleryItem = z.object({
  id: z.number().int().meta(meanings.rowId),
  task_id: z.string().meta(meanings.taskId),
  kind: z
    .enum(['picture', 'song', 'video'])
    .meta({ zh: 'picture、song 或 video', en: '`picture`, `song` or `video`' }),
  action: z.string().meta(meanings.action),
  ...bill,
  prompt: z.string().meta(meanings.prompt),
  status: z.string().meta(meanings.taskStatus),
  progress: z.string().meta(meanings.progress),
  fail_reason: z.string().meta(meanings.failReason),
  submit_time: z.number().int().meta(meanings.seconds),
  finish_time: z.number().int().meta(meanings.secondsOrNone),
  seconds: z.number().meta(meanings.durationOrNone),
  size: z.string().meta({ zh: '画面尺寸', en: 'Size of the picture' }),
  image_url: z.string().meta(meanings.imageUrl),
  video_url: z.string().meta(meanings.videoUrl),
  data: z.unknown().meta(meanings.songs),
});
export type GalleryItem = z.output<typeof galleryItem>;

/** Number of matching rows, counted up to a limit. If `exact` is false, there may be more. */
const counted = z.object({
  total: z.number().int().meta({ zh: '总数', en: 'Number of all rows' }),
  exact: z.boolean().meta(meanings.exact),
});

const page = z.coerce.number().int().min(0).max(1_000_000).catch(0).default(0);
const channel = z.coerce.number().int().min(0).catch(0).default(0);
const name = z.string().max(64).default('');
const moment = (most: number) => z.coerce.number().int().min(0).max(most).catch(0).default(0);
const ms = moment(100_000_000_000_000);
const seconds = moment(100_000_000_000);

/** Empty filters and 0 match all rows. Pages count from 0. */
const ownDrawingQuery = z.object({
  p: page.meta(meanings.pageFromZero),
  page_size: pageSizeField().meta({ ...meanings.pageSize, example: 10 }),
  mj_id: name.meta(meanings.taskId),
  start_timestamp: ms.meta(meanings.milliseconds),
  end_timestamp: ms.meta(meanings.milliseconds),
});
const drawingQuery = ownDrawingQuery.extend({ channel_id: channel.meta(meanings.channelId) });
export type DrawingQuery = z.output<typeof drawingQuery>;

const ownTaskQuery = z.object({
  p: page.meta(meanings.pageFromZero),
  page_size: pageSizeField().meta({ ...meanings.pageSize, example: 10 }),
  platform: name.meta({ zh: 'suno、video 或 batch', en: '`suno`, `video` or `batch`' }),
  task_id: name.meta(meanings.taskId),
  status: name.meta(meanings.taskStatus),
  action: name.meta(meanings.action),
  start_timestamp: seconds.meta(meanings.bound),
  end_timestamp: seconds.meta(meanings.bound),
});
const taskQuery = ownTaskQuery.extend({ channel_id: channel.meta(meanings.channelId) });
export type TaskQuery = z.output<typeof taskQuery>;

const galleryQuery = z.object({
  kind: z
    .enum(['', 'picture', 'song', 'video'])
    .catch('')
    .default('')
    .meta({ zh: 'picture、song 或 video；空为全部', en: '`picture`, `song` or `video`; empty for all' }),
  failed: z
    .enum(['', 'hidden'])
    .catch('')
    .default('')
    .meta({ zh: 'hidden 表示隐藏失败的任务', en: '`hidden` leaves failed tasks out' }),
  before: z.coerce
    .number()
    .int()
    .min(0)
    .catch(0)
    .default(0)
    .meta({ zh: '只取早于此 ID 的；0 表示最新', en: 'Only what is older than this id; 0 for the newest' }),
  page_size: pageSizeField(24).meta({ ...meanings.pageSize, example: 10 }),
});
export type GalleryQuery = z.output<typeof galleryQuery>;

/** Drawings: docs/compatibility.md#lists-of-tasks. */
export const drawingApi = {
  list: route('GET', '/api/mj/', {
    summary: { zh: '查询所有绘图任务', en: 'List the drawings of all users' },
    access: 'admin',
    example: { p: 0 },
    input: drawingQuery,
    data: z.array(drawingData),
    extra: counted,
  }),
  ownList: route('GET', '/api/mj/self', {
    summary: { zh: '查询自己的绘图任务', en: 'List one’s own drawings' },
    access: 'user',
    example: { p: 0 },
    input: ownDrawingQuery,
    data: z.array(ownDrawingData),
    extra: counted,
  }),
};

/** Songs, videos and batches: docs/compatibility.md#lists-of-tasks. */
export const taskApi = {
  list: route('GET', '/api/task/', {
    summary: { zh: '查询所有异步任务', en: 'List the songs, videos and batches of all users' },
    access: 'admin',
    example: { p: 0, platform: 'suno' },
    input: taskQuery,
    data: z.array(taskData),
    extra: counted,
  }),
  ownList: route('GET', '/api/task/self', {
    summary: { zh: '查询自己的异步任务', en: 'List one’s own songs, videos and batches' },
    access: 'user',
    example: { p: 0, platform: 'suno' },
    input: ownTaskQuery,
    data: z.array(ownTaskData),
    extra: counted,
  }),
  cancel: route('POST', '/api/task/:id/cancel', {
    summary: {
      zh: '取消自己的批量任务，已完成的请求仍计费',
      en: 'Cancel one’s own batch; calls that have been answered are charged',
    },
    access: 'user',
    errors: ['row_not_found'],
    example: { id: 1 },
    audit: 'task.cancel',
    input: z.object({ id: whole(1, Number.MAX_SAFE_INTEGER).meta(meanings.rowId) }),
    data: z.null(),
  }),
  gallery: route('GET', '/api/task/gallery', {
    summary: {
      zh: '浏览自己的图片、歌曲与视频',
      en: 'Browse one’s own pictures, songs and videos: what was made and what is being made',
    },
    access: 'user',
    example: { kind: '' },
    input: galleryQuery,
    data: z.array(galleryItem),
  }),
};
