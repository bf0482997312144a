import { z } from 'zod';
import { pageSizeField } from '../../envelope.ts';
import { route } from '../../route.ts';

/** What a task costs, and where its log row is. */
const bill = {
  /** The name under which it is billed. */
  model: z.string(),
  /** Quota units that were taken and not given back. */
  quota: z.number().int(),
  /** The request that its charge and its refund are of. */
  request_id: z.string(),
};

/** Whose it is, and who makes it. */
const forAdministrators = { channel_id: z.number().int(), username: z.string() };

/** A drawing as its owner sees it (docs/compatibility.md#lists-of-tasks). Times are Unix ms, 0 for none. */
export const ownDrawingData = z.object({
  id: z.number().int(),
  user_id: z.number().int(),
  /** 1 once the vendor has taken it, else 0. */
  code: z.number().int(),
  action: z.string(),
  /** The name that callers know. */
  mj_id: z.string(),
  prompt: z.string(),
  prompt_en: z.string(),
  description: z.string(),
  state: z.string(),
  submit_time: z.number().int(),
  start_time: z.number().int(),
  finish_time: z.number().int(),
  /** '' before there is one. */
  image_url: z.string(),
  /** What moves, at the vendor; '' for pictures. */
  video_url: z.string(),
  /** NOT_START, SUBMITTED, IN_PROGRESS, MODAL, SUCCESS or FAILURE. */
  status: z.string(),
  /** `0%` to `100%`. */
  progress: z.string(),
  fail_reason: z.string(),
  ...bill,
});
export const drawingData = ownDrawingData.extend(forAdministrators);
export type DrawingData = z.output<typeof drawingData>;

/** A song or video as its owner sees it (docs/compatibility.md#lists-of-tasks). Times are Unix seconds, 0 for none. */
export const ownTaskData = z.object({
  id: z.number().int(),
  created_at: z.number().int(),
  /** The name that callers know. */
  task_id: z.string(),
  /** `suno` or `video`. */
  platform: z.string(),
  user_id: z.number().int(),
  ...bill,
  action: z.string(),
  /** NOT_START, SUBMITTED, QUEUED, IN_PROGRESS, SUCCESS or FAILURE. */
  status: z.string(),
  fail_reason: z.string(),
  submit_time: z.number().int(),
  start_time: z.number().int(),
  finish_time: z.number().int(),
  /** `0%` to `100%`. */
  progress: z.string(),
  properties: z.object({
    /** The prompt. */
    input: z.string(),
    /** Of a video: its length, and width × height; 0 and '' where it is not known. */
    seconds: z.number(),
    size: z.string(),
  }),
  /** The songs; null before there are any, and for videos. */
  data: z.unknown(),
});
export const taskData = ownTaskData.extend(forAdministrators);
export type TaskData = z.output<typeof taskData>;

/** What was made, as the gallery shows it. Times are Unix seconds, 0 for none. */
export const galleryItem = z.object({
  id: z.number().int(),
  /** The name that callers know. */
  task_id: z.string(),
  kind: z.enum(['picture', 'song', 'video']),
  action: z.string(),
  ...bill,
  prompt: z.string(),
  /** NOT_START, SUBMITTED, QUEUED, IN_PROGRESS, MODAL, SUCCESS or FAILURE. */
  status: z.string(),
  /** `0%` to `100%`. */
  progress: z.string(),
  fail_reason: z.string(),
  submit_time: z.number().int(),
  finish_time: z.number().int(),
  /** Of videos, as in their list. */
  seconds: z.number(),
  size: z.string(),
  /** Of drawings, as in their list; else ''. */
  image_url: z.string(),
  video_url: z.string(),
  /** The songs; null before there are any, and for all else. */
  data: z.unknown(),
});
export type GalleryItem = z.output<typeof galleryItem>;

/** How many rows match, counted up to a bound: `exact` says whether there may be more. */
const counted = z.object({ total: z.number().int(), exact: z.boolean() });

const page = z.coerce.number().int().min(0).max(1_000_000).catch(0).default(0);
const channel = z.coerce.number().int().min(0).catch(0).default(0);
const name = z.string().max(64).default('');
const moment = (most: number) => z.coerce.number().int().min(0).max(most).catch(0).default(0);
const ms = moment(100_000_000_000_000);
const seconds = moment(100_000_000_000);

/** Empty filters and 0 filter nothing; pages count from 0. */
const ownDrawingQuery = z.object({
  p: page,
  page_size: pageSizeField(),
  mj_id: name,
  start_timestamp: ms,
  end_timestamp: ms,
});
const drawingQuery = ownDrawingQuery.extend({ channel_id: channel });
export type DrawingQuery = z.output<typeof drawingQuery>;

const ownTaskQuery = z.object({
  p: page,
  page_size: pageSizeField(),
  platform: name,
  task_id: name,
  status: name,
  action: name,
  start_timestamp: seconds,
  end_timestamp: seconds,
});
const taskQuery = ownTaskQuery.extend({ channel_id: channel });
export type TaskQuery = z.output<typeof taskQuery>;

const galleryQuery = z.object({
  /** `picture`, `song` or `video`; '' for all. */
  kind: z.enum(['', 'picture', 'song', 'video']).catch('').default(''),
  /** `hidden` leaves out what failed. */
  failed: z.enum(['', 'hidden']).catch('').default(''),
  /** Only what is older than the item of this id; 0 for the newest. */
  before: z.coerce.number().int().min(0).catch(0).default(0),
  page_size: pageSizeField(24),
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

/** Songs and videos: docs/compatibility.md#lists-of-tasks. */
export const taskApi = {
  list: route('GET', '/api/task/', {
    summary: { zh: '查询所有异步任务', en: 'List the songs and videos of all users' },
    access: 'admin',
    example: { p: 0, platform: 'suno' },
    input: taskQuery,
    data: z.array(taskData),
    extra: counted,
  }),
  ownList: route('GET', '/api/task/self', {
    summary: { zh: '查询自己的异步任务', en: 'List one’s own songs and videos' },
    access: 'user',
    example: { p: 0, platform: 'suno' },
    input: ownTaskQuery,
    data: z.array(ownTaskData),
    extra: counted,
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
