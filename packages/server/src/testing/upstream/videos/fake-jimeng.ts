import { createHash, createHmac } from 'node:crypto';
import { type Json, textOf } from '../../../lib/json.ts';
import { type Asked, videoAt, publicVideo, type Answer, type VideoMaker } from './far-side.ts';
import { choice, maybe, text, wrongField } from './fields.ts';

// Jimeng's videos: two signed actions of Volcano Engine's visual service.

const access = 'AKLTfake';
const secret = 'jimeng-secret';
export const jimengKey = `${access}|${secret}`;

const hmac = (key: string | Buffer, words: string): Buffer =>
  createHmac('sha256', key).update(words).digest();
const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

const unsigned = (status: number, Code: string, Message: string): Answer => ({
  status,
  body: {
    ResponseMetadata: { RequestId: 'r1', Service: 'cv', Region: 'cn-north-1', Error: { Code, Message } },
  },
});
const say = (data: object | null, code = 10_000, message = 'Success'): Answer => ({
  status: code === 10_000 ? 200 : 400,
  body: { code, data, message, request_id: 'r1', status: code },
});

/** Error of a request's signature; undefined if it is valid. */
function signatureFault({ call, query, headers, bytes }: Asked): Answer | undefined {
  const parts =
    /^HMAC-SHA256 Credential=(\w+)\/(\d{8})\/([\w-]+)\/(\w+)\/request, SignedHeaders=([\w;-]+), Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    );
  if (!parts) return unsigned(401, 'MissingAuthenticationToken', 'The request is not signed.');
  const [, key, date = '', region = '', service = '', names = '', signature] = parts;
  if (key !== access) return unsigned(401, 'InvalidAccessKey', 'The access key does not exist.');
  const stamp = String(headers['x-date']);
  const at = Date.parse(stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!(Math.abs(at - Date.now()) < 900_000) || !stamp.startsWith(date))
    return unsigned(401, 'InvalidTimestamp', 'The time of the signature is too far away.');
  const digest = sha256(bytes);
  if (headers['x-content-sha256'] !== digest || !['host', 'x-date'].every((name) => names.includes(name)))
    return unsigned(401, 'SignatureDoesNotMatch', 'The body is not the one that was signed.');
  const [method, path] = call.split(' ') as [string, string];
  const named = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const sorted = [...query].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).toSorted();
  const request = [method, path, sorted.join('&'), named.join(''), names, digest].join('\n');
  const words = ['HMAC-SHA256', stamp, `${date}/${region}/${service}/request`, sha256(request)].join('\n');
  const day = hmac(hmac(hmac(hmac(secret, date), region), service), 'request');
  if (signature === hmac(day, words).toString('hex') && region === 'cn-north-1' && service === 'cv')
    return undefined;
  return unsigned(401, 'SignatureDoesNotMatch', 'The signature does not match.');
}

const textsIn = (value: Json | undefined): Json[] => (Array.isArray(value) ? value.filter(text) : []);

const states = { waiting: 'in_queue', running: 'generating', done: 'done', failed: 'failed' };

/** Needs a signed `req_key` with a prompt or pictures. */
export const fakeJimeng: VideoMaker = (asked) => {
  const { call, query, body, jobs } = asked;
  const found = publicVideo(asked);
  if (found) return found;
  const fault = signatureFault(asked);
  if (fault) return fault;
  const action = query.get('Action');
  if (call !== 'POST /' || query.get('Version') !== '2022-08-31')
    return unsigned(404, 'InvalidActionOrVersion', 'Could not find this action.');
  if (action === 'CVSync2AsyncSubmitTask') {
    const wrong = wrongField(body, {
      req_key: text,
      prompt: (body.image_urls ?? body.binary_data_base64) ? maybe(text) : text,
      frames: maybe(choice(121, 241)),
      aspect_ratio: maybe(choice('16:9', '4:3', '1:1', '3:4', '9:16', '21:9')),
    });
    if (wrong !== undefined) return say(null, 50_215, `Input invalid for this service: ${wrong}`);
    const seconds = (Number(body.frames ?? 121) - 1) / 24;
    const [picture] = textsIn(body.binary_data_base64 ?? body.image_urls);
    const { id } = jobs.take('7392616336519', textOf(body.req_key), seconds, picture);
    return say({ task_id: id });
  }
  if (action !== 'CVSync2AsyncGetResult')
    return unsigned(404, 'InvalidActionOrVersion', 'Could not find this action.');
  const job = jobs.find(textOf(body.task_id));
  const empty = { binary_data_base64: null, image_urls: null, video_url: '' };
  if (!job || job.model !== body.req_key) return say({ ...empty, status: 'not_found' });
  if (job.state === 'failed') return say(null, 50_511, 'Post Img Risk Not Pass');
  const isDone = job.state === 'done';
  return say({ ...empty, status: states[job.state], ...(isDone && { video_url: videoAt(asked, job) }) });
};
