import { type JsonObject, numberOf, objectOf, parseObject, textOf } from '../../../lib/json.ts';
import { upstreamFailure } from '../../families/openai/index.ts';
import {
  type AcceptedTask,
  type Channel,
  refuse,
  type RelayError,
  type TaskUpdate,
  type VideoRequest,
  type VideoVendor,
} from '../../types/index.ts';
import {
  failed,
  videoAt,
  type VideoLimits,
  gone,
  imagesOf,
  imageText,
  ownFields,
  postJson,
  publicVideo,
  refusalOf,
  shapeOf,
  sizeText,
} from '../../tasks/index.ts';
import { signed } from './sign.ts';
import { defineProvider } from '../../provider-kit/index.ts';

const vendor = 'Jimeng';
const own = ['template_id', 'camera_strength'] as const;
const limits: VideoLimits = {
  vendor,
  seconds: [5, 10],
  defaultShape: { aspect: '16:9', lines: 720 },
  lines: [720, 1_080],
  images: 2,
  own,
};

/** Jimeng's videos, through two actions of Volcano Engine's visual service. The model is its `req_key`. */
const jimengVideo: VideoVendor = {
  facts(request) {
    const lines = linesOf(request.model);
    const { aspect } = shapeOf(request, limits.defaultShape);
    return { seconds: request.seconds ?? 5, size: sizeText({ aspect, lines }), quality: 'standard' };
  },
  // The model determines the size of a video.
  refuses: (request) =>
    refusalOf(request, { ...limits, lines: [linesOf(request.model)], defaultShape: defaultsOf(request) }),
  submit: (request, channel, tools) =>
    signed(postJson(url(channel, 'CVSync2AsyncSubmitTask'), {}, bodyOf(request)), channel, tools),
  readSubmit,
  poll: ({ vendorId, model }, channel, tools) =>
    signed(
      postJson(url(channel, 'CVSync2AsyncGetResult'), {}, { req_key: model, task_id: vendorId }),
      channel,
      tools,
    ),
  readPoll,
  content: ({ result }) => publicVideo(textOf(result.url)),
};

const version = '2022-08-31';
const url = (channel: Channel, action: string): string =>
  `${channel.baseUrl}/?Action=${action}&Version=${version}`;

const linesOf = (model: string): number => (/_pro$|1080/.test(model) ? 1_080 : 720);
const defaultsOf = ({ model }: VideoRequest) => ({ ...limits.defaultShape, lines: linesOf(model) });

/** A second has 24 frames, and each video has one frame more. */
const framesOf = ({ seconds }: VideoRequest): number => (seconds ?? 5) * 24 + 1;

function bodyOf(request: VideoRequest): JsonObject {
  const images = imagesOf(request);
  const data = images.flatMap((each) => (each.kind === 'data' ? [each.base64] : []));
  return {
    ...ownFields(request, own),
    req_key: request.model,
    prompt: request.prompt,
    seed: request.seed ?? -1,
    frames: framesOf(request),
    ...(images.length === 0 && { aspect_ratio: shapeOf(request, limits.defaultShape).aspect }),
    // Only one kind: addresses if none of them is data.
    ...(data.length > 0 && { binary_data_base64: data }),
    ...(images.length > 0 &&
      data.length === 0 && { image_urls: images.map((each) => imageText(each, vendor)) }),
  };
}

const success = 10_000;
/** Numbers for text or pictures that break the content rules. */
const moderated = new Set([50_411, 50_412, 50_413, 50_511, 50_512, 50_518, 50_519, 50_520, 50_521, 50_522]);

/** Jimeng's numbers as statuses: content rules, rate limits, parameters. */
function statusOf(code: number): number {
  if (moderated.has(code) || code === 50_200 || code === 50_215) return 400;
  return code === 50_429 || code === 50_430 ? 429 : 502;
}

/** A failure of the signature is in a separate member. */
function failureOf(status: number, answer: JsonObject | undefined): RelayError {
  const code = numberOf(answer?.code);
  const error = objectOf(objectOf(answer?.ResponseMetadata).Error);
  const shown = code > 0 && code !== success ? statusOf(code) : status < 300 ? 502 : status;
  return upstreamFailure(shown, textOf(error.Message) || textOf(answer?.message), []);
}

function readSubmit(status: number, body: Buffer): AcceptedTask | RelayError {
  const answer = parseObject(body);
  if (status >= 300 || numberOf(answer?.code) !== success) return failureOf(status, answer);
  const vendorId = textOf(objectOf(answer?.data).task_id);
  if (vendorId === '') return refuse('answer_unknown_object');
  return { vendorId, update: { state: 'queued', vendorStatus: 'in_queue' } };
}

function readPoll(status: number, body: Buffer): TaskUpdate | RelayError {
  const answer = parseObject(body);
  const code = numberOf(answer?.code);
  if (code !== success || status >= 300) {
    if (!moderated.has(code)) return failureOf(status, answer);
    return failed(`code ${code}`, textOf(answer?.message));
  }
  const data = objectOf(answer?.data);
  const vendorStatus = textOf(data.status);
  if (vendorStatus === 'not_found' || vendorStatus === 'expired') return gone(vendorStatus);
  if (vendorStatus === 'done') return videoAt(textOf(data.video_url), vendorStatus);
  if (vendorStatus === '') return refuse('answer_unknown_object');
  return { state: vendorStatus === 'in_queue' ? 'queued' : 'in_progress', vendorStatus };
}

/** Jimeng offers only videos, as tasks of Volcano Engine's visual service with signed calls. */
export const jimeng = defineProvider({
  type: 51,
  id: 'jimeng',
  name: { zh: '即梦', en: 'Jimeng' },
  baseUrl: 'https://visual.volcengineapi.com',
  hints: { key: 'AccessKeyId|SecretAccessKey' },
  models: ['jimeng_t2v_v30', 'jimeng_i2v_first_v30', 'jimeng_t2v_v30_1080p', 'jimeng_ti2v_v30_pro'],
  headers: () => ({}),
  endpoints: {},
  testable: false,
  secrets: ({ key }) => [key, ...key.split('|')].filter((part) => part !== ''),
  tasks: { video: jimengVideo },
});
