import type { DrawingRow, GalleryRow, TaskRow } from './queries.ts';
import { clipsOf, pictureAddress, videoAddress, type Clip } from './media.ts';

type WorkKind = 'picture' | 'song' | 'video';

/** A task's work from either list. Times are Unix seconds, 0 for none. */
export interface Work {
  taskId: string;
  kind: WorkKind;
  action: string;
  model: string;
  prompt: string;
  status: string;
  progress: string;
  reason: string;
  submitTime: number;
  finishTime: number;
  /** Quota units. */
  quota: number;
  requestId: string;
  /** Addresses that this page may load; '' for none. */
  picture: string;
  video: string;
  clips: Clip[];
  /** Seconds and width × height of a video; 0 and '' if unknown. */
  seconds: number;
  size: string;
}

type Shared = Pick<Work, 'status' | 'taskId'>;

/** A finished video can be played. */
const playedAt = ({ status, taskId }: Shared): string => (status === 'SUCCESS' ? videoAddress(taskId) : '');

const billOf = (row: Pick<GalleryRow, 'model' | 'quota' | 'request_id'>) => ({
  model: row.model,
  quota: row.quota,
  requestId: row.request_id,
});

const stateOf = (row: Pick<GalleryRow, 'action' | 'status' | 'progress'>) => ({
  action: row.action,
  status: row.status,
  progress: row.progress,
});

export const workOfDrawing = (row: DrawingRow): Work => ({
  taskId: row.mj_id,
  kind: 'picture',
  ...stateOf(row),
  ...billOf(row),
  prompt: row.prompt,
  reason: row.fail_reason,
  submitTime: row.submit_time / 1000,
  finishTime: row.finish_time / 1000,
  picture: pictureAddress(row.image_url, row.mj_id),
  video: row.video_url.startsWith('https:') ? row.video_url : '',
  clips: [],
  seconds: 0,
  size: '',
});

export function workOfTask(row: TaskRow): Work {
  const isSong = row.platform === 'suno';
  return {
    taskId: row.task_id,
    kind: isSong ? 'song' : 'video',
    ...stateOf(row),
    ...billOf(row),
    prompt: row.properties.input,
    reason: row.fail_reason,
    submitTime: row.submit_time,
    finishTime: row.finish_time,
    picture: '',
    video: isSong ? '' : playedAt({ status: row.status, taskId: row.task_id }),
    clips: isSong ? clipsOf(row.data) : [],
    seconds: row.properties.seconds,
    size: row.properties.size,
  };
}

export function workOfItem(row: GalleryRow): Work {
  const moving = row.kind === 'video' ? playedAt({ status: row.status, taskId: row.task_id }) : '';
  return {
    taskId: row.task_id,
    kind: row.kind,
    ...stateOf(row),
    ...billOf(row),
    prompt: row.prompt,
    reason: row.fail_reason,
    submitTime: row.submit_time,
    finishTime: row.finish_time,
    picture: pictureAddress(row.image_url, row.task_id),
    video: row.video_url.startsWith('https:') ? row.video_url : moving,
    clips: row.kind === 'song' ? clipsOf(row.data) : [],
    seconds: row.seconds,
    size: row.size,
  };
}

/** True if there is an output to view or play. */
export const isShowable = ({ picture, video, clips }: Work): boolean =>
  picture !== '' || video !== '' || clips.length > 0;
