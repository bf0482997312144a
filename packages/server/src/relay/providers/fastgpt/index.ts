import { defineProvider } from '../../model/define-provider.ts';
import { adaptReasoning } from '../../model/openai/effort.ts';
import { listModels, openaiEndpoints } from '../../model/openai/endpoints.ts';

/** FastGPT: a knowledge base behind an OpenAI chat call; the key names the application. */
export const fastgpt = defineProvider({
  type: 22,
  id: 'fastgpt',
  name: 'FastGPT',
  baseUrl: 'https://fastgpt.run/api/openapi',
  ownedBy: 'openai',
  hints: { key: 'APIKey-AppId', other: '' },
  endpoints: openaiEndpoints({ adapt: adaptReasoning }),
  fetchModels: listModels(),
});
