import { defineProvider } from '../../model/define-provider.ts';
import { listModels, openaiEndpoints } from '../../model/openai/endpoints.ts';

/** MokaAI: the m3e embeddings. */
export const mokaAi = defineProvider({
  type: 44,
  id: 'moka-ai',
  name: 'MokaAI',
  baseUrl: 'https://api.moka.ai',
  ownedBy: 'mokaai',
  models: ['m3e-large', 'm3e-base', 'm3e-small'],
  endpoints: openaiEndpoints({ paths: { 'openai-embeddings': '/embeddings' }, only: true }),
  fetchModels: listModels(),
});
