import { defineProvider } from '../../provider-kit/index.ts';
import { adaptResponses, joinUrl, listModels } from '../../families/openai/index.ts';
import { volcengineImages } from './images.ts';
import { arkVideo } from '../../tasks/ark/index.ts';
import { originOf } from '../../types/index.ts';
import { arkUrl, speechBase, volcengineSpeech } from './speech.ts';

/**
 * VolcEngine Ark (Doubao): OpenAI bodies under /api/v3; applications, whose names begin with `bot`, have their own
 * path; speech has words of its own.
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
  streamUsage: true,
  fetchModels: listModels('/api/v3/models'),
});
