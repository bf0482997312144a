import { bearer, defineProvider } from '../../model/define-provider.ts';
import { openaiBalance } from '../../model/openai/balance.ts';
import { adaptReasoning } from '../../model/openai/effort.ts';
import { listModels, openaiEndpoints, responsesPath } from '../../model/openai/endpoints.ts';
import { openaiRealtime } from '../../model/openai/realtime.ts';
import { openaiModels } from './models.ts';

/** OpenAI itself. */
export const openai = defineProvider({
  type: 1,
  id: 'openai',
  name: 'OpenAI',
  baseUrl: 'https://api.openai.com',
  models: openaiModels,
  headers: (channel) => ({
    ...bearer(channel),
    ...(channel.organization !== '' && { 'openai-organization': channel.organization }),
  }),
  endpoints: openaiEndpoints({ adapt: adaptReasoning, paths: responsesPath }),
  realtime: openaiRealtime,
  streamUsage: true,
  fetchModels: listModels(),
  balance: openaiBalance,
});
