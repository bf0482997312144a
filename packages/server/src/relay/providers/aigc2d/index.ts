import { defineProvider } from '../../model/define-provider.ts';
import { adaptReasoning } from '../../model/openai/effort.ts';
import { listModels, openaiEndpoints, responsesPath } from '../../model/openai/endpoints.ts';
import { openaiRealtime } from '../../model/openai/realtime.ts';
import { creditGrants } from '../../model/openai/balance.ts';

/** AIGC2D resells OpenAI models under OpenAI's own API. */
export const aigc2d = defineProvider({
  type: 13,
  id: 'aigc2d',
  name: 'AIGC2D',
  baseUrl: 'https://api.aigc2d.com',
  ownedBy: 'openai',
  endpoints: openaiEndpoints({ adapt: adaptReasoning, paths: responsesPath }),
  realtime: openaiRealtime,
  fetchModels: listModels(),
  balance: creditGrants('total_available'),
});
