import { type Json, type JsonObject, objectsIn, textOf } from '../../../lib/json.ts';
import { refuser, wholeNumber } from '../openai/index.ts';
import { callOf } from '../../provider-kit/index.ts';
import { type AdaptContext, type Adapted, type Endpoint, refuse } from '../../types/index.ts';

/** Assumed tokens of an image (docs/compatibility.md#conversions). */
export const tokensPerImage = 258;
/** Google's maximum of images in one call, made without a number. */
export const maxImages = 4;

const no = refuser('invalid_image_request');

/** Google's models that make images by `:predict` (docs/compatibility.md#conversions). */
const isImagen = (model: string): boolean => model.startsWith('imagen');

/** Google's names of picture formats, each with the nearest of OpenAI's sizes. */
const ratios: readonly (readonly [name: string, ratio: number])[] = [
  ['9:16', 9 / 16],
  ['3:4', 3 / 4],
  ['1:1', 1],
  ['4:3', 4 / 3],
  ['16:9', 16 / 9],
];

/** `1024x1792` → `9:16`; a ratio is unchanged. Square without a size. */
export function aspectRatio(size: Json | undefined): string {
  const text = textOf(size);
  if (ratios.some(([name]) => name === text)) return text;
  const [, width = 0, height = 0] = (/^(\d{1,5})x(\d{1,5})$/.exec(text) ?? []).map(Number);
  if (width === 0 || height === 0) return '1:1';
  const distance = (ratio: number): number => Math.abs(Math.log(width / height / ratio));
  return ratios.reduce((best, each) => (distance(each[1]) < distance(best[1]) ? each : best))[0];
}

/**
 * A request of OpenAI's for new images in the form of Google's `:predict`. Google's own parameters may be given in
 * `parameters`. Throws RelayError (400) for edits, which these models do not make.
 */
function adaptImagen(
  body: JsonObject,
  { path, stream }: Pick<AdaptContext, 'path' | 'stream'>,
): Adapted | undefined {
  if (callOf('openai-images', path) !== '/generations') {
    throw refuse('images_not_edited', { provider: 'Imagen' });
  }
  if (stream) throw refuse('images_not_streamed', { provider: 'Imagen' });
  const { prompt, size, n, parameters } = body;
  const sampleCount = wholeNumber({ n }, 'n', { least: 1, most: maxImages, fallback: 1 }, no);
  const own = typeof parameters === 'object' && !Array.isArray(parameters) ? parameters : null;
  for (const key of Object.keys(body)) delete body[key];
  body.instances = [{ prompt }];
  // The charge depends on `n`, so callers cannot override this field.
  body.parameters = { aspectRatio: aspectRatio(size), ...own, sampleCount };
  return undefined;
}

/** An answer. If the filter removed everything, it may have no predictions. */
const members = new Set([
  'predictions',
  'metadata',
  'deployedModelId',
  'model',
  'modelDisplayName',
  'modelVersionId',
]);

/** True for an answer of `:predict`; other objects are refused as no answer. */
const isPredictions = (answer: JsonObject): boolean => Object.keys(answer).every((key) => members.has(key));

/** The images of an answer. */
export const imagesIn = ({ predictions }: JsonObject): JsonObject[] =>
  objectsIn(predictions).filter(({ bytesBase64Encoded: data }) => textOf(data) !== '');

/** The error of an answer whose images were all withheld by the vendor's filter; undefined for other answers. */
export function withheldImages(answer: JsonObject): JsonObject | undefined {
  if (!isPredictions(answer) || imagesIn(answer).length > 0) return undefined;
  return filtered(objectsIn(answer.predictions));
}

/** Google's predictions as OpenAI's images. If the filter removed all of them, this is an error. */
function rewriteImagen(answer: JsonObject, request: JsonObject, startedSeconds: number): JsonObject {
  if (!isPredictions(answer)) return answer;
  const withheld = withheldImages(answer);
  if (withheld) return withheld;
  const images = imagesIn(answer);
  const data = images.map((image) => imageOf(image, request.response_format === 'url'));
  const tokens = tokensPerImage * images.length;
  return {
    created: startedSeconds,
    data,
    usage: { input_tokens: tokens, output_tokens: 0, total_tokens: tokens },
  };
}

/** As base64, or as a data address: Google stores no picture to fetch. */
function imageOf(image: JsonObject, asUrl: boolean): JsonObject {
  const data = textOf(image.bytesBase64Encoded);
  const revised = textOf(image.prompt);
  return {
    ...(asUrl ? { url: `data:${textOf(image.mimeType) || 'image/png'};base64,${data}` } : { b64_json: data }),
    ...(revised !== '' && { revised_prompt: revised }),
  };
}

function filtered(predictions: readonly JsonObject[]): JsonObject {
  const reason = predictions
    .map(({ raiFilteredReason }) => textOf(raiFilteredReason))
    .find((text) => text !== '');
  const message = reason ?? 'the image was held back by the vendor: no prediction came';
  return {
    error: {
      message,
      type: 'invalid_request_error',
      param: 'prompt',
      code: 'content_policy_violation',
      status: 400,
    },
  };
}

/** The Imagen endpoint of a provider; `url` returns the address of the model's `:predict`. */
export const imagenEndpoint = (url: Endpoint['url']): Endpoint => ({
  protocol: 'openai-images',
  isDialect: true,
  url,
  serves: isImagen,
  adapt: adaptImagen,
  rewrite: rewriteImagen,
});

/** The same call for callers of `:predict`, whose requests and answers pass unchanged. */
export const predictEndpoint = (url: Endpoint['url']): Endpoint => ({
  protocol: 'gemini-predict',
  url,
  serves: isImagen,
});
