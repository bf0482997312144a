import {
  type Channel,
  refuse,
  type SendTools,
  type AcceptedTask,
  RelayError,
  type TaskQuestion,
  type TaskState,
  type TaskUpdate,
  type VideoRequest,
  type VideoVendor,
} from '../../types/index.ts';
import {
  entryOf,
  type JsonObject,
  numberOf,
  objectOf,
  objectsIn,
  parseObject,
  textOf,
} from '../../../lib/json.ts';
import { joinUrl, upstreamFailure } from '../../families/openai/index.ts';
import {
  bareImage,
  failed,
  videoAt,
  type VideoLimits,
  getJson,
  gone,
  imagesOf,
  isGone,
  ownFields,
  postJson,
  publicVideo,
  refusalOf,
  shapeOf,
  sizeText,
} from '../../tasks/index.ts';
import { defineProvider } from '../../provider-kit/index.ts';

const lifeSeconds = 1_800;
const clockSkewSeconds = 5;
/** A token is renewed this long before its end. */
const marginMs = 120_000;

/** The two parts of a key; undefined for a key in one part (`sk-…`). Throws RelayError. */
function keyPair({ key }: Pick<Channel, 'key'>): { access: string; secret: string } | undefined {
  if (!key.includes('|')) return undefined;
  const [access = '', secret = '', ...rest] = key.split('|').map((part) => part.trim());
  if (access === '' || secret === '' || rest.length > 0)
    throw refuse('key_form', { form: 'AccessKey|SecretKey' });
  return { access, secret };
}

/** Kling's bearer: a token signed with the secret key, valid for half an hour, or the key itself. */
function signBearer(channel: Channel, tools: SendTools): Promise<string> {
  const pair = keyPair(channel);
  if (!pair) return Promise.resolve(channel.key);
  return tools.token('kling', async () => {
    const seconds = Math.floor(tools.nowMs() / 1_000);
    const { SignJWT } = await import('jose');
    const value = await new SignJWT()
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer(pair.access)
      .setExpirationTime(seconds + lifeSeconds)
      .setNotBefore(seconds - clockSkewSeconds)
      .sign(new TextEncoder().encode(pair.secret));
    return { value, expiresAtMs: (seconds + lifeSeconds) * 1_000 - marginMs };
  });
}

const vendor = 'Kling';
const own = ['cfg_scale', 'camera_control', 'static_mask', 'dynamic_masks', 'sound', 'voice_list'] as const;
const limits: VideoLimits = {
  vendor,
  seconds: [5, 10],
  defaultShape: { aspect: '16:9', lines: 720 },
  lines: [720, 1_080],
  aspects: ['16:9', '9:16', '1:1'],
  images: 2,
  avoids: true,
  own,
};

/** Kling's videos, from text or from a first frame (and a last one). */
const klingVideo: VideoVendor = {
  facts(request) {
    const { aspect } = shapeOf(request, limits.defaultShape);
    const quality = modeOf(request);
    const withSound = request.extra.sound === 'on' ? '-sound' : '';
    return {
      seconds: request.seconds ?? 5,
      size: sizeText({ aspect, lines: quality === 'pro' ? 1_080 : 720 }),
      quality: quality + withSound,
    };
  },
  refuses: (request) =>
    refusalOf(request, limits) ??
    (modes.has(request.quality ?? '')
      ? undefined
      : refuse('video_field_unknown', { vendor, field: 'quality' })),
  async submit(request, channel, tools) {
    return postJson(url(channel, callOf(request)), await signHeaders(channel, tools), bodyOf(request));
  },
  readSubmit,
  async poll({ vendorId }, channel, tools) {
    const [call = '', id = ''] = vendorId.split('/');
    return getJson(url(channel, `${call}/${encodeURIComponent(id)}`), await signHeaders(channel, tools));
  },
  readPoll,
  content: ({ result }) => publicVideo(textOf(result.url)),
};

const url = (channel: Channel, call: string): string => joinUrl(channel, `/v1/videos/${call}`);

async function signHeaders(channel: Channel, tools: SendTools): Promise<TaskQuestion['headers']> {
  return { authorization: `Bearer ${await signBearer(channel, tools)}` };
}

/** A task is polled at its own path: videos from text and videos from pictures have different paths. */
const callOf = (request: VideoRequest): string =>
  imagesOf(request).length > 0 ? 'image2video' : 'text2video';

/** Callers' names of the two modes: 720p, and 1080p at a higher price. */
const modes: ReadonlyMap<string, 'std' | 'pro' | undefined> = new Map([
  ['', undefined],
  ['std', 'std'],
  ['standard', 'std'],
  ['pro', 'pro'],
  ['hd', 'pro'],
  ['high', 'pro'],
]);

const modeOf = (request: VideoRequest): 'std' | 'pro' =>
  modes.get(request.quality ?? '') ?? (shapeOf(request, limits.defaultShape).lines === 1_080 ? 'pro' : 'std');

function bodyOf(request: VideoRequest): JsonObject {
  const [first, last] = imagesOf(request);
  return {
    ...ownFields(request, own),
    model_name: request.model,
    prompt: request.prompt,
    ...(request.negativePrompt !== undefined && { negative_prompt: request.negativePrompt }),
    mode: modeOf(request),
    duration: String(request.seconds ?? 5),
    ...(first
      ? { image: bareImage(first, vendor) }
      : { aspect_ratio: shapeOf(request, limits.defaultShape).aspect }),
    ...(last && { image_tail: bareImage(last, vendor) }),
  };
}

/** Kling's numbers as statuses: key, account, parameters, content rules, limits. */
function statusOf(code: number): number {
  if (code >= 1_000 && code < 1_100) return 401;
  if (code >= 1_100 && code < 1_200) return code === 1_102 ? 402 : 429;
  if (code >= 1_200 && code < 1_300) return code === 1_203 ? 404 : 400;
  if (code >= 1_300 && code < 1_400) return code === 1_301 ? 400 : 429;
  return code === 5_001 ? 503 : 502;
}

/** The `data` of an answer, or the failure by its code or status. */
function dataOf(status: number, body: Buffer): JsonObject | RelayError {
  const answer = parseObject(body);
  const code = numberOf(answer?.code);
  if (answer && code === 0 && status < 300) return objectOf(answer.data);
  const shown = code > 0 ? statusOf(code) : status < 300 ? 502 : status;
  return upstreamFailure(shown, textOf(answer?.message), []);
}

function readSubmit(status: number, body: Buffer, request: VideoRequest): AcceptedTask | RelayError {
  const data = dataOf(status, body);
  if (data instanceof RelayError) return data;
  const id = textOf(data.task_id);
  if (id === '') return refuse('answer_unknown_object');
  return { vendorId: `${callOf(request)}/${id}`, update: updateOf(data) };
}

function readPoll(status: number, body: Buffer): TaskUpdate | RelayError {
  const data = dataOf(status, body);
  if (data instanceof RelayError) return isGone(data.status) ? gone() : data;
  return textOf(data.task_status) === '' ? refuse('answer_unknown_object') : updateOf(data);
}

const states: Readonly<Record<string, TaskState>> = { submitted: 'queued', processing: 'in_progress' };

function updateOf(data: JsonObject): TaskUpdate {
  const vendorStatus = textOf(data.task_status);
  if (vendorStatus === 'failed') return failed(vendorStatus, textOf(data.task_status_msg));
  if (vendorStatus !== 'succeed')
    return { state: entryOf(states, vendorStatus) ?? 'in_progress', vendorStatus };
  const [video = {}] = objectsIn(objectOf(data.task_result).videos);
  return videoAt(textOf(video.url), vendorStatus, video.duration);
}

/** Kling offers only videos, as tasks; its key signs a token, or belongs to a reseller. */
export const kling = defineProvider({
  type: 50,
  id: 'kling',
  name: { zh: '可灵', en: 'Kling' },
  baseUrl: 'https://api.klingai.com',
  hints: {
    key: {
      zh: 'AccessKey|SecretKey，或 sk- 开头的密钥',
      en: 'AccessKey|SecretKey, or a key that begins with sk-',
    },
  },
  models: [
    'kling-v1',
    'kling-v1-6',
    'kling-v2-master',
    'kling-v2-1',
    'kling-v2-1-master',
    'kling-v2-5-turbo',
    'kling-v2-6',
  ],
  endpoints: {},
  testable: false,
  secrets: ({ key }) => [key, ...key.split('|')].filter((part) => part !== ''),
  tasks: { video: klingVideo },
});
