import { defineProvider } from '../../provider-kit/index.ts';
import { adaptReasoning, listModels, openaiEndpoints } from '../../families/openai/index.ts';

/** FastGPT: a knowledge base behind an OpenAI chat call; the key names the application. */
export const fastgpt = defineProvider({
  type: 22,
  id: 'fastgpt',
  name: 'FastGPT',
  baseUrl: 'https://fastgpt.run/api/openapi',
  ownedBy: 'openai',
  hints: { key: 'APIKey-AppId' },
  endpoints: openaiEndpoints(['openai-chat'], { adapt: { 'openai-chat': adaptReasoning } }),
  fetchModels: listModels(),
});
