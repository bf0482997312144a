import { objectOf, isObject, type Json, type JsonObject, objectsIn, textOf } from '../../../lib/json.ts';
import { maxImageTokens, secondsOfFile, secondsOfSound } from '../../families/openai/index.ts';
import { googleImageTokens } from '../../families/google/index.ts';
import type { DeliveredMedia, MediaMaker, MediaRule } from '../../types/index.ts';

/** Parts of the keys under which images and sound stand in a message, short and with rare first letters. */
const marks = ['udio"', 'mages"'].map((mark) => Buffer.from(mark));

/** Images and sound of a message, or of a piece of one. OpenAI streams sound only as samples (`pcm16`). */
export function mediaIn(
  message: JsonObject,
  { asked, model }: MediaMaker,
  isWhole: boolean,
): Partial<DeliveredMedia>[] {
  const sound = isObject(message.audio) ? textOf(message.audio.data) : '';
  return [
    ...(sound === '' ? [] : [soundOf(sound, asked, isWhole)]),
    ...objectsIn(message.images).map((image) => imageOf(textOf(objectOf(image.image_url).url), model)),
  ];
}

function soundOf(base64: string, asked: JsonObject, isWhole: boolean): Partial<DeliveredMedia> {
  const format = formatIn(asked.audio);
  return { soundSeconds: isWhole ? secondsOfFile(base64, format) : secondsOfSound(base64, format) };
}

const formatIn = (audio: Json | undefined): string => textOf(objectOf(audio).format);

/** Gateways show the images of other vendors in this way: of an unknown one the table with the largest numbers counts. */
function imageOf(url: string, model: string): Partial<DeliveredMedia> {
  const base64 = url.startsWith('data:') ? url.slice(url.indexOf(',') + 1) : '';
  return { imageTokens: /gemini/i.test(model) ? googleImageTokens(base64) : maxImageTokens(base64) };
}

/** The media of this protocol's answers. */
export const chatMedia: MediaRule = {
  marks,
  measure({ source }, { asked, model }) {
    if (source.kind === 'url') return imageOf(source.url, model);
    return source.kind === 'data' && source.base64 !== '' ? soundOf(source.base64, asked, false) : {};
  },
};
