import { entryOf, type JsonObject, objectOf, textOf } from '../../../lib/json.ts';
import { upstreamFailure } from '../../families/openai/index.ts';
import {
  type AcceptedTask,
  refuse,
  RelayError,
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
  gone,
  imagesOf,
  imageText,
  isGone,
  ownFields,
  postJson,
  publicVideo,
  readAnswer,
  refusalOf,
  type Shape,
  shapeOf,
  sizeText,
} from '../../tasks/index.ts';

const vendor = 'Wan';
/** Parameters of a video; its input is separate. */
const ownParameters = ['prompt_extend', 'watermark', 'audio', 'shot_type'] as const;
const ownInput = ['audio_url', 'template'] as const;
const limits: VideoLimits = {
  vendor,
  seconds: { least: 2, most: 15 },
  defaultShape: { aspect: '16:9', lines: 1_080 },
  lines: [480, 720, 1_080],
  aspects: ['16:9', '9:16', '1:1', '4:3', '3:4'],
  images: 2,
  avoids: true,
  own: [...ownParameters, ...ownInput],
};

/** Alibaba's videos (Wan), through DashScope's tasks. */
export const wanVideo: VideoVendor = {
  facts: (request) => ({
    seconds: secondsOf(request),
    size: sizeText(shapeOf(request, defaultsOf(request))),
    quality: 'standard',
  }),
  refuses: (request) => refusalOf(request, limits),
  submit: (request, channel) =>
    postJson(
      `${channel.baseUrl}/api/v1/services/aigc/${callOf(request)}/video-synthesis`,
      { ...bearer(channel), 'x-dashscope-async': 'enable' },
      bodyOf(request),
    ),
  readSubmit,
  poll: ({ vendorId }, channel) =>
    getJson(`${channel.baseUrl}/api/v1/tasks/${encodeURIComponent(vendorId)}`, bearer(channel)),
  readPoll,
  content: ({ result }) => publicVideo(textOf(result.url)),
};

const secondsOf = ({ seconds }: VideoRequest): number => seconds ?? 5;
/** The small models make 720 lines by default. */
const defaultsOf = ({ model }: VideoRequest): Shape => ({
  ...limits.defaultShape,
  lines: /flash|turbo/.test(model) ? 720 : 1_080,
});

/** A first and a last frame have another path. */
const callOf = (request: VideoRequest): string =>
  imagesOf(request).length > 1 ? 'image2video' : 'video-generation';

/** DashScope's sizes that differ from those of the ratio. */
const sizes: Readonly<Record<string, string>> = {
  '480 16:9': '832*480',
  '480 9:16': '480*832',
  '480 1:1': '624*624',
  '720 1:1': '960*960',
  '720 4:3': '1088*832',
  '720 3:4': '832*1088',
  '1080 1:1': '1440*1440',
  '1080 4:3': '1632*1248',
  '1080 3:4': '1248*1632',
};

function bodyOf(request: VideoRequest): JsonObject {
  const [first, last] = imagesOf(request);
  const shape = shapeOf(request, defaultsOf(request));
  const frames = last
    ? { first_frame_url: first && imageText(first, vendor), last_frame_url: imageText(last, vendor) }
    : { ...(first && { img_url: imageText(first, vendor) }) };
  return {
    model: request.model,
    input: {
      ...ownFields(request, ownInput),
      prompt: request.prompt,
      ...(request.negativePrompt !== undefined && { negative_prompt: request.negativePrompt }),
      ...frames,
    },
    parameters: {
      ...ownFields(request, ownParameters),
      // A video with a first frame has the picture's shape.
      ...(first ? { resolution: `${shape.lines}P` } : { size: sizeFor(shape) }),
      duration: secondsOf(request),
      ...(request.seed !== undefined && { seed: request.seed }),
    },
  };
}

const sizeFor = (shape: Shape): string =>
  sizes[`${shape.lines} ${shape.aspect}`] ?? sizeText(shape).replace('x', '*');

function readSubmit(status: number, body: Buffer): AcceptedTask | RelayError {
  const answer = readAnswer(status, body);
  if (answer instanceof RelayError) return answer;
  const output = objectOf(answer.output);
  const vendorId = textOf(output.task_id);
  if (vendorId === '') return upstreamFailure(502, textOf(answer.message), []);
  return { vendorId, update: updateOf(output, {}) };
}

function readPoll(status: number, body: Buffer): TaskUpdate | RelayError {
  if (isGone(status)) return gone();
  const answer = readAnswer(status, body);
  if (answer instanceof RelayError) return answer;
  const output = objectOf(answer.output);
  return textOf(output.task_status) === ''
    ? refuse('answer_unknown_object')
    : updateOf(output, objectOf(answer.usage));
}

const states: Readonly<Record<string, TaskState>> = { PENDING: 'queued', RUNNING: 'in_progress' };

function updateOf(output: JsonObject, usage: JsonObject): TaskUpdate {
  const vendorStatus = textOf(output.task_status);
  if (vendorStatus === 'UNKNOWN') return gone(vendorStatus);
  if (vendorStatus === 'FAILED' || vendorStatus === 'CANCELED')
    return failed(vendorStatus, textOf(output.code), textOf(output.message));
  if (vendorStatus === 'SUCCEEDED')
    return videoAt(textOf(output.video_url), vendorStatus, usage.video_duration ?? usage.duration);
  return { state: entryOf(states, vendorStatus) ?? 'in_progress', vendorStatus };
}
