import { defineProvider } from '../../provider-kit/index.ts';
import { listModels, openaiEndpoints } from '../../families/openai/index.ts';

/** 360 Zhinao speaks plain OpenAI: chats and embeddings. */
export const ai360 = defineProvider({
  type: 19,
  id: 'ai360',
  name: { zh: '360 智脑', en: '360 Zhinao' },
  baseUrl: 'https://api.360.cn',
  models: ['360gpt-turbo', '360gpt-pro', '360gpt2-pro', '360gpt-pro-trans', '360zhinao2-o1', '360gpt2-o1'],
  endpoints: openaiEndpoints(['openai-chat', 'openai-embeddings']),
  fetchModels: listModels(),
});
