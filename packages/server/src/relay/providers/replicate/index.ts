import { entryOf, type Json, type JsonObject, textOf } from '../../../lib/json.ts';
import {
  refuse,
  type RelayError,
  type TaskState,
  type TaskUpdate,
  type VideoRequest,
  type VideoVendor,
} from '../../types/index.ts';
import {
  bearer,
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

const vendor = 'Replicate';
const limits: VideoLimits = {
  vendor,
  seconds: { least: 1, most: 60 },
  defaultShape: { aspect: '16:9', lines: 720 },
  lines: [360, 480, 512, 540, 720, 768, 1_080, 2_160],
  images: 2,
  avoids: true,
  // Each model has its own fields.
  own: ['*'],
};

/** Videos of the models that Replicate hosts. A model is `owner/name`, or `owner/name:version`. */
const replicateVideo: VideoVendor = {
  facts: (request) => ({
    seconds: request.seconds ?? 5,
    size: sizeText(shapeOf(request, limits.defaultShape)),
    quality: request.quality ?? 'standard',
  }),
  refuses: (request) => refusalOf(request, limits) ?? badName(request.model),
  submit(request, channel) {
    const [name = '', version] = request.model.split(':');
    const input = inputOf(request);
    const headers = bearer(channel);
    return version === undefined
      ? postJson(`${channel.baseUrl}/v1/models/${name}/predictions`, headers, { input })
      : postJson(`${channel.baseUrl}/v1/predictions`, headers, { version, input });
  },
  readSubmit: submitReader('id', updateOf),
  poll: ({ vendorId }, channel) =>
    getJson(`${channel.baseUrl}/v1/predictions/${encodeURIComponent(vendorId)}`, bearer(channel)),
  readPoll: pollReader('status', updateOf),
  content: ({ result }) => publicVideo(textOf(result.url)),
};

/** The name becomes part of the address. */
const badName = (model: string): RelayError | undefined =>
  /^[\w.-]+\/[\w.-]+(?::\w+)?$/.test(model) && !/(?:^|\/)\.{1,2}(?:[/:]|$)/.test(model)
    ? undefined
    : refuse('video_field_unknown', { vendor, field: 'model' });

/** Names of the first and the last frame, by maker. */
const frames: Readonly<Record<string, readonly [first: string, last: string]>> = {
  minimax: ['first_frame_image', 'last_frame_image'],
  kwaivgi: ['start_image', 'end_image'],
  openai: ['input_reference', 'last_frame_image'],
  luma: ['start_image', 'end_image'],
  google: ['image', 'last_frame'],
  bytedance: ['image', 'last_frame_image'],
};

function inputOf(request: VideoRequest): JsonObject {
  const [owner = ''] = request.model.split('/');
  const [first, last] = imagesOf(request);
  const [firstName, lastName] = (Object.hasOwn(frames, owner) ? frames[owner] : undefined) ?? [
    'image',
    'last_image',
  ];
  const { aspect, lines } = shapeOf(request, limits.defaultShape);
  const { size, seconds, extra, negativePrompt, seed } = request;
  return {
    ...ownFields(request, limits.own),
    prompt: request.prompt,
    ...(first && { [firstName]: imageText(first, vendor) }),
    ...(last && { [lastName]: imageText(last, vendor) }),
    // Fields that the request does not set are left to the model.
    ...(seconds !== undefined && { [owner === 'openai' ? 'seconds' : 'duration']: seconds }),
    ...((size ?? extra.aspect_ratio) !== undefined && { aspect_ratio: aspect }),
    ...((size ?? extra.resolution) !== undefined && { resolution: `${lines}p` }),
    ...(negativePrompt !== undefined && { negative_prompt: negativePrompt }),
    ...(seed !== undefined && { seed }),
  };
}

const states: Readonly<Record<string, TaskState>> = { starting: 'queued', processing: 'in_progress' };

function updateOf(prediction: JsonObject): TaskUpdate {
  const vendorStatus = textOf(prediction.status);
  if (['failed', 'canceled', 'aborted'].includes(vendorStatus))
    return failed(vendorStatus, textOf(prediction.error));
  if (vendorStatus === 'succeeded') return videoAt(firstAddress(prediction.output), vendorStatus);
  return { state: entryOf(states, vendorStatus) ?? 'in_progress', vendorStatus };
}

/** An address, or the first of a list of them. */
const firstAddress = (output: Json | undefined): string => textOf(Array.isArray(output) ? output[0] : output);

/** Replicate hosts models of many makers; this provider calls its video models. */
export const replicate = defineProvider({
  type: 56,
  id: 'replicate',
  name: 'Replicate',
  baseUrl: 'https://api.replicate.com',
  hints: {
    key: { zh: 'API Token，以 r8_ 开头', en: 'an API token, which begins with r8_' },
  },
  models: ['bytedance/seedance-1-lite', 'kwaivgi/kling-v2.1'],
  endpoints: {},
  testable: false,
  tasks: { video: replicateVideo },
});
