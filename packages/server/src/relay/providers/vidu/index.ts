import { entryOf, type JsonObject, numberOf, objectsIn, textOf } from '../../../lib/json.ts';
import type { Channel, TaskState, TaskUpdate, VideoRequest, VideoVendor } from '../../types/index.ts';
import {
  failed,
  videoAt,
  type VideoLimits,
  getJson,
  imagesOf,
  imageText,
  ownFields,
  pollReader,
  postJson,
  publicVideo,
  refusalOf,
  shapeOf,
  sizeText,
  submitReader,
} from '../../tasks/index.ts';
import { defineProvider } from '../../provider-kit/index.ts';

const vendor = 'Vidu';
const own = ['movement_amplitude', 'style', 'bgm', 'audio', 'watermark', 'payload'] as const;
const limits: VideoLimits = {
  vendor,
  seconds: { least: 1, most: 16 },
  defaultShape: { aspect: '16:9', lines: 720 },
  lines: [360, 540, 720, 1_080],
  aspects: ['16:9', '9:16', '1:1', '4:3', '3:4'],
  images: 7,
  own,
};

/** Vidu's videos: from text, a first frame, a first and a last one, or up to seven reference pictures. */
const viduVideo: VideoVendor = {
  facts(request) {
    const shape = shapeOf(request, defaultsOf(request));
    return { seconds: secondsOf(request), size: sizeText(shape), quality: 'standard' };
  },
  refuses: (request) => refusalOf(request, { ...limits, ...madeBy(request.model) }),
  submit: (request, channel) => postJson(url(channel, callOf(request)), headersOf(channel), bodyOf(request)),
  readSubmit: submitReader('task_id', updateOf),
  poll: ({ vendorId }, channel) =>
    getJson(url(channel, `tasks/${encodeURIComponent(vendorId)}/creations`), headersOf(channel)),
  readPoll: pollReader('state', updateOf),
  content: ({ result }) => publicVideo(textOf(result.url)),
};

const url = (channel: Channel, call: string): string => `${channel.baseUrl}/ent/v2/${call}`;
const headersOf = ({ key }: Channel): Record<string, string> => ({ authorization: `Token ${key}` });

/** Older models make videos of fixed lengths; the first of the Q series has one size. */
function madeBy(model: string): Partial<VideoLimits> {
  if (model.startsWith('viduq1'))
    return { seconds: [5], lines: [1_080], defaultShape: defaultsOf({ model }) };
  if (/^vidu[12]\.\d/.test(model)) return { seconds: [4, 8] };
  return model.startsWith('viduq2') ? { seconds: { least: 1, most: 10 } } : {};
}

const defaultsOf = ({ model }: Pick<VideoRequest, 'model'>) => ({
  ...limits.defaultShape,
  lines: model.startsWith('viduq1') ? 1_080 : 720,
});
const secondsOf = ({ seconds, model }: VideoRequest): number =>
  seconds ?? (/^vidu[12]\.\d/.test(model) ? 4 : 5);

/** One picture is the first frame, two are the first and the last, more are references. */
function callOf(request: VideoRequest): string {
  const { length } = imagesOf(request);
  if (length === 0) return 'text2video';
  if (request.image === undefined || length > 2) return 'reference2video';
  return length === 1 ? 'img2video' : 'start-end2video';
}

function bodyOf(request: VideoRequest): JsonObject {
  const images = imagesOf(request).map((each) => imageText(each, vendor));
  const { aspect, lines } = shapeOf(request, defaultsOf(request));
  const hasFrame = callOf(request).startsWith('img2') || callOf(request).startsWith('start');
  return {
    ...ownFields(request, own),
    model: request.model,
    prompt: request.prompt,
    duration: secondsOf(request),
    resolution: `${lines}p`,
    ...(images.length > 0 && { images }),
    // A video with a first frame has the picture's shape.
    ...(!hasFrame && { aspect_ratio: aspect }),
    ...(request.seed !== undefined && { seed: request.seed }),
  };
}

const states: Readonly<Record<string, TaskState>> = {
  created: 'queued',
  queueing: 'queued',
  processing: 'in_progress',
};

function updateOf(answer: JsonObject): TaskUpdate {
  const vendorStatus = textOf(answer.state);
  if (vendorStatus === 'failed') return failed(vendorStatus, textOf(answer.err_code), textOf(answer.err_msg));
  if (vendorStatus === 'success') return videoAt(textOf(objectsIn(answer.creations)[0]?.url), vendorStatus);
  const progress = numberOf(answer.progress);
  return {
    state: entryOf(states, vendorStatus) ?? 'in_progress',
    vendorStatus,
    ...(progress > 0 && progress <= 100 && { progress: Math.round(progress) }),
  };
}

/** Vidu offers only videos, as tasks; its key is a `Token`. */
export const vidu = defineProvider({
  type: 52,
  id: 'vidu',
  name: 'Vidu',
  baseUrl: 'https://api.vidu.cn',
  models: ['viduq1', 'viduq2', 'viduq3-turbo', 'viduq3-pro', 'vidu2.0'],
  headers: (channel) => ({ authorization: `Token ${channel.key}` }),
  endpoints: {},
  testable: false,
  tasks: { video: viduVideo },
});
