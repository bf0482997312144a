import type { JsonObject } from '../../../lib/json.ts';
import { refuse, type TaskState, type VideoRequest } from '../../types/index.ts';
import { picturesOf, textField, wholeField } from './fields.ts';
import { type VideoView, readVideoRequest } from './video.ts';

/** Jimeng's two actions. */
export const jimengSubmit = 'CVSync2AsyncSubmitTask';
export const jimengResult = 'CVSync2AsyncGetResult';

/** A second has 24 frames, and each video has one frame more. */
const secondsOf = (frames: number): number => Math.round((frames - 1) / 24);

/** A video request in Jimeng's format; its model is the `req_key`. Throws RelayError (400). */
export function readJimeng(body: JsonObject): VideoRequest {
  const { req_key: model, frames, image_urls: urls, binary_data_base64: data, ...rest } = body;
  if (typeof model !== 'string' || model === '') throw refuse('field_required', { field: 'req_key' });
  const count = wholeField({ frames }, ['frames'], { least: 25, most: 24 * 60 + 1 });
  const pictures = [...picturesOf(data), ...picturesOf(urls)];
  const seconds = count === undefined ? {} : { seconds: secondsOf(count) };
  return readVideoRequest({ ...rest, model, ...seconds }, pictures);
}

/** The task in a request for a result. Throws RelayError (400). */
export function jimengTask(body: JsonObject): string {
  const id = textField(body, ['task_id']);
  if (id === undefined) throw refuse('field_required', { field: 'task_id' });
  return id;
}

const success = { code: 10_000, message: 'Success', status: 10_000 };

/** Answer to a new task. */
export const writeJimengTask = (id: string, requestId: string): JsonObject => ({
  ...success,
  request_id: requestId,
  data: { task_id: id },
});

/** Our states in Jimeng's format. */
const words: Readonly<Record<TaskState, string>> = {
  submitting: 'in_queue',
  submitted: 'in_queue',
  queued: 'in_queue',
  in_progress: 'generating',
  succeeded: 'done',
  failed: 'done',
};

/** A failed task is recognised by its number. */
const failedCode = 50_500;

/** A task in the format of Jimeng's clients. */
export const writeJimengResult = (video: VideoView, requestId: string): JsonObject =>
  video.state === 'failed'
    ? { code: failedCode, status: failedCode, message: video.reason, request_id: requestId, data: null }
    : {
        ...success,
        request_id: requestId,
        data: { status: words[video.state], video_url: video.state === 'succeeded' ? video.url : '' },
      };
