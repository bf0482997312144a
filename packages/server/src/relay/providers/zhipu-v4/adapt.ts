import { imagesAsked } from '../../provider-kit/index.ts';
import { isObject, type Json, type JsonObject, textOf } from '../../../lib/json.ts';
import type { AdaptContext } from '../../types/index.ts';

/** Zhipu refuses 1. */
const maxTopP = 0.99;
/** Prefix of a data URL of an image. */
const dataPrefix = /^data:image\/[\w.+-]+;base64,/;

/** `top_p` is below 1, and images are bare data without the data URL's head (docs/compatibility.md#channel-types). */
export function adaptGlm(body: JsonObject): undefined {
  if (typeof body.top_p === 'number' && body.top_p >= 1) body.top_p = maxTopP;
  if (!Array.isArray(body.messages) || !body.messages.some(hasImageData)) return;
  body.messages = body.messages.map((message) =>
    hasImageData(message) ? { ...message, content: (message.content as Json[]).map(plainImage) } : message,
  );
}

const addressOf = (part: Json): string => {
  const image = isObject(part) && isObject(part.image_url) ? part.image_url : {};
  return typeof image.url === 'string' ? image.url : '';
};

/** A data URL may be megabytes long: only its beginning is examined. */
const isImageData = (part: Json): boolean => dataPrefix.test(addressOf(part).slice(0, 100));

const hasImageData = (message: Json): message is JsonObject =>
  isObject(message) && Array.isArray(message.content) && message.content.some(isImageData);

function plainImage(part: Json): Json {
  if (!isObject(part) || !isObject(part.image_url) || !isImageData(part)) return part;
  return { ...part, image_url: { ...part.image_url, url: addressOf(part).replace(dataPrefix, '') } };
}

const maker = { name: 'Zhipu', most: 1, edits: false };

/** OpenAI's fields that CogView does not have. It returns image addresses, which are fetched if data are requested. */
const unknown = ['n', 'response_format', 'style', 'background', 'moderation', 'output_format', 'user'];

/** CogView makes one image at a time, in two qualities; its name of the end user has at least six characters. */
export function adaptCogview(body: JsonObject, context: AdaptContext): undefined {
  imagesAsked(body, context, maker);
  const { quality, size, user } = body;
  for (const key of unknown) delete body[key];
  if (quality !== undefined) body.quality = quality === 'hd' || quality === 'high' ? 'hd' : 'standard';
  if (size === 'auto') delete body.size;
  if (textOf(user).length >= 6 && textOf(user).length <= 128) body.user_id = user;
}
