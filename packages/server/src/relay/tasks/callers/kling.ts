import type { JsonObject } from '../../../lib/json.ts';
import { refuse, type TaskState, type VideoRequest } from '../../types/index.ts';
import { picturesOf } from './fields.ts';
import { type FilmView, readFilm } from './film.ts';

/** Kling's two calls. */
export type KlingCall = 'text2video' | 'image2video';

/** The model that Kling takes where nothing is said. */
const usualModel = 'kling-v1';

/** A film as it is asked for in Kling's words. Throws RelayError (400). */
export function readKling(body: JsonObject, call: KlingCall): VideoRequest {
  const { model_name: name, image, image_tail: tail, ...rest } = body;
  const [first] = picturesOf(image);
  if (call === 'image2video' && !first) throw refuse('field_required', { field: 'image' });
  const film = readFilm({ ...rest, model: name ?? rest.model ?? usualModel }, first ? [first] : []);
  const last = picturesOf(tail);
  return last.length > 0 ? { ...film, images: [...(film.images ?? []), ...last] } : film;
}

/** Our states in Kling's words. */
const words: Readonly<Record<TaskState, string>> = {
  submitting: 'submitted',
  submitted: 'submitted',
  queued: 'submitted',
  in_progress: 'processing',
  succeeded: 'succeed',
  failed: 'failed',
};

/** A task as Kling's clients read it. */
export const writeKling = (film: FilmView, requestId: string): JsonObject => ({
  code: 0,
  message: 'SUCCEED',
  request_id: requestId,
  data: {
    task_id: film.id,
    task_status: words[film.state],
    task_status_msg: film.reason,
    created_at: film.submittedAt * 1_000,
    updated_at: (film.finishedAt || film.startedAt || film.submittedAt) * 1_000,
    ...(film.state === 'succeeded' && {
      task_result: { videos: [{ id: film.id, url: film.url, duration: String(film.seconds ?? '') }] },
    }),
  },
});
