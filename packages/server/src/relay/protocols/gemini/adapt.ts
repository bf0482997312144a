import { type JsonObject, objectOf } from '../../model/json.ts';
import type { Adapted, AdaptContext } from '../../model/provider.ts';
import { adaptThinking } from './suffixes.ts';

const categories = [
  'HARM_CATEGORY_HARASSMENT',
  'HARM_CATEGORY_HATE_SPEECH',
  'HARM_CATEGORY_SEXUALLY_EXPLICIT',
  'HARM_CATEGORY_DANGEROUS_CONTENT',
  'HARM_CATEGORY_CIVIC_INTEGRITY',
];

/**
 * What Google's API wants: the model and the wish for a stream stand in the address; a request that was translated
 * (its safety settings are an empty list) gets the site's settings, which a caller of Gemini's own language says himself.
 */
export function adaptGemini(body: JsonObject, context: AdaptContext): Adapted {
  delete body.model;
  delete body.stream;
  const adapted = adaptThinking(body, context);
  const isTranslated = Array.isArray(body.safetySettings) && body.safetySettings.length === 0;
  if (!isTranslated) return adapted;
  const { settings } = context.options;
  body.safetySettings = safetySettings(settings['gemini.safety_settings']);
  const model = adapted.model ?? context.model;
  const imagine = settings['gemini.supported_imagine_models'];
  if (Array.isArray(imagine) && imagine.includes(model)) {
    body.generationConfig = { responseModalities: ['TEXT', 'IMAGE'], ...objectOf(body.generationConfig) };
  }
  return adapted;
}

/** Each category with its own threshold, or the default one. */
function safetySettings(option: unknown): JsonObject[] {
  const thresholds = tableOf(option);
  const fallback = thresholds.default ?? 'OFF';
  return categories.map((category) => ({ category, threshold: thresholds[category] ?? fallback }));
}

const tableOf = (option: unknown): Readonly<Record<string, string>> =>
  typeof option === 'object' && option !== null ? (option as Record<string, string>) : {};
