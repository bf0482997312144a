import type { JsonObject } from '../../../lib/json.ts';
import type { TaskState } from '../../types/index.ts';
import type { FilmView } from './film.ts';

/** Our states in OpenAI's words. */
const words: Readonly<Record<TaskState, string>> = {
  submitting: 'queued',
  submitted: 'queued',
  queued: 'queued',
  in_progress: 'in_progress',
  succeeded: 'completed',
  failed: 'failed',
};

/** A film as OpenAI's clients read it. */
export const writeVideo = (film: FilmView): JsonObject => ({
  id: film.id,
  object: 'video',
  model: film.model,
  status: words[film.state],
  progress: film.state === 'failed' ? 0 : film.progress,
  created_at: film.submittedAt,
  completed_at: film.state === 'succeeded' ? film.finishedAt : null,
  expires_at: null,
  prompt: film.prompt ?? null,
  ...(film.seconds !== undefined && { seconds: String(film.seconds) }),
  ...(film.size !== undefined && { size: film.size }),
  remixed_from_video_id: film.remixOf ?? null,
  error: film.state === 'failed' ? { code: 'video_generation_failed', message: film.reason } : null,
  ...(film.state === 'succeeded' && { metadata: { url: film.url } }),
});

/** A page of films, the newest first unless the oldest were asked for. */
export const writeVideos = (films: readonly FilmView[], hasMore: boolean): JsonObject => ({
  object: 'list',
  data: films.map(writeVideo),
  first_id: films[0]?.id ?? null,
  last_id: films.at(-1)?.id ?? null,
  has_more: hasMore,
});

/** What is answered where a film was deleted. */
export const writeDeleted = (id: string): JsonObject => ({ id, object: 'video.deleted', deleted: true });

/** What `/v1/video/generations` answers to a new film: the same, and its name once more under the older one. */
export const writeNewGeneration = (film: FilmView): JsonObject => ({ ...writeVideo(film), task_id: film.id });

/** Our states in the words of `/v1/video/generations`. */
const generationWords: Readonly<Record<TaskState, string>> = {
  submitting: 'SUBMITTED',
  submitted: 'SUBMITTED',
  queued: 'QUEUED',
  in_progress: 'IN_PROGRESS',
  succeeded: 'SUCCESS',
  failed: 'FAILURE',
};

/** A film as `/v1/video/generations/{id}` tells of it. */
export const writeGeneration = (film: FilmView): JsonObject => ({
  code: 'success',
  message: '',
  data: {
    task_id: film.id,
    action: film.action,
    status: generationWords[film.state],
    fail_reason: film.reason,
    submit_time: film.submittedAt,
    start_time: film.startedAt,
    finish_time: film.finishedAt,
    progress: `${film.progress}%`,
    data: film.state === 'succeeded' ? { url: film.url, format: 'mp4' } : null,
  },
});
