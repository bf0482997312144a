import { defineProvider } from '../../provider-kit/index.ts';
import { listModels, openaiEndpoints } from '../../families/openai/index.ts';

/** Xinference: open models on machines of one's own, under OpenAI's API. */
export const xinference = defineProvider({
  type: 47,
  id: 'xinference',
  name: 'Xinference',
  hints: {
    address: {
      placeholder: 'http://localhost:9997',
      meaning: { zh: '自行部署的服务地址', en: 'The address of your own server' },
    },
  },
  models: ['bge-reranker-v2-m3', 'jina-reranker-v2'],
  endpoints: openaiEndpoints([
    'openai-chat',
    'openai-completions',
    'openai-embeddings',
    'openai-images',
    'openai-audio',
    'cohere-rerank',
  ]),
  fetchModels: listModels(),
});
