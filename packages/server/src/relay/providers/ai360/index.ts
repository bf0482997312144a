import { defineProvider } from '../../provider-kit/index.ts';
import { listModels, openaiEndpoints } from '../../families/openai/index.ts';

/** 360 Zhinao speaks plain OpenAI: chats and embeddings. */
export const ai360 = defineProvider({
  type: 19,
  id: 'ai360',
  name: { zh: '360 智脑', en: '360 Zhinao' },
  baseUrl: 'https://api.360.cn',
  models: [
    '360gpt-turbo',
    '360gpt-turbo-responsibility-8k',
    '360gpt-pro',
    '360gpt2-pro',
    '360GPT_S2_V9',
    'embedding-bert-512-v1',
    'embedding_s1_v1',
    'semantic_similarity_s1_v1',
  ],
  endpoints: openaiEndpoints(['openai-chat', 'openai-embeddings']),
  fetchModels: listModels(),
});
