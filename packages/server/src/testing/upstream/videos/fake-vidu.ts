import { textOf } from '../../../lib/json.ts';
import { videoAt, publicVideo, type Answer, type VideoMaker } from './far-side.ts';
import { type Check, choice, maybe, text, whole, wrongField } from './fields.ts';

// Vidu's videos: the key is a `Token`, and each kind of video has its own call.

export const viduKey = 'vda-key';

const refusal = (code: number, reason: string, message: string): Answer => ({
  status: code,
  body: { code, reason, message, metadata: {} },
});
const states = { waiting: 'created', running: 'processing', done: 'success', failed: 'failed' };

const pictures =
  (least: number, most: number): Check =>
  (value) =>
    Array.isArray(value) && value.every(text) && value.length >= least && value.length <= most;
/** Fields of each call in addition to the common ones. */
const calls: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  'POST /ent/v2/text2video': { prompt: text, images: (value) => value === undefined },
  'POST /ent/v2/img2video': { images: pictures(1, 1) },
  'POST /ent/v2/start-end2video': { images: pictures(2, 2) },
  'POST /ent/v2/reference2video': { prompt: text, images: pictures(1, 7) },
};

/** Needs a token, a `model` and the fields of its call. */
export const fakeVidu: VideoMaker = (asked) => {
  const { call, headers, body, jobs } = asked;
  const found = publicVideo(asked);
  if (found) return found;
  if (headers.authorization !== `Token ${viduKey}`)
    return refusal(401, 'Unauthorized', 'the token is missing or not valid');
  const needs = calls[call];
  if (needs) {
    const wrong = wrongField(body, {
      model: text,
      ...needs,
      duration: maybe(whole(1, 16)),
      resolution: maybe(choice('360p', '540p', '720p', '1080p')),
      aspect_ratio: maybe(choice('16:9', '9:16', '1:1', '4:3', '3:4')),
    });
    if (wrong !== undefined) return refusal(400, 'FieldInvalid', `${wrong} is missing or not valid`);
    const { id, model, seconds } = jobs.take(
      '85',
      textOf(body.model),
      body.duration,
      Array.isArray(body.images) ? body.images[0] : '',
    );
    return { status: 200, body: { task_id: id, state: 'created', model, duration: seconds, credits: 30 } };
  }
  const job = jobs.find(/^GET \/ent\/v2\/tasks\/(\d+)\/creations$/.exec(call)?.[1]);
  if (!job) return refusal(404, 'NotFound', 'not found');
  const { id, state } = job;
  const creations = state === 'done' ? [{ id: 'c1', url: videoAt(asked, job), cover_url: '' }] : [];
  const err_code = state === 'failed' ? 'TaskPromptPolicyViolation' : '';
  return { status: 200, body: { id, state: states[state], err_code, credits: 30, payload: '', creations } };
};
