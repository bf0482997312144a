import { type JsonObject, textOf } from '../../../lib/json.ts';
import type { Task } from '../../../services/calls/tasks/index.ts';
import type { DrawingOptions } from './deps.ts';

/** Tollgate's states for Midjourney's clients; a vendor's own state has priority. */
const stateWords: Readonly<Record<Task['state'], string>> = {
  submitting: 'NOT_START',
  submitted: 'SUBMITTED',
  queued: 'SUBMITTED',
  in_progress: 'IN_PROGRESS',
  succeeded: 'SUCCESS',
  failed: 'FAILURE',
};

/**
 * The state of a drawing for Midjourney's clients. A task may wait for its mask, which only the vendor's state shows.
 */
export const drawingStatus = (task: Pick<Task, 'state' | 'vendorStatus'>): string =>
  task.state === 'in_progress' && task.vendorStatus === 'MODAL' ? 'MODAL' : stateWords[task.state];

/** The base address of images. */
export type PictureOptions = Pick<DrawingOptions, 'MjForwardUrlEnabled' | 'ServerAddress'>;

/**
 * The image's address for callers: at this site, with an unguessable id, or at the vendor. '' before there is one.
 */
export function pictureUrl(task: Task, options: PictureOptions): string {
  const own = textOf(task.result.imageUrl);
  if (own === '' || !options.MjForwardUrlEnabled) return own;
  // A preview changes under the same address, and browsers would cache it.
  const fresh = task.state === 'succeeded' ? '' : `?rand=${task.progress}`;
  return `${options.ServerAddress}/mj/image/${task.taskId}${fresh}`;
}

/** A drawing in Midjourney's format. */
export function drawingObject(task: Task, options: DrawingOptions): JsonObject {
  const { request, result } = task;
  return {
    id: task.taskId,
    action: task.action,
    customId: textOf(request.customId),
    botType: textOf(result.botType) || textOf(request.botType),
    prompt: textOf(result.prompt) || textOf(request.prompt),
    promptEn: textOf(result.promptEn),
    description: textOf(result.description),
    state: textOf(request.state),
    submitTime: task.submitTime,
    startTime: task.startTime,
    finishTime: task.finishTime,
    imageUrl: pictureUrl(task, options),
    ...(result.videoUrl !== undefined && { videoUrl: result.videoUrl }),
    ...(result.videoUrls !== undefined && { videoUrls: result.videoUrls }),
    status: drawingStatus(task),
    progress: `${task.progress}%`,
    failReason: task.reason,
    buttons: result.buttons ?? [],
    maskBase64: '',
    properties: result.properties ?? {},
  };
}
