import { entryOf, type JsonObject, objectOf, textOf } from '../../lib/json.ts';
import {
  type Channel,
  refuse,
  type RelayError,
  type TaskState,
  type TaskUpdate,
  type VideoRequest,
  type VideoVendor,
} from '../types/index.ts';
import {
  bearer,
  failed,
  videoAt,
  getJson,
  pollReader,
  postJson,
  publicVideo,
  submitReader,
} from './answers.ts';
import { type VideoLimits, imagesOf, imageText, ownFields, refusalOf } from './limits.ts';
import { shapeOf, sizeText } from './shape.ts';

const vendor = 'Doubao';
const own = ['watermark', 'camera_fixed', 'generate_audio', 'return_last_frame'] as const;
const limits: VideoLimits = {
  vendor,
  seconds: { least: 2, most: 15 },
  defaultShape: { aspect: '16:9', lines: 720 },
  lines: [480, 720, 1_080],
  aspects: ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'],
  images: 9,
  own,
};

/** Doubao's videos (Seedance), through Ark's tasks. */
export const arkVideo: VideoVendor = {
  facts: (request) => ({
    seconds: secondsOf(request),
    size: sizeText(shapeOf(request, defaultsOf(request))),
    quality: 'standard',
  }),
  refuses: (request) => refusalOf(request, limits) ?? commandIn(request.prompt),
  submit: (request, channel) => postJson(url(channel, ''), bearer(channel), bodyOf(request)),
  readSubmit: submitReader('id', () => ({ state: 'queued', vendorStatus: 'queued' })),
  poll: ({ vendorId }, channel) => getJson(url(channel, `/${encodeURIComponent(vendorId)}`), bearer(channel)),
  readPoll: pollReader('status', updateOf),
  content: ({ result }) => publicVideo(textOf(result.url)),
  remove: ({ vendorId }, channel) => ({
    method: 'DELETE',
    url: url(channel, `/${encodeURIComponent(vendorId)}`),
    headers: bearer(channel),
  }),
};

const url = (channel: Channel, behind: string): string =>
  `${channel.baseUrl}/api/v3/contents/generations/tasks${behind}`;

const secondsOf = ({ seconds }: VideoRequest): number => seconds ?? 5;
/** The first Pro makes the largest size by default. */
const defaultsOf = ({ model }: VideoRequest) => ({
  ...limits.defaultShape,
  lines: /seedance-1-0-pro/.test(model) ? 1_080 : 720,
});

/** Commands in a prompt would produce another video than the paid one. */
function commandIn(prompt: string): RelayError | undefined {
  const found = /--(duration|dur|frames|resolution|rs)\b/i.exec(prompt);
  if (!found) return undefined;
  const field = /^(?:resolution|rs)$/i.test(found[1] ?? '') ? 'size' : 'seconds';
  return refuse('video_commands_in_prompt', { vendor, command: found[0], field });
}

function bodyOf(request: VideoRequest): JsonObject {
  const { aspect, lines } = shapeOf(request, defaultsOf(request));
  const images = imagesOf(request);
  const asksAspect = request.size !== undefined || request.extra.aspect_ratio !== undefined;
  return {
    ...ownFields(request, own),
    model: request.model,
    content: [
      ...(request.prompt === '' ? [] : [{ type: 'text', text: request.prompt }]),
      ...images.map((each, index) => ({
        type: 'image_url',
        image_url: { url: imageText(each, vendor) },
        role: roleOf(request, index),
      })),
    ],
    resolution: `${lines}p`,
    // A video with a first frame has the picture's shape, unless another is requested.
    ...((images.length === 0 || asksAspect) && { ratio: aspect }),
    duration: secondsOf(request),
    ...(request.seed !== undefined && { seed: request.seed }),
  };
}

/** The first frame, followed by the last one. More pictures, or pictures without a first frame, are references. */
function roleOf({ image, images = [] }: VideoRequest, index: number): string {
  if (image === undefined || images.length > 1) return 'reference_image';
  return index === 0 ? 'first_frame' : 'last_frame';
}

const states: Readonly<Record<string, TaskState>> = { queued: 'queued', running: 'in_progress' };

function updateOf(answer: JsonObject): TaskUpdate {
  const vendorStatus = textOf(answer.status);
  const error = objectOf(answer.error);
  if (['failed', 'cancelled', 'expired'].includes(vendorStatus))
    return failed(vendorStatus, textOf(error.code), textOf(error.message));
  if (vendorStatus === 'succeeded')
    return videoAt(textOf(objectOf(answer.content).video_url), vendorStatus, answer.duration);
  return { state: entryOf(states, vendorStatus) ?? 'in_progress', vendorStatus };
}
