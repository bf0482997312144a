import type { JsonObject } from '../../../lib/json.ts';
import type { TaskState } from '../../types/index.ts';
import type { VideoView } from './video.ts';

/** Our states in OpenAI's format. */
const words: Readonly<Record<TaskState, string>> = {
  submitting: 'queued',
  submitted: 'queued',
  queued: 'queued',
  in_progress: 'in_progress',
  succeeded: 'completed',
  failed: 'failed',
};

/** A video in the format of OpenAI's clients. */
export const writeVideo = (video: VideoView): JsonObject => ({
  id: video.id,
  object: 'video',
  model: video.model,
  status: words[video.state],
  progress: video.state === 'failed' ? 0 : video.progress,
  created_at: video.submittedAt,
  completed_at: video.state === 'succeeded' ? video.finishedAt : null,
  expires_at: null,
  prompt: video.prompt ?? null,
  ...(video.seconds !== undefined && { seconds: String(video.seconds) }),
  ...(video.size !== undefined && { size: video.size }),
  remixed_from_video_id: video.remixOf ?? null,
  error: video.state === 'failed' ? { code: 'video_generation_failed', message: video.reason } : null,
  ...(video.state === 'succeeded' && { metadata: { url: video.url } }),
});

/** A page of videos, newest first unless the caller requested the oldest first. */
export const writeVideos = (videos: readonly VideoView[], hasMore: boolean): JsonObject => ({
  object: 'list',
  data: videos.map(writeVideo),
  first_id: videos[0]?.id ?? null,
  last_id: videos.at(-1)?.id ?? null,
  has_more: hasMore,
});

/** Answer to the deletion of a video. */
export const writeDeleted = (id: string): JsonObject => ({ id, object: 'video.deleted', deleted: true });

/** Answer of `/v1/video/generations` to a new video: the same, with its id also under the older name. */
export const writeNewGeneration = (video: VideoView): JsonObject => ({
  ...writeVideo(video),
  task_id: video.id,
});

/** Our states in the format of `/v1/video/generations`. */
const generationWords: Readonly<Record<TaskState, string>> = {
  submitting: 'SUBMITTED',
  submitted: 'SUBMITTED',
  queued: 'QUEUED',
  in_progress: 'IN_PROGRESS',
  succeeded: 'SUCCESS',
  failed: 'FAILURE',
};

/** A video in the format of `/v1/video/generations/{id}`. */
export const writeGeneration = (video: VideoView): JsonObject => ({
  code: 'success',
  message: '',
  data: {
    task_id: video.id,
    action: video.action,
    status: generationWords[video.state],
    fail_reason: video.reason,
    submit_time: video.submittedAt,
    start_time: video.startedAt,
    finish_time: video.finishedAt,
    progress: `${video.progress}%`,
    data: video.state === 'succeeded' ? { url: video.url, format: 'mp4' } : null,
  },
});
