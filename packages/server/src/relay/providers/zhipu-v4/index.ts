import { defineProvider, imagesAsData } from '../../provider-kit/index.ts';
import { listModels, openaiEndpoints } from '../../families/openai/index.ts';
import { anthropicEndpoint } from '../../protocols/anthropic-messages/index.ts';
import { adaptCogview, adaptGlm } from './adapt.ts';

/** Zhipu's GLM offers OpenAI's API under its own path, and Anthropic's protocol under another. */
export const zhipuV4 = defineProvider({
  type: 26,
  id: 'zhipu-v4',
  name: { zh: '智谱', en: 'Zhipu GLM' },
  baseUrl: 'https://open.bigmodel.cn',
  ownedBy: 'zhipu_4v',
  hints: { key: 'id.secret' },
  models: [
    'glm-4-long',
    'glm-4.5',
    'glm-4.5-air',
    'glm-4.6',
    'glm-4.7',
    'glm-5',
    'glm-5.2',
    'glm-5.3',
    'glm-5.3-flash',
    'glm-5.3-flashx',
    'glm-5-turbo',
  ],
  endpoints: {
    ...openaiEndpoints(['openai-chat', 'openai-embeddings', 'openai-images'], {
      paths: {
        'openai-chat': '/api/paas/v4/chat/completions',
        'openai-embeddings': '/api/paas/v4/embeddings',
        'openai-images': '/api/paas/v4/images',
      },
      search: { tools: [{ type: 'web_search', web_search: { enable: true, search_result: true } }] },
      adapt: { 'openai-chat': adaptGlm, 'openai-images': adaptCogview },
    }),
    'anthropic-messages': { ...anthropicEndpoint('/api/anthropic/v1/messages'), hosts: [] },
  },
  beforeSend: (call, _channel, tools) =>
    call.url.endsWith('/images/generations') ? imagesAsData(call, 'data', tools) : call,
  fetchModels: listModels('/api/paas/v4/models'),
});
