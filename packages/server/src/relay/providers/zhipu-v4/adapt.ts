import { isObject, type Json, type JsonObject } from '../../model/json.ts';

/** Zhipu refuses 1. */
const largestTopP = 0.99;
/** What stands in front of the data of an image. */
const dataPrefix = /^data:image\/[\w.+-]+;base64,/;

/** `top_p` stays below 1, and images as data are the data alone, without an address around it (wire-facts 4.1). */
export function adaptGlm(body: JsonObject): undefined {
  if (typeof body.top_p === 'number' && body.top_p >= 1) body.top_p = largestTopP;
  if (!Array.isArray(body.messages) || !body.messages.some(hasImageData)) return;
  body.messages = body.messages.map((message) =>
    hasImageData(message) ? { ...message, content: (message.content as Json[]).map(plainImage) } : message,
  );
}

const addressOf = (part: Json): string => {
  const image = isObject(part) && isObject(part.image_url) ? part.image_url : {};
  return typeof image.url === 'string' ? image.url : '';
};

/** A data address may be megabytes long: only its beginning is looked at. */
const isImageData = (part: Json): boolean => dataPrefix.test(addressOf(part).slice(0, 100));

const hasImageData = (message: Json): message is JsonObject =>
  isObject(message) && Array.isArray(message.content) && message.content.some(isImageData);

function plainImage(part: Json): Json {
  if (!isObject(part) || !isObject(part.image_url) || !isImageData(part)) return part;
  return { ...part, image_url: { ...part.image_url, url: addressOf(part).replace(dataPrefix, '') } };
}
