import type { JsonObject } from '../../../lib/json.ts';
import { refuse, type TaskState, type VideoRequest } from '../../types/index.ts';
import { picturesOf } from './fields.ts';
import { type VideoView, readVideoRequest } from './video.ts';

/** Kling's two calls. */
export type KlingCall = 'text2video' | 'image2video';

/** Kling's default model. */
const defaultModel = 'kling-v1';

/** A video request in Kling's format. Throws RelayError (400). */
export function readKling(body: JsonObject, call: KlingCall): VideoRequest {
  const { model_name: name, image, image_tail: tail, ...rest } = body;
  const [first] = picturesOf(image);
  if (call === 'image2video' && !first) throw refuse('field_required', { field: 'image' });
  const video = readVideoRequest(
    { ...rest, model: name ?? rest.model ?? defaultModel },
    first ? [first] : [],
  );
  const last = picturesOf(tail);
  return last.length > 0 ? { ...video, images: [...(video.images ?? []), ...last] } : video;
}

/** Our states in Kling's format. */
const words: Readonly<Record<TaskState, string>> = {
  submitting: 'submitted',
  submitted: 'submitted',
  queued: 'submitted',
  in_progress: 'processing',
  succeeded: 'succeed',
  failed: 'failed',
};

/** A task in the format of Kling's clients. */
export const writeKling = (video: VideoView, requestId: string): JsonObject => ({
  code: 0,
  message: 'SUCCEED',
  request_id: requestId,
  data: {
    task_id: video.id,
    task_status: words[video.state],
    task_status_msg: video.reason,
    created_at: video.submittedAt * 1_000,
    updated_at: (video.finishedAt || video.startedAt || video.submittedAt) * 1_000,
    ...(video.state === 'succeeded' && {
      task_result: { videos: [{ id: video.id, url: video.url, duration: String(video.seconds ?? '') }] },
    }),
  },
});
