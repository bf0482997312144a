import { entryOf, type JsonObject, numberOf, objectOf, parseObject, textOf } from '../../../lib/json.ts';
import { joinUrl, upstreamFailure } from '../../families/openai/index.ts';
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
  shapeOf,
  sizeText,
} from '../../tasks/index.ts';

const vendor = 'Hailuo';
const own = ['prompt_optimizer', 'fast_pretreatment', 'aigc_watermark', 'subject_reference'] as const;
const limits: VideoLimits = {
  vendor,
  seconds: [6, 10],
  defaultShape: { aspect: '16:9', lines: 768 },
  lines: [512, 720, 768, 1_080],
  images: 2,
  own,
};

/** MiniMax's videos (Hailuo). The video is a file that is requested separately. */
export const hailuoVideo: VideoVendor = {
  facts: (request) => ({
    seconds: secondsOf(request),
    size: sizeText({ ...limits.defaultShape, lines: shapeOf(request, defaultsOf(request)).lines }),
    quality: 'standard',
  }),
  refuses: (request) => refusalOf(request, limits) ?? longVideo(request),
  submit: (request, channel) =>
    postJson(joinUrl(channel, '/v1/video_generation'), bearer(channel), bodyOf(request)),
  readSubmit,
  poll: ({ vendorId }, channel) =>
    getJson(
      joinUrl(channel, `/v1/query/video_generation?task_id=${encodeURIComponent(vendorId)}`),
      bearer(channel),
    ),
  readPoll,
  async content({ result }, channel, tools) {
    const file = encodeURIComponent(textOf(result.file_id));
    const url = joinUrl(channel, `/v1/files/retrieve?file_id=${file}`);
    const headers = { accept: 'application/json', ...bearer(channel) };
    const { status, body } = await tools.ask({ method: 'GET', url, headers });
    const answer = readOwn(status, body);
    const address = answer instanceof RelayError ? '' : textOf(objectOf(answer.file).download_url);
    if (address === '') throw refuse('vendor_file_missing');
    return publicVideo(address);
  },
};

const secondsOf = ({ seconds }: VideoRequest): number => seconds ?? 6;
/** The models of the first series make 720 lines. */
const isFirstSeries = (model: string): boolean => /-01(?:-|$)/.test(model);
const defaultsOf = ({ model }: VideoRequest) => ({
  ...limits.defaultShape,
  lines: isFirstSeries(model) ? 720 : 768,
});

/** Ten seconds are available only in the smaller sizes. */
function longVideo(request: VideoRequest): RelayError | undefined {
  if (secondsOf(request) !== 10 || shapeOf(request, defaultsOf(request)).lines < 1_080) return undefined;
  return refuse('video_seconds_not_made', { vendor, seconds: 10, choices: '6' });
}

function bodyOf(request: VideoRequest): JsonObject {
  const [first, last] = imagesOf(request);
  return {
    ...ownFields(request, own),
    model: request.model,
    prompt: request.prompt,
    ...(!isFirstSeries(request.model) && { duration: secondsOf(request) }),
    resolution: `${shapeOf(request, defaultsOf(request)).lines}P`,
    ...(first && { first_frame_image: imageText(first, vendor) }),
    ...(last && { last_frame_image: imageText(last, vendor) }),
  };
}

/** MiniMax's numbers as statuses: limits, keys, balance, and refused text and parameters. */
const statuses: ReadonlyMap<number, number> = new Map([
  [1_002, 429],
  [1_004, 401],
  [1_008, 402],
  [1_026, 400],
  [1_027, 400],
  [2_013, 400],
  [2_049, 401],
]);
/** Text or pictures that break the content rules. */
const moderated = new Set([1_026, 1_027]);

const codeIn = (answer: JsonObject): number => numberOf(objectOf(answer.base_resp).status_code ?? 0);

/** An answer of MiniMax; errors have status 200 and a number. */
function readOwn(status: number, body: Buffer): JsonObject | RelayError {
  const answer = readAnswer(status, body);
  if (answer instanceof RelayError) return answer;
  const code = codeIn(answer);
  if (code === 0) return answer;
  return upstreamFailure(
    statuses.get(code) ?? 502,
    `${textOf(objectOf(answer.base_resp).status_msg)} (${code})`,
    [],
  );
}

function readSubmit(status: number, body: Buffer): AcceptedTask | RelayError {
  const answer = readOwn(status, body);
  if (answer instanceof RelayError) return answer;
  const vendorId = textOf(answer.task_id);
  if (vendorId === '') return refuse('answer_unknown_object');
  return { vendorId, update: { state: 'queued', vendorStatus: 'Queueing' } };
}

const states: Readonly<Record<string, TaskState>> = {
  Preparing: 'queued',
  Queueing: 'queued',
  Processing: 'in_progress',
};

function readPoll(status: number, body: Buffer): TaskUpdate | RelayError {
  if (isGone(status)) return gone();
  const reported = parseObject(body) ?? {};
  const words = textOf(objectOf(reported.base_resp).status_msg);
  if (moderated.has(codeIn(reported))) return failed(textOf(reported.status) || 'Fail', words);
  const answer = readOwn(status, body);
  if (answer instanceof RelayError) return answer;
  const vendorStatus = textOf(answer.status);
  if (vendorStatus === 'Fail')
    return failed(vendorStatus, textOf(answer.error_message) || (words === 'success' ? '' : words));
  if (vendorStatus === 'Success') {
    const file = textOf(answer.file_id);
    if (file === '') return failed(vendorStatus, refuse('vendor_file_missing').message);
    return { state: 'succeeded', vendorStatus, progress: 100, result: { file_id: file } };
  }
  return vendorStatus === ''
    ? refuse('answer_unknown_object')
    : { state: entryOf(states, vendorStatus) ?? 'in_progress', vendorStatus };
}
