import { defineProvider } from '../../model/define-provider.ts';
import { listModels, openaiEndpoints } from '../../model/openai/endpoints.ts';

/** Jina AI: embeddings and rerankers. */
export const jina = defineProvider({
  type: 38,
  id: 'jina',
  name: 'Jina AI',
  baseUrl: 'https://api.jina.ai',
  models: ['jina-clip-v1', 'jina-reranker-v2-base-multilingual'],
  endpoints: openaiEndpoints({
    paths: { 'openai-embeddings': '/v1/embeddings', 'cohere-rerank': '/v1/rerank' },
    only: true,
  }),
  fetchModels: listModels(),
});
