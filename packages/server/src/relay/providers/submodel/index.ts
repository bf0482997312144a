import { defineProvider } from '../../provider-kit/index.ts';
import { listModels, openaiEndpoints } from '../../families/openai/index.ts';

/** Submodel serves open models under OpenAI's API, chats only. */
export const submodel = defineProvider({
  type: 53,
  id: 'submodel',
  name: 'Submodel',
  baseUrl: 'https://llm.submodel.ai',
  endpoints: openaiEndpoints(['openai-chat']),
  fetchModels: listModels(),
});
