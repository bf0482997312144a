import { jwtVerify } from 'jose';
import { textOf } from '../../../lib/json.ts';
import { type Asked, videoAt, publicVideo, type Answer, type VideoJob, type VideoMaker } from './far-side.ts';
import { choice, maybe, text, wrongField } from './fields.ts';

// Kling's videos: a token signed by the secret key, and each task at the path of its creation.

const access = 'kling-access';
const secret = 'kling-secret-of-more-than-32-letters';
export const klingKey = `${access}|${secret}`;

const refusal = (status: number, code: number, message: string): Answer => ({
  status,
  body: { code, message, request_id: 'r1' },
});

/** Error of a token; undefined if it is valid. */
async function readFault({ headers: { authorization = '' } }: Asked): Promise<Answer | undefined> {
  if (authorization === '') return refusal(401, 1_001, 'Authorization is empty');
  try {
    await jwtVerify(authorization.replace(/^Bearer /, ''), Buffer.from(secret), {
      algorithms: ['HS256'],
      issuer: access,
      requiredClaims: ['exp', 'nbf'],
    });
    return undefined;
  } catch {
    return refusal(401, 1_002, 'Authorization is invalid');
  }
}

const states = { waiting: 'submitted', running: 'processing', done: 'succeed', failed: 'failed' };
const lengths = { duration: maybe(choice('5', '10')), mode: maybe(choice('std', 'pro')) };

/** Needs `model_name` with a prompt, or with a picture at the other path. */
export const fakeKling: VideoMaker = async (asked) => {
  const { call, body, jobs } = asked;
  const found = publicVideo(asked) ?? (await readFault(asked));
  if (found) return found;
  const [, method, place, id] =
    /^(GET|POST) \/v1\/videos\/(text2video|image2video)(?:\/([\w-]+))?$/.exec(call) ?? [];
  if (place === undefined || (method === 'POST') !== (id === undefined))
    return refusal(404, 1_202, 'The requested method is invalid');
  if (method === 'POST') {
    const wrong = wrongField(body, {
      model_name: text,
      ...(place === 'text2video'
        ? { prompt: text }
        : { image: (value) => text(value) && !textOf(value).startsWith('data:') }),
      ...lengths,
      aspect_ratio: maybe(choice('16:9', '9:16', '1:1')),
    });
    if (wrong !== undefined) return refusal(400, 1_201, `${wrong} is missing or not valid`);
    const job = jobs.take(`${place}-`, textOf(body.model_name), body.duration, body.image);
    return { status: 200, body: taskOf(job, videoAt(asked, job)) };
  }
  const job = id?.startsWith(`${place}-`) ? jobs.find(id) : undefined;
  if (!job) return refusal(404, 1_203, 'The requested resource does not exist');
  return { status: 200, body: taskOf(job, videoAt(asked, job)) };
};

const taskOf = ({ id, state, seconds }: VideoJob, url: string) => ({
  code: 0,
  message: 'SUCCEED',
  request_id: 'r1',
  data: {
    task_id: id,
    task_status: states[state],
    task_status_msg: state === 'failed' ? 'Failure to pass the risk control system' : '',
    created_at: 1_780_000_000_000,
    updated_at: 1_780_000_090_000,
    ...(state === 'done' && { task_result: { videos: [{ id: 'v1', url, duration: `${seconds}.0` }] } }),
  },
});
