import { textOf } from '../../../lib/json.ts';
import { videoAt, publicVideo, type Answer, type VideoMaker } from './far-side.ts';
import { choice, maybe, text, wrongField } from './fields.ts';

// MiniMax's videos (Hailuo). Refusals have status 200 and a number, and a finished video is a file to request.

export const hailuoKey = 'minimax-key';

const say = (body: object, code = 0, message = 'success'): Answer => ({
  status: 200,
  body: { ...body, base_resp: { status_code: code, status_msg: message } },
});
const states = { waiting: 'Queueing', running: 'Processing', done: 'Success', failed: 'Fail' };
/** The name of a video's file. */
const fileOf = (id: string): string => `17${id}`;

/** Needs a bearer, `model` and `prompt` (or a first frame). */
export const fakeHailuo: VideoMaker = (asked) => {
  const { call, headers, body, query, jobs } = asked;
  const found = publicVideo(asked);
  if (found) return found;
  if (headers.authorization === undefined)
    return say({}, 1_004, 'login fail: Please carry the API secret key in the Authorization field');
  if (headers.authorization !== `Bearer ${hailuoKey}`) return say({}, 2_049, 'invalid api key');
  if (call === 'POST /v1/video_generation') {
    const wrong = wrongField(body, {
      model: text,
      prompt: body.first_frame_image === undefined ? text : maybe(text),
      duration: maybe(choice(6, 10)),
      resolution: maybe(choice('512P', '720P', '768P', '1080P')),
    });
    if (wrong !== undefined) return say({ task_id: '' }, 2_013, `invalid params, ${wrong}`);
    return say({ task_id: jobs.take('1069', textOf(body.model), body.duration, body.first_frame_image).id });
  }
  if (call === 'GET /v1/query/video_generation') {
    const job = jobs.find(query.get('task_id'));
    if (!job) return say({ task_id: '' }, 2_013, 'invalid params, task_id');
    const { id, state } = job;
    const file_id = state === 'done' ? fileOf(id) : '';
    const answer = { task_id: id, status: states[state], file_id };
    return state === 'failed' ? say(answer, 1_027, 'output new_sensitive') : say(answer);
  }
  if (call === 'GET /v1/files/retrieve') {
    const job = jobs.all.find(({ id, state }) => state === 'done' && fileOf(id) === query.get('file_id'));
    if (!job) return say({}, 2_013, 'invalid params, file_id');
    const file = { file_id: Number(fileOf(job.id)), filename: 'output.mp4', purpose: 'video_generation' };
    return say({ file: { ...file, download_url: videoAt(asked, job) } });
  }
  return { status: 404, body: { message: '404 page not found' } };
};
