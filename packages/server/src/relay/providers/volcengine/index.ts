import { defineProvider } from '../../model/define-provider.ts';
import { callOf } from '../../model/openai/calls.ts';
import { adaptResponses } from '../../model/openai/effort.ts';
import { joinUrl, listModels } from '../../model/openai/endpoints.ts';

/** VolcEngine Ark (Doubao): OpenAI bodies under /api/v3; applications, whose names begin with `bot`, have their own path. */
export const volcengine = defineProvider({
  type: 45,
  id: 'volcengine',
  name: 'VolcEngine',
  baseUrl: 'https://ark.cn-beijing.volces.com',
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
    'openai-images': {
      protocol: 'openai-images',
      url: (channel, { path }) => joinUrl(channel, `/api/v3/images${callOf('openai-images', path)}`),
    },
    'openai-responses': {
      protocol: 'openai-responses',
      url: (channel) => joinUrl(channel, '/api/v3/responses'),
      adapt: adaptResponses,
    },
  },
  streamUsage: true,
  fetchModels: listModels('/api/v3/models'),
});
