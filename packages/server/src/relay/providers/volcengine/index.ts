import { defineProvider, editAsJson, imagesAsked } from '../../provider-kit/index.ts';
import { adaptResponses, joinUrl, listModels } from '../../families/openai/index.ts';
import { arkVideo } from '../../tasks/index.ts';
import { type Endpoint, originOf, refuse } from '../../types/index.ts';
import { arkUrl, speechBase, volcengineSpeech } from './speech.ts';
import { objectOf } from '../../../lib/json.ts';

/** The most images of a series. */
const maker = { name: 'VolcEngine', most: 15, edits: true };

/** OpenAI's fields that Seedream does not have. */
const unknown = ['n', 'quality', 'style', 'background', 'moderation', 'user', 'input_fidelity'];

/** Seedream: new images and edits are one call, and an edit has its images in JSON. */
const volcengineImages: Endpoint = {
  protocol: 'openai-images',
  isDialect: true,
  url: (channel) => joinUrl(channel, '/api/v3/images/generations'),
  adapt(body, context) {
    const n = imagesAsked(body, context, maker);
    // The model decides the number of images in a series: a request for one image states this, and `n` is the most that
    // is charged.
    if (body.sequential_image_generation === 'auto') {
      const options = objectOf(body.sequential_image_generation_options);
      body.sequential_image_generation_options = { ...options, max_images: n };
    } else if (n > 1) {
      throw refuse('images_as_series_alone', { provider: 'VolcEngine' });
    }
    for (const key of unknown) delete body[key];
    return undefined;
  },
  write: (draft) => editAsJson(draft, (images) => ({ image: images.length === 1 ? images[0] : images })),
};

/**
 * VolcEngine Ark (Doubao): OpenAI's bodies under /api/v3. Applications, with names that start with `bot`, have another
 * path; speech has its own format.
 */
export const volcengine = defineProvider({
  type: 45,
  id: 'volcengine',
  name: { zh: '火山方舟', en: 'VolcEngine' },
  baseUrl: arkUrl,
  hints: {
    key: { zh: '方舟的 API Key；语音合成填 appid|token', en: 'a key of Ark; for speech appid|token' },
  },
  keyOrigins: ({ baseUrl }) => [originOf(baseUrl), originOf(speechBase(baseUrl))],
  secrets: ({ key }) => [key, ...key.split('|').slice(1)],
  models: [
    'doubao-seed-2-1-pro-260915',
    'doubao-seed-2-1-lite-260915',
    'doubao-seed-2-1-turbo-260628',
    'doubao-seed-2-0-pro-260215',
    'doubao-seed-2-0-lite-260215',
    'doubao-seed-2-0-mini-260215',
    'doubao-seed-2-0-code-preview-260215',
    'doubao-seed-1-8-251228',
    'deepseek-v3-2-251201',
    'glm-4-7-251222',
  ],
  endpoints: {
    'openai-chat': {
      protocol: 'openai-chat',
      hosts: ['other'],
      url: (channel, { model }) =>
        joinUrl(channel, `/api/v3${model.startsWith('bot') ? '/bots' : ''}/chat/completions`),
    },
    'openai-embeddings': {
      protocol: 'openai-embeddings',
      url: (channel) => joinUrl(channel, '/api/v3/embeddings'),
    },
    'openai-images': volcengineImages,
    'openai-audio': volcengineSpeech,
    'openai-responses': {
      protocol: 'openai-responses',
      url: (channel) => joinUrl(channel, '/api/v3/responses'),
      adapt: adaptResponses,
    },
  },
  tasks: { video: arkVideo },
  fetchModels: listModels('/api/v3/models'),
});
