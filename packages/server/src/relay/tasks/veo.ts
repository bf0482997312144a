import { type Json, type JsonObject, objectOf, objectsIn, parseObject, textOf } from '../../lib/json.ts';
import { readGeminiError } from '../families/google/index.ts';
import {
  type AcceptedTask,
  type Channel,
  originOf,
  refuse,
  RelayError,
  type SendTools,
  type Source,
  type TaskQuestion,
  type TaskUpdate,
  type VendorTask,
  type VideoRequest,
  type VideoVendor,
} from '../types/index.ts';
import { failed, gone, isGone, postJson } from './answers.ts';
import { type VideoLimits, ownFields, refusalOf } from './limits.ts';
import { shapeOf, sizeText } from './shape.ts';

/** The address of Google's video operations, and the form of the key. */
interface VeoPlace {
  submitUrl(channel: Channel, model: string): string;
  poll(task: VendorTask, channel: Channel, headers: Record<string, string>): TaskQuestion;
  headers(channel: Channel, tools: SendTools): Record<string, string> | Promise<Record<string, string>>;
  /** The origins that may receive the key when a video is fetched. */
  keyOrigins(channel: Channel): readonly string[];
  /** Parameters from the channel, such as the bucket for videos. Throws RelayError. */
  parameters?(channel: Channel): JsonObject;
}

const own = [
  'personGeneration',
  'enhancePrompt',
  'generateAudio',
  'compressionQuality',
  'resizeMode',
] as const;
const limits: VideoLimits = {
  vendor: 'Veo',
  seconds: { least: 4, most: 8 },
  defaultShape: { aspect: '16:9', lines: 720 },
  lines: [720, 1_080, 2_160],
  aspects: ['16:9', '9:16'],
  images: 3,
  avoids: true,
  own: [...own, 'lastFrame'],
};

/** Google's Veo, through its long-running operations. */
export const veoVideo = (place: VeoPlace): VideoVendor => ({
  facts: (request) => ({
    seconds: secondsOf(request),
    size: sizeText(shapeOf(request, limits.defaultShape)),
    quality: request.extra.generateAudio === false ? 'silent' : 'standard',
  }),
  refuses: (request) => refusalOf(request, limits),
  async submit(request, channel, tools) {
    const more = place.parameters?.(channel) ?? {};
    const headers = await place.headers(channel, tools);
    const body = {
      instances: [await buildInstance(request, tools)],
      parameters: { ...parametersOf(request), ...more },
    };
    return postJson(place.submitUrl(channel, request.model), headers, body);
  },
  readSubmit,
  async poll(task, channel, tools) {
    return place.poll(task, channel, await place.headers(channel, tools));
  },
  readPoll,
  async content({ result }, channel, tools) {
    const url = addressOf(textOf(result.url));
    if (url === '') throw refuse('vendor_file_missing');
    const isKnown = place.keyOrigins(channel).includes(originOf(url));
    return { method: 'GET', url, headers: isKnown ? await place.headers(channel, tools) : {} };
  },
});

const storage = 'https://storage.googleapis.com/';

/** Objects of Cloud Storage also have a web address. */
const addressOf = (uri: string): string =>
  uri.startsWith('gs://')
    ? storage +
      uri
        .slice('gs://'.length)
        .split('/')
        .map((part) => encodeURIComponent(part))
        .join('/')
    : uri;

const secondsOf = ({ seconds }: VideoRequest): number => seconds ?? 8;

/** The input of a video. Images are data: the first frame, then the last one or up to three references. */
async function buildInstance(request: VideoRequest, tools: SendTools): Promise<JsonObject> {
  const { prompt, image, images = [], extra } = request;
  const written = await Promise.all(images.map((each) => fetchData(each, tools)));
  const [last] = written;
  const isLast = image !== undefined && images.length === 1 && extra.lastFrame !== false;
  return {
    prompt,
    ...(image && { image: await fetchData(image, tools) }),
    ...(isLast && last && { lastFrame: last }),
    ...(!isLast &&
      written.length > 0 && {
        referenceImages: written.map((each) => ({ image: each, referenceType: 'asset' })),
      }),
  };
}

async function fetchData(source: Source, tools: SendTools): Promise<JsonObject> {
  if (source.kind === 'data') return { bytesBase64Encoded: source.base64, mimeType: source.mediaType };
  if (source.kind === 'id') throw refuse('video_field_unknown', { vendor: limits.vendor, field: 'file_id' });
  const { base64, mediaType } = await tools.fetchFile(source.url);
  return { bytesBase64Encoded: base64, mimeType: mediaType };
}

function parametersOf(request: VideoRequest): JsonObject {
  const { aspect, lines } = shapeOf(request, limits.defaultShape);
  const asksSize = request.size !== undefined || request.extra.resolution !== undefined;
  return {
    ...ownFields(request, own),
    aspectRatio: aspect,
    durationSeconds: secondsOf(request),
    ...(asksSize && { resolution: lines === 2_160 ? '4k' : `${lines}p` }),
    ...(request.negativePrompt !== undefined && { negativePrompt: request.negativePrompt }),
    ...(request.seed !== undefined && { seed: request.seed }),
    // The second series makes several videos by default.
    ...(request.model.startsWith('veo-2') && { sampleCount: 1 }),
  };
}

function readAnswer(status: number, body: Buffer): JsonObject | RelayError {
  if (status >= 300)
    return readGeminiError({ status, contentType: '', body, secrets: [], retryAfterSeconds: undefined });
  return parseObject(body) ?? refuse('answer_not_json');
}

function readSubmit(status: number, body: Buffer): AcceptedTask | RelayError {
  const answer = readAnswer(status, body);
  if (answer instanceof RelayError) return answer;
  const vendorId = textOf(answer.name);
  if (vendorId === '') return refuse('answer_unknown_object');
  return { vendorId, update: { state: 'queued', vendorStatus: 'running' } };
}

function readPoll(status: number, body: Buffer): TaskUpdate | RelayError {
  if (isGone(status)) return gone();
  const operation = readAnswer(status, body);
  if (operation instanceof RelayError) return operation;
  if (operation.done !== true)
    return textOf(operation.name) === ''
      ? refuse('answer_unknown_object')
      : { state: 'in_progress', vendorStatus: 'running' };
  const error = objectOf(operation.error);
  if (textOf(error.message) !== '')
    return failed(`error ${JSON.stringify(error.code ?? null)}`, textOf(error.message));
  const response = objectOf(operation.response);
  return videoIn(
    response.generateVideoResponse === undefined ? response : objectOf(response.generateVideoResponse),
  );
}

/** The video of a finished operation; a video that Google's rules blocked is a failure with Google's reason. */
function videoIn(response: JsonObject): TaskUpdate {
  const [sample = {}] = objectsIn(response.generatedSamples ?? response.videos);
  const video = sample.video === undefined ? sample : objectOf(sample.video);
  const url = textOf(video.uri) || textOf(video.gcsUri);
  if (url !== '') return { state: 'succeeded', vendorStatus: 'done', progress: 100, result: { url } };
  return failed('filtered', ...textsIn(response.raiMediaFilteredReasons));
}

const textsIn = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.map(textOf).filter((text) => text !== '') : [];
