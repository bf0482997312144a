import { objectOf, textOf } from '../../../lib/json.ts';
import { videoAt, publicVideo, type Answer, type VideoMaker } from './far-side.ts';
import { choice, maybe, text, whole, wrongField } from './fields.ts';

// xAI's videos (Grok Imagine).

export const grokKey = 'xai-key';

const refusal = (status: number, code: string, error: string): Answer => ({ status, body: { code, error } });

/** Needs a bearer, `model` and `prompt`; a video that is not ready is answered with status 202. */
export const fakeGrok: VideoMaker = (asked) => {
  const { call, headers, body, jobs } = asked;
  const found = publicVideo(asked);
  if (found) return found;
  if (headers.authorization === undefined) return refusal(401, 'Unauthenticated', 'No authorization header.');
  if (headers.authorization !== `Bearer ${grokKey}`)
    return refusal(400, 'Client specified an invalid argument', 'Incorrect API key provided.');
  if (call === 'POST /v1/videos/generations') {
    const wrong = wrongField(body, {
      model: text,
      prompt: text,
      duration: maybe(whole(1, 15)),
      resolution: maybe(choice('480p', '720p', '1080p')),
      aspect_ratio: maybe(choice('16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3')),
    });
    if (wrong !== undefined)
      return refusal(422, 'Client specified an invalid argument', `missing or invalid field \`${wrong}\``);
    const { id } = jobs.take('d97415a1-', textOf(body.model), body.duration, objectOf(body.image).url);
    return { status: 200, body: { request_id: id } };
  }
  const job = jobs.find(/^GET \/v1\/videos\/([\w-]+)$/.exec(call)?.[1]);
  if (!job)
    return refusal(404, 'Some requested entity was not found', 'The requested resource was not found.');
  const { state, seconds, model } = job;
  if (state === 'waiting' || state === 'running')
    return { status: 202, body: { status: 'pending', progress: state === 'running' ? 20 : 0 } };
  if (state === 'failed')
    return {
      status: 200,
      body: { status: 'failed', error: { code: 'internal_error', message: 'The video could not be made.' } },
    };
  const video = { url: videoAt(asked, job), duration: seconds, respect_moderation: true };
  return { status: 200, body: { status: 'done', video, model } };
};
