import { defineProvider } from '../../model/define-provider.ts';
import { adaptReasoning } from '../../model/openai/effort.ts';
import { listModels, openaiEndpoints, responsesPath } from '../../model/openai/endpoints.ts';

/** AILS resells OpenAI models under OpenAI's own API. */
export const ails = defineProvider({
  type: 9,
  id: 'ails',
  name: 'AILS',
  baseUrl: 'https://api.caipacity.com',
  ownedBy: 'openai',
  endpoints: openaiEndpoints({ adapt: adaptReasoning, paths: responsesPath }),
  fetchModels: listModels(),
});
