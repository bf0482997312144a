import { objectOf, textOf } from '../../../lib/json.ts';
import { joinUrl } from '../../families/openai/index.ts';
import {
  refuse,
  RelayError,
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
  postJson,
  publicVideo,
  readAnswer,
  refusalOf,
  shapeOf,
  sizeText,
  submitReader,
} from '../../tasks/index.ts';

const vendor = 'xAI';
const limits: VideoLimits = {
  vendor,
  seconds: { least: 1, most: 15 },
  defaultShape: { aspect: '16:9', lines: 480 },
  lines: [480, 720, 1_080],
  aspects: ['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3'],
  images: 7,
  own: [],
};

/** xAI's videos (Grok Imagine). */
export const grokVideo: VideoVendor = {
  facts: (request) => ({
    seconds: secondsOf(request),
    size: sizeText(shapeOf(request, limits.defaultShape)),
    quality: 'standard',
  }),
  refuses: (request) => refusalOf(request, limits),
  submit(request, channel) {
    const { aspect, lines } = shapeOf(request, limits.defaultShape);
    const images = imagesOf(request).map((each) => ({ url: imageText(each, vendor) }));
    const isFrame = request.image !== undefined && images.length === 1;
    return postJson(joinUrl(channel, '/v1/videos/generations'), bearer(channel), {
      model: request.model,
      prompt: request.prompt,
      duration: secondsOf(request),
      resolution: `${lines}p`,
      ...(asksAspect(request, images.length) && { aspect_ratio: aspect }),
      ...(isFrame && { image: images[0] }),
      ...(!isFrame && images.length > 0 && { reference_images: images }),
    });
  },
  readSubmit: submitReader('request_id', () => ({ state: 'queued', vendorStatus: 'pending' })),
  poll: ({ vendorId }, channel) =>
    getJson(joinUrl(channel, `/v1/videos/${encodeURIComponent(vendorId)}`), bearer(channel)),
  readPoll,
  content: ({ result }) => publicVideo(textOf(result.url)),
};

const secondsOf = ({ seconds }: VideoRequest): number => seconds ?? 8;
/** A video with a first frame has the picture's shape, unless another is requested. */
const asksAspect = ({ size, extra }: VideoRequest, images: number): boolean =>
  images === 0 || (size ?? extra.aspect_ratio) !== undefined;

function readPoll(status: number, body: Buffer): TaskUpdate | RelayError {
  if (isGone(status)) return gone();
  const answer = readAnswer(status, body);
  if (answer instanceof RelayError) return answer;
  const vendorStatus = textOf(answer.status);
  const video = objectOf(answer.video);
  const error = objectOf(answer.error);
  if (vendorStatus === 'expired') return gone(vendorStatus);
  if (vendorStatus === 'failed')
    return failed(vendorStatus, textOf(error.code), textOf(error.message) || textOf(answer.error));
  if (video.respect_moderation === false) return failed('moderated');
  if (vendorStatus === 'done') return videoAt(textOf(video.url), vendorStatus, video.duration);
  if (vendorStatus === '') return refuse('answer_unknown_object');
  const { progress } = answer;
  return {
    state: 'in_progress',
    vendorStatus,
    ...(typeof progress === 'number' &&
      progress >= 0 &&
      progress <= 100 && { progress: Math.round(progress) }),
  };
}
