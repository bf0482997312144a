import { defineProvider } from '../../provider-kit/index.ts';
import { listModels, openaiEndpoints } from '../../families/openai/index.ts';

/** 01.AI (Lingyiwanwu) has OpenAI's chats only. */
export const lingyiwanwu = defineProvider({
  type: 31,
  id: 'lingyiwanwu',
  name: { zh: '零一万物', en: '01.AI' },
  baseUrl: 'https://api.lingyiwanwu.com',
  models: ['yi-lightning', 'yi-vision-v2'],
  endpoints: openaiEndpoints(['openai-chat']),
  fetchModels: listModels(),
});
