import { objectOf, textOf } from '../../../lib/json.ts';
import { type Asked, videoAt, publicVideo, type Answer, type VideoJob, type VideoMaker } from './far-side.ts';
import { choice, maybe, text, whole, wrongField } from './fields.ts';

// Alibaba's videos (Wan), through DashScope's tasks.

export const wanKey = 'dashscope-key';

const refusal = (status: number, code: string, message: string): Answer => ({
  status,
  body: { code, message, request_id: 'r1' },
});
const states = { waiting: 'PENDING', running: 'RUNNING', done: 'SUCCEEDED', failed: 'FAILED' };
const services = '/api/v1/services/aigc';

/** Needs a bearer, the header that makes the call a task, a `model` and an `input`. */
export const fakeWan: VideoMaker = (asked) => {
  const { call, headers, jobs } = asked;
  const found = publicVideo(asked);
  if (found) return found;
  if (headers.authorization !== `Bearer ${wanKey}`)
    return refusal(401, 'InvalidApiKey', 'No valid API-key provided.');
  if (call === `POST ${services}/video-generation/video-synthesis`) return create(asked, { prompt: text });
  if (call === `POST ${services}/image2video/video-synthesis`)
    return create(asked, { first_frame_url: text, last_frame_url: text });
  const [, id] = /^GET \/api\/v1\/tasks\/([\w-]+)$/.exec(call) ?? [];
  if (id === undefined) return refusal(404, 'InvalidURL', 'url error, please check url!');
  const job = jobs.find(id);
  const unknown = { request_id: 'r1', output: { task_id: id, task_status: 'UNKNOWN' } };
  return { status: 200, body: job ? taskOf(job, videoAt(asked, job)) : unknown };
};

function create({ headers, body, jobs }: Asked, needs: Parameters<typeof wrongField>[1]): Answer {
  if (headers['x-dashscope-async'] !== 'enable')
    return refusal(403, 'AccessDenied', 'current user api does not support synchronous calls.');
  const parameters = objectOf(body.parameters);
  const wrong =
    wrongField(body, { model: text }) ??
    wrongField(objectOf(body.input), needs) ??
    wrongField(parameters, {
      size: maybe((value) => /^\d{3,4}\*\d{3,4}$/.test(textOf(value))),
      resolution: maybe(choice('480P', '720P', '1080P')),
      duration: maybe(whole(2, 15)),
    });
  if (wrong !== undefined) return refusal(400, 'InvalidParameter', `${wrong} is missing or not valid`);
  const { id } = jobs.take(
    '0385dc79-5ff8-',
    textOf(body.model),
    parameters.duration,
    objectOf(body.input).img_url,
  );
  return { status: 200, body: { request_id: 'r1', output: { task_status: 'PENDING', task_id: id } } };
}

const taskOf = ({ id, state, seconds }: VideoJob, url: string) => ({
  request_id: 'r1',
  output: {
    task_id: id,
    task_status: states[state],
    ...(state === 'done' && { video_url: url }),
    ...(state === 'failed' && {
      code: 'DataInspectionFailed',
      message: 'Output data may contain inappropriate content.',
    }),
  },
  ...(state === 'done' && { usage: { video_duration: seconds, video_count: 1 } }),
});
