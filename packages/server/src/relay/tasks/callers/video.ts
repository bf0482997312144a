import type { JsonObject } from '../../../lib/json.ts';
import { refuse, type Source, type TaskState, type VideoRequest } from '../../types/index.ts';
import { objectField, picturesOf, secondsField, textField, wholeField } from './fields.ts';

/** A video for callers. Times are Unix seconds, 0 without one. */
export interface VideoView {
  /** The model name that callers use. */
  id: string;
  model: string;
  action: string;
  state: TaskState;
  /** 0 to 100. */
  progress: number;
  submittedAt: number;
  startedAt: number;
  finishedAt: number;
  /** The requested values; others are absent. */
  prompt?: string;
  seconds?: number;
  size?: string;
  remixOf?: string;
  /** The reason of a failure; '' without one. */
  reason: string;
  /** The address of its bytes. */
  url: string;
}

/** Names of fields that are read here, in both places where callers put them. */
const known = new Set(
  [
    'model prompt seconds duration size width height negative_prompt seed n quality mode aspect_ratio ratio resolution',
    'metadata image images input_reference',
    // Fields without meaning for the video: the end user, and the format of the answer.
    'user response_format group callback_url external_task_id',
  ].flatMap((line) => line.split(' ')),
);

/**
 * A video request at `/v1/videos` and `/v1/video/generations`: OpenAI's fields, fields that other vendors share, and in
 * `metadata` those of one vendor. `files` are the pictures of a form. Throws RelayError (400).
 */
export function readVideoRequest(body: JsonObject, files: readonly Source[] = []): VideoRequest {
  const all = { ...objectField(body, 'metadata'), ...body };
  const model = textField(all, ['model']);
  if (model === undefined) throw refuse('model_required');
  const [image, ...images] = [
    ...files,
    ...picturesOf(all.input_reference),
    ...picturesOf(all.image),
    ...picturesOf(all.images),
  ];
  const prompt = textField(all, ['prompt']) ?? '';
  if (prompt === '' && !image) throw refuse('field_required', { field: 'prompt' });
  return {
    model,
    prompt,
    ...(image && { image }),
    ...(images.length > 0 && { images }),
    ...measuresOf(all),
    extra: { ...shapeFields(all), ...ownFields(all) },
  };
}

/** Parameters of the price and of the video. */
function measuresOf(all: JsonObject): Partial<VideoRequest> {
  const seconds = secondsField(all);
  const size = readSize(all);
  const quality = textField(all, ['quality', 'mode']);
  const negativePrompt = textField(all, ['negative_prompt']);
  const seed = wholeField(all, ['seed'], { least: -1, most: 2 ** 32 });
  const n = wholeField(all, ['n'], { least: 1, most: 16 });
  return {
    ...(seconds !== undefined && { seconds }),
    ...(size !== undefined && { size }),
    ...(quality !== undefined && { quality }),
    ...(negativePrompt !== undefined && { negativePrompt }),
    ...(seed !== undefined && { seed }),
    ...(n !== undefined && { n }),
  };
}

/** `1280x720`, also as two numbers. A size may also be only the name of a resolution or a ratio. */
function readSize(all: JsonObject): string | undefined {
  const bounds = { least: 64, most: 8_192 };
  const width = wholeField(all, ['width'], bounds);
  const height = wholeField(all, ['height'], bounds);
  const size = textField(all, ['size']);
  if (size === undefined) return width && height ? `${width}x${height}` : undefined;
  const sides = /^(\d{2,4})[x*×](\d{2,4})$/i.exec(size.trim());
  if (sides) return `${sides[1]}x${sides[2]}`;
  if (isResolution(size) || isRatio(size)) return undefined;
  throw refuse('field_not_choice', { field: 'size', choices: '1280x720, 720x1280, …' });
}

const isResolution = (text: string): boolean => /^(?:\d{3,4}p|[24]k)$/i.test(text);
const isRatio = (text: string): boolean => /^\d{1,2}:\d{1,2}$/.test(text);

/** The two fields that request a shape without pixels. */
function shapeFields(all: JsonObject): JsonObject {
  const size = textField(all, ['size']) ?? '';
  const aspect = textField(all, ['aspect_ratio', 'ratio']) ?? (isRatio(size) ? size : undefined);
  const resolution = textField(all, ['resolution']) ?? (isResolution(size) ? size : undefined);
  return {
    ...(aspect !== undefined && { aspect_ratio: aspect }),
    ...(resolution !== undefined && { resolution }),
  };
}

/** All other fields are passed to the vendor, which refuses unknown ones. */
const ownFields = (all: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(all).filter(([name]) => !known.has(name)));
