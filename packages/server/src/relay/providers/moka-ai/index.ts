import { defineProvider } from '../../provider-kit/index.ts';
import { listModels, openaiEndpoints } from '../../families/openai/index.ts';

/** MokaAI: the m3e embeddings. */
export const mokaAi = defineProvider({
  type: 44,
  id: 'moka-ai',
  name: 'MokaAI',
  baseUrl: 'https://api.moka.ai',
  ownedBy: 'mokaai',
  models: ['m3e-large', 'm3e-base', 'm3e-small'],
  endpoints: openaiEndpoints(['openai-embeddings'], { paths: { 'openai-embeddings': '/embeddings' } }),
  fetchModels: listModels(),
});
