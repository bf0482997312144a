import { defineProvider } from '../../model/define-provider.ts';
import { adaptReasoning } from '../../model/openai/effort.ts';
import { listModels, openaiEndpoints, responsesPath } from '../../model/openai/endpoints.ts';
import { openaiRealtime } from '../../model/openai/realtime.ts';

/** OhMyGPT resells OpenAI models under OpenAI's own API. */
export const ohmygpt = defineProvider({
  type: 7,
  id: 'ohmygpt',
  name: 'OhMyGPT',
  baseUrl: 'https://api.ohmygpt.com',
  ownedBy: 'openai',
  endpoints: openaiEndpoints({ adapt: adaptReasoning, paths: responsesPath }),
  realtime: openaiRealtime,
  fetchModels: listModels(),
});
