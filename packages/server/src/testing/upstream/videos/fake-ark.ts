import { isObject, type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';
import { publicVideo, videoAt, type Answer, type VideoJob, type VideoMaker } from './far-side.ts';
import { choice, maybe, text, whole, wrongField } from './fields.ts';

// Doubao's videos (Seedance), through Ark's tasks.

export const arkKey = 'ark-key';
const tasks = '/api/v3/contents/generations/tasks';

const refusal = (status: number, type: string, code: string, message: string): Answer => ({
  status,
  body: { error: { code, message, param: '', type } },
});
const states = { waiting: 'queued', running: 'running', done: 'succeeded', failed: 'failed' };

/** Needs a bearer, `model` and `content`; reports a task at its own address. */
export const fakeArk: VideoMaker = (asked) => {
  const { call, headers, body, jobs } = asked;
  const found = publicVideo(asked);
  if (found) return found;
  if (headers.authorization !== `Bearer ${arkKey}`)
    return refusal(401, 'Unauthorized', 'AuthenticationError', 'The API key is missing or invalid.');
  if (call === `POST ${tasks}`) {
    const wrong = wrongField(body, {
      model: text,
      content: (value) =>
        objectsIn(value).some(
          (part) => text(part.text) || (isObject(part.image_url) && text(part.image_url.url)),
        ),
      resolution: maybe(choice('480p', '720p', '1080p')),
      ratio: maybe(choice('16:9', '9:16', '1:1', '4:3', '3:4', '21:9', 'adaptive')),
      duration: maybe(whole(2, 15)),
    });
    if (wrong !== undefined)
      return refusal(
        400,
        'BadRequest',
        'InvalidParameter',
        `The parameter \`${wrong}\` is missing or not valid.`,
      );
    const { id } = jobs.take('cgt-2026-', textOf(body.model), body.duration, firstFrame(body));
    return { status: 200, body: { id } };
  }
  const job = jobs.find(call.startsWith(`GET ${tasks}/`) ? call.slice(`GET ${tasks}/`.length) : undefined);
  if (!job) return refusal(404, 'NotFound', 'ResourceNotFound', 'The specified resource is not found.');
  return { status: 200, body: taskOf(job, videoAt(asked, job)) };
};

const firstFrame = ({ content }: JsonObject): Json | undefined =>
  objectOf(objectsIn(content).find(({ role }) => role === 'first_frame')?.image_url).url;

const taskOf = ({ id, model, state, seconds }: VideoJob, url: string) => ({
  id,
  model,
  status: states[state],
  created_at: 1_780_000_000,
  updated_at: 1_780_000_090,
  ...(state === 'done' && { content: { video_url: url }, duration: seconds, framespersecond: 24 }),
  ...(state === 'failed' && {
    error: {
      code: 'OutputVideoSensitiveContentDetected',
      message: 'The output video may contain sensitive information.',
    },
  }),
});
