import { defineProvider } from '../../model/define-provider.ts';
import { adaptReasoning } from '../../model/openai/effort.ts';
import { listModels, openaiEndpoints, responsesPath } from '../../model/openai/endpoints.ts';
import { openaiRealtime } from '../../model/openai/realtime.ts';
import { aiproxyBalance } from '../../model/openai/balance.ts';

/** AI Proxy resells OpenAI models under OpenAI's own API. */
export const aiproxy = defineProvider({
  type: 10,
  id: 'aiproxy',
  name: 'AI Proxy',
  baseUrl: 'https://api.aiproxy.io',
  ownedBy: 'openai',
  endpoints: openaiEndpoints({ adapt: adaptReasoning, paths: responsesPath }),
  realtime: openaiRealtime,
  fetchModels: listModels(),
  balance: aiproxyBalance,
});
