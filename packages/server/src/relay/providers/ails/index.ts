import { defineProvider } from '../../model/define-provider.ts';
import { adaptReasoning } from '../../model/openai/effort.ts';
import { listModels, openaiEndpoints, responsesPath } from '../../model/openai/endpoints.ts';
import { openaiRealtime } from '../../model/openai/realtime.ts';

/** AILS resells OpenAI models under OpenAI's own API. */
export const ails = defineProvider({
  type: 9,
  id: 'ails',
  name: 'AILS',
  baseUrl: 'https://api.caipacity.com',
  ownedBy: 'openai',
  endpoints: openaiEndpoints({ adapt: adaptReasoning, paths: responsesPath }),
  realtime: openaiRealtime,
  fetchModels: listModels(),
});
