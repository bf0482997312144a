import { defineProvider } from '../../model/define-provider.ts';
import { listModels, openaiEndpoints } from '../../model/openai/endpoints.ts';

/** 01.AI (Lingyiwanwu) speaks plain OpenAI. */
export const lingyiwanwu = defineProvider({
  type: 31,
  id: 'lingyiwanwu',
  name: '01.AI',
  baseUrl: 'https://api.lingyiwanwu.com',
  models: [
    'yi-large',
    'yi-medium',
    'yi-vision',
    'yi-medium-200k',
    'yi-spark',
    'yi-large-rag',
    'yi-large-turbo',
    'yi-large-preview',
    'yi-large-rag-preview',
  ],
  endpoints: openaiEndpoints(),
  fetchModels: listModels(),
});
