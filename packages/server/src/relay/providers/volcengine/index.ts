import { defineProvider } from '../../model/define-provider.ts';
import { adaptResponses } from '../../model/openai/effort.ts';
import { joinUrl, listModels } from '../../model/openai/endpoints.ts';
import { volcengineImages } from './images.ts';
import { arkUrl, volcengineSpeech } from './speech.ts';

/**
 * VolcEngine Ark (Doubao): OpenAI bodies under /api/v3; applications, whose names begin with `bot`, have their own
 * path; speech has words of its own.
 */
export const volcengine = defineProvider({
  type: 45,
  id: 'volcengine',
  name: 'VolcEngine',
  baseUrl: arkUrl,
  hints: { key: 'a key of Ark; for speech appid|token', other: '' },
  secrets: ({ key }) => [key, ...key.split('|').slice(1)],
  models: [
    'Doubao-pro-128k',
    'Doubao-pro-32k',
    'Doubao-pro-4k',
    'Doubao-lite-128k',
    'Doubao-lite-32k',
    'Doubao-lite-4k',
    'Doubao-embedding',
  ],
  endpoints: {
    'openai-chat': {
      protocol: 'openai-chat',
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
  streamUsage: true,
  fetchModels: listModels('/api/v3/models'),
});
