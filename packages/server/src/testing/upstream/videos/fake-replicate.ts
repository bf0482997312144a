import { isObject } from '../../../lib/json.ts';
import { type Asked, videoAt, publicVideo, type Answer, type VideoJob, type VideoMaker } from './far-side.ts';
import { text } from './fields.ts';

// Replicate's predictions of video models.

export const replicateKey = 'r8_key';

const refusal = (status: number, title: string, detail: string): Answer => ({
  status,
  body: { title, detail, status },
});
const states = { waiting: 'starting', running: 'processing', done: 'succeeded', failed: 'failed' };

/** Needs a bearer and an `input` with a prompt, at the path of a model or with a `version`. */
export const fakeReplicate: VideoMaker = (asked) => {
  const { call, headers, jobs } = asked;
  const found = publicVideo(asked);
  if (found) return found;
  if (headers.authorization !== `Bearer ${replicateKey}`)
    return refusal(401, 'Unauthenticated', 'You did not pass a valid authentication token');
  const made = create(asked);
  if (made) return made;
  const job = jobs.find(/^GET \/v1\/predictions\/(\w+)$/.exec(call)?.[1]);
  if (!job) return refusal(404, 'Not Found', 'The requested resource could not be found.');
  return { status: 200, body: predictionOf(job, asked) };
};

/** A new prediction; undefined for another call. */
function create(asked: Asked): Answer | undefined {
  const { call, body, jobs } = asked;
  const [, name] = /^POST \/v1\/models\/([\w.-]+\/[\w.-]+)\/predictions$/.exec(call) ?? [];
  if (name === undefined && call !== 'POST /v1/predictions') return undefined;
  if (name === undefined && !text(body.version))
    return refusal(422, 'Invalid request', '- version is required');
  if (!isObject(body.input)) return refusal(422, 'Invalid request', '- input is required');
  if (!text(body.input.prompt)) return refusal(422, 'Input validation failed', '- input: prompt is required');
  const job = jobs.take('gm3qorzdhgbfurv', name ?? '', body.input.duration, body.input.image);
  return { status: 201, body: predictionOf(job, asked) };
}

const predictionOf = (job: VideoJob, asked: Asked) => ({
  id: job.id,
  model: job.model,
  logs: '',
  output: job.state === 'done' ? videoAt(asked, job) : null,
  error: job.state === 'failed' ? 'The input was flagged as sensitive.' : null,
  status: states[job.state],
  created_at: '2026-01-02T03:04:05Z',
  urls: { get: `${asked.origin}/v1/predictions/${job.id}` },
});
