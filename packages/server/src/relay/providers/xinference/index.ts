import { defineProvider } from '../../model/define-provider.ts';
import { listModels, openaiEndpoints } from '../../model/openai/endpoints.ts';

/** Xinference: open models on machines of one's own, under OpenAI's API. */
export const xinference = defineProvider({
  type: 47,
  id: 'xinference',
  name: 'Xinference',
  models: ['bge-reranker-v2-m3', 'jina-reranker-v2'],
  endpoints: openaiEndpoints(),
  fetchModels: listModels(),
});
