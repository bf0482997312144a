import { defineProvider } from '../../provider-kit/index.ts';
import { listModels, openaiEndpoints } from '../../families/openai/index.ts';

/** Jina AI: embeddings and rerankers. */
export const jina = defineProvider({
  type: 38,
  id: 'jina',
  name: 'Jina AI',
  baseUrl: 'https://api.jina.ai',
  models: ['jina-clip-v1', 'jina-reranker-v2-base-multilingual', 'jina-reranker-m0', 'jina-reranker-v3.5'],
  endpoints: openaiEndpoints(['openai-embeddings', 'cohere-rerank']),
  fetchModels: listModels(),
});
