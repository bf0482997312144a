import { bearer, defineProvider } from '../../model/define-provider.ts';
import { listModels, openaiEndpoints } from '../../model/openai/endpoints.ts';
import { adaptQwen } from './adapt.ts';

/** Alibaba's DashScope (Qwen) speaks OpenAI under a path of its own; plugins of an account have a header. */
export const ali = defineProvider({
  type: 17,
  id: 'ali',
  name: 'Alibaba DashScope',
  baseUrl: 'https://dashscope.aliyuncs.com',
  hints: { key: '', other: 'name of a plugin; empty for none' },
  models: [
    'qwen-turbo',
    'qwen-plus',
    'qwen-max',
    'qwen-max-longcontext',
    'qwq-32b',
    'qwen3-235b-a22b',
    'text-embedding-v1',
  ],
  headers: (channel) => ({
    ...bearer(channel),
    ...(channel.other !== '' && { 'x-dashscope-plugin': channel.other }),
  }),
  endpoints: openaiEndpoints({
    only: true,
    paths: {
      'openai-chat': '/compatible-mode/v1/chat/completions',
      'openai-completions': '/compatible-mode/v1/completions',
      'openai-embeddings': '/compatible-mode/v1/embeddings',
    },
    adapt: adaptQwen,
  }),
  streamUsage: true,
  fetchModels: listModels('/compatible-mode/v1/models'),
});
