import { editAsJson, imagesAsked, callOf } from '../../provider-kit/index.ts';
import { type JsonObject, objectsIn, textOf } from '../../../lib/json.ts';
import { joinUrl } from '../../families/openai/index.ts';
import { type Endpoint, refuse } from '../../types/index.ts';

const maker = { name: 'SiliconFlow', most: 4, edits: true };

/**
 * OpenAI's fields that SiliconFlow does not have. It returns image addresses, which are fetched if data are requested.
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
    // The largest charged number.
    if (n > 1) body.batch_size = n;
    else delete body.batch_size;
    return undefined;
  },
  write: (draft) => editAsJson(draft, numbered),
  rewrite: readImages,
};

/** The first three images of an edit, each in its own field. */
function numbered(images: string[]): JsonObject {
  if (images.length > 3) throw refuse('too_many_images_edited', { provider, most: 3 });
  return Object.fromEntries(images.map((image, at) => [at === 0 ? 'image' : `image${at + 1}`, image]));
}

function readImages(answer: JsonObject, _request: JsonObject, startedSeconds: number): JsonObject {
  if (!Array.isArray(answer.images)) return answer;
  return { created: startedSeconds, data: objectsIn(answer.images) };
}

/** OpenAI's sound calls, without events and translations; transcriptions only as JSON. */
export const siliconflowAudio: Endpoint = {
  protocol: 'openai-audio',
  isDialect: true,
  url: (channel, { path }) => joinUrl(channel, `/v1/audio${callOf('openai-audio', path)}`),
  adapt(body, { path, stream }) {
    const call = callOf('openai-audio', path);
    if (call === '/translations') throw refuse('transcription_not_translated', { provider });
    if (stream) throw refuse('sound_not_streamed', { provider });
    const format = textOf(body.response_format) || 'json';
    if (call === '/transcriptions' && format !== 'json')
      throw refuse('transcripts_as_json_alone', { provider });
    return undefined;
  },
};

const provider = 'SiliconFlow';
