import { defineProvider } from '../../model/define-provider.ts';
import { adaptReasoning } from '../../model/openai/effort.ts';
import { listModels, openaiEndpoints, responsesPath } from '../../model/openai/endpoints.ts';
import { openaiRealtime } from '../../model/openai/realtime.ts';
import { creditGrants } from '../../model/openai/balance.ts';

/** API2GPT resells OpenAI models under OpenAI's own API. */
export const api2gpt = defineProvider({
  type: 12,
  id: 'api2gpt',
  name: 'API2GPT',
  baseUrl: 'https://api.api2gpt.com',
  ownedBy: 'openai',
  endpoints: openaiEndpoints({ adapt: adaptReasoning, paths: responsesPath }),
  realtime: openaiRealtime,
  fetchModels: listModels(),
  balance: creditGrants('total_remaining'),
});
