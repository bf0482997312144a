import { defineProvider } from '../../provider-kit/index.ts';
import { listModels, openaiEndpoints } from '../../families/openai/index.ts';

/** 01.AI (Lingyiwanwu) speaks plain OpenAI, in chats alone. */
export const lingyiwanwu = defineProvider({
  type: 31,
  id: 'lingyiwanwu',
  name: { zh: '零一万物', en: '01.AI' },
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
  endpoints: openaiEndpoints(['openai-chat']),
  fetchModels: listModels(),
});
