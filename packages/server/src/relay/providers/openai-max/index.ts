import { defineProvider } from '../../model/define-provider.ts';
import { adaptReasoning } from '../../model/openai/effort.ts';
import { listModels, openaiEndpoints, responsesPath } from '../../model/openai/endpoints.ts';
import { openaiRealtime } from '../../model/openai/realtime.ts';

/** OpenAIMax resells OpenAI models under OpenAI's own API. */
export const openaiMax = defineProvider({
  type: 6,
  id: 'openai-max',
  name: 'OpenAIMax',
  baseUrl: 'https://api.openaimax.com',
  ownedBy: 'openai',
  endpoints: openaiEndpoints({ adapt: adaptReasoning, paths: responsesPath }),
  realtime: openaiRealtime,
  fetchModels: listModels(),
});
