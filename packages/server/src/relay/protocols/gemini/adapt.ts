import { type JsonObject, objectOf, objectsIn, textOf } from '../../../lib/json.ts';
import { type Adapted, type AdaptContext, refuse } from '../../types/index.ts';
import { withOwnSignatures } from './own-signatures.ts';
import { adaptThinking } from './suffixes.ts';

const categories = [
  'HARM_CATEGORY_HARASSMENT',
  'HARM_CATEGORY_HATE_SPEECH',
  'HARM_CATEGORY_SEXUALLY_EXPLICIT',
  'HARM_CATEGORY_DANGEROUS_CONTENT',
  'HARM_CATEGORY_CIVIC_INTEGRITY',
];

/**
 * Adapts a body to Google's API: model and streaming are in the address. A translated request (with an empty list of
 * safety settings) gets the site's settings; callers of Gemini's protocol set them in the request.
 */
export function adaptGemini(body: JsonObject, context: AdaptContext): Adapted {
  delete body.model;
  delete body.stream;
  const adapted = adaptThinking(body, context);
  const model = adapted.model ?? context.model;
  if (!isTranslated(body)) {
    const contents = withOwnSignatures(body.contents, model);
    if (contents) body.contents = contents;
    return adapted;
  }
  const { settings, geminiMaxImages } = context.options;
  checkImages(body, geminiMaxImages);
  body.safetySettings = safetySettings(settings['gemini.safety_settings']);
  const imagine = settings['gemini.supported_imagine_models'];
  if (Array.isArray(imagine) && imagine.includes(model)) {
    body.generationConfig = { responseModalities: ['TEXT', 'IMAGE'], ...objectOf(body.generationConfig) };
  }
  return adapted;
}

/** True for a request from another protocol: it requests the site's safety settings by an empty list. */
export const isTranslated = ({ safetySettings }: JsonObject): boolean =>
  Array.isArray(safetySettings) && safetySettings.length === 0;

/**
 * GEMINI_VISION_MAX_IMAGE_NUM: the most images of one turn (docs/compatibility.md#conversions); a negative number
 * allows any.
 */
function checkImages({ contents }: JsonObject, most: number): void {
  if (most < 0) return;
  for (const { parts } of objectsIn(contents)) {
    if (objectsIn(parts).filter(isImage).length <= most) continue;
    throw refuse('too_many_images', { most });
  }
}

const isImage = ({ inlineData, fileData }: JsonObject): boolean =>
  textOf(objectOf(inlineData ?? fileData).mimeType).startsWith('image/');

/** Each category with its own threshold, or the default one. */
function safetySettings(option: unknown): JsonObject[] {
  const thresholds = tableOf(option);
  const fallback = thresholds.default ?? 'OFF';
  return categories.map((category) => ({ category, threshold: thresholds[category] ?? fallback }));
}

const tableOf = (option: unknown): Readonly<Record<string, string>> =>
  typeof option === 'object' && option !== null ? (option as Record<string, string>) : {};
