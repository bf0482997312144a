import { editAsJson } from '../../model/form-images.ts';
import { imagesAsked } from '../../model/image-wish.ts';
import { type JsonObject, objectsIn, textOf } from '../../model/json.ts';
import { callOf } from '../../model/openai/calls.ts';
import { joinUrl } from '../../model/openai/endpoints.ts';
import type { Endpoint } from '../../model/provider.ts';
import { refuse } from '../../model/relay-error.ts';

const maker = { name: 'SiliconFlow', most: 4, edits: true };

/**
 * OpenAI's fields that SiliconFlow has no words for; its images are told by address, and fetched where data are wanted.
 */
const unknown = [
  'n',
  'size',
  'response_format',
  'quality',
  'style',
  'background',
  'moderation',
  'output_format',
  'user',
];

/** Images: new ones and edits are one call; size and number have other names, and the answer lists `images`. */
export const siliconflowImages: Endpoint = {
  protocol: 'openai-images',
  isDialect: true,
  url: (channel) => joinUrl(channel, '/v1/images/generations'),
  adapt(body, context) {
    const n = imagesAsked(body, context, maker);
    const size = textOf(body.size);
    for (const key of unknown) delete body[key];
    if (/^\d+x\d+$/.test(size)) body.image_size ??= size;
    // The most that is charged.
    if (n > 1) body.batch_size = n;
    else delete body.batch_size;
    return undefined;
  },
  write: (draft) => editAsJson(draft, numbered),
  rewrite: readImages,
};

/** The first three images of an edit, each under a name of its own. */
function numbered(images: string[]): JsonObject {
  if (images.length > 3) throw no('SiliconFlow edits at most three images at once');
  return Object.fromEntries(images.map((image, at) => [at === 0 ? 'image' : `image${at + 1}`, image]));
}

function readImages(answer: JsonObject, _request: JsonObject, startedSeconds: number): JsonObject {
  if (!Array.isArray(answer.images)) return answer;
  return { created: startedSeconds, data: objectsIn(answer.images) };
}

/** Sound in OpenAI's words: speech without events, transcriptions as JSON alone, no translations. */
export const siliconflowAudio: Endpoint = {
  protocol: 'openai-audio',
  isDialect: true,
  url: (channel, { path }) => joinUrl(channel, `/v1/audio${callOf('openai-audio', path)}`),
  adapt(body, { path, stream }) {
    const call = callOf('openai-audio', path);
    if (call === '/translations') throw no('SiliconFlow writes down what it hears, and translates nothing');
    if (stream) throw no('SiliconFlow sends neither speech nor transcripts as events');
    const format = textOf(body.response_format) || 'json';
    if (call === '/transcriptions' && format !== 'json')
      throw no('SiliconFlow writes transcripts as JSON alone');
    return undefined;
  },
};

const no = (message: string) => refuse(400, 'cannot_translate', message);
