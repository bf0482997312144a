import { entryOf, type JsonObject, numberOf, objectOf, textOf } from '../../lib/json.ts';
import {
  type AcceptedTask,
  type Channel,
  refuse,
  RelayError,
  type Source,
  type TaskQuestion,
  type TaskState,
  type TaskUpdate,
  type VideoRequest,
  type VideoVendor,
} from '../types/index.ts';
import { failed, getJson, pollReader, postJson, readAnswer } from './answers.ts';
import { type VideoLimits, imagesOf, refusalOf } from './limits.ts';
import { shapeOf, sizeText } from './shape.ts';

/** A vendor's address for OpenAI's video calls, and the form of the key. */
interface SoraPlace {
  /** The address of `/videos` with a suffix such as `/{id}/content`. */
  readonly url: (channel: Channel, behind: string) => string;
  readonly headers: (channel: Channel) => Record<string, string>;
  /** The vendor's name of the model; the unchanged name if absent. */
  readonly model?: (channel: Channel, model: string) => string;
}

const limits: VideoLimits = {
  vendor: 'Sora',
  seconds: [4, 8, 12, 16, 20],
  defaultShape: { aspect: '9:16', lines: 720 },
  lines: [480, 720, 1_024, 1_080],
  images: 1,
  remixes: true,
  own: [],
};

/** OpenAI's videos, for OpenAI, for Azure, and for vendors with the same calls under another name. */
export const soraVideo = (
  { url, headers, model = (_, name) => name }: SoraPlace,
  vendor = limits.vendor,
): VideoVendor => ({
  facts: (request) => ({ seconds: secondsOf(request), size: sizeOf(request), quality: 'standard' }),
  refuses: (request) => refusalOf(request, { ...limits, vendor }),
  submit(request, channel) {
    const { remixOf, prompt } = request;
    if (remixOf !== undefined)
      return postJson(url(channel, `/${encodeURIComponent(remixOf)}/remix`), headers(channel), { prompt });
    const [image] = imagesOf(request);
    const fields = {
      model: model(channel, request.model),
      prompt,
      seconds: String(secondsOf(request)),
      size: sizeOf(request),
    };
    if (image?.kind === 'data') return withFile(url(channel, ''), headers(channel), fields, image);
    const reference = image?.kind === 'url' ? { input_reference: { image_url: image.url } } : {};
    return postJson(url(channel, ''), headers(channel), { ...fields, ...reference });
  },
  readSubmit,
  poll: ({ vendorId }, channel) =>
    getJson(url(channel, `/${encodeURIComponent(vendorId)}`), headers(channel)),
  readPoll: pollReader('status', updateOf),
  content: ({ vendorId }, channel) => ({
    method: 'GET',
    url: url(channel, `/${encodeURIComponent(vendorId)}/content`),
    headers: headers(channel),
  }),
  remove: ({ vendorId }, channel) => ({
    method: 'DELETE',
    url: url(channel, `/${encodeURIComponent(vendorId)}`),
    headers: headers(channel),
  }),
});

/** OpenAI's defaults. */
const secondsOf = ({ seconds }: VideoRequest): number => seconds ?? 4;
const sizeOf = (request: VideoRequest): string =>
  request.size ?? sizeText(shapeOf(request, limits.defaultShape));

/** The picture is sent as the file of a form: all copies of these calls accept this. */
async function withFile(
  url: string,
  headers: Record<string, string>,
  fields: Readonly<Record<string, string>>,
  image: Extract<Source, { kind: 'data' }>,
): Promise<TaskQuestion> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const type = image.mediaType;
  const bytes = new Blob([Buffer.from(image.base64, 'base64')], { type });
  form.set('input_reference', bytes, `reference.${type.replace(/^image\//, '').replace('jpeg', 'jpg')}`);
  const written = new Response(form);
  return {
    method: 'POST',
    url,
    headers: {
      accept: 'application/json',
      ...headers,
      'content-type': written.headers.get('content-type') ?? '',
    },
    body: Buffer.from(await written.arrayBuffer()),
  };
}

function readSubmit(status: number, body: Buffer): AcceptedTask | RelayError {
  const answer = readAnswer(status, body);
  if (answer instanceof RelayError) return answer;
  const vendorId = textOf(answer.id) || textOf(answer.task_id);
  return vendorId === '' ? refuse('answer_unknown_object') : { vendorId, update: updateOf(answer) };
}

const states: Readonly<Record<string, TaskState>> = {
  queued: 'queued',
  in_progress: 'in_progress',
  completed: 'succeeded',
};

function updateOf(video: JsonObject): TaskUpdate {
  const vendorStatus = textOf(video.status);
  const error = objectOf(video.error);
  if (vendorStatus === 'failed' || vendorStatus === 'cancelled')
    return failed(vendorStatus, textOf(error.code), textOf(error.message));
  const seconds = numberOf(video.seconds);
  return {
    state: entryOf(states, vendorStatus) ?? 'in_progress',
    vendorStatus,
    ...(typeof video.progress === 'number' && {
      progress: Math.min(100, Math.max(0, Math.round(video.progress))),
    }),
    ...(vendorStatus === 'completed' && Number.isFinite(seconds) && seconds > 0 && { seconds }),
    result: {
      ...(textOf(video.size) !== '' && { size: textOf(video.size) }),
      ...(typeof video.expires_at === 'number' && { expires_at: video.expires_at }),
    },
  };
}
