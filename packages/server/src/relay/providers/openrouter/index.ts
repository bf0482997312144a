import { bearer, defineProvider } from '../../model/define-provider.ts';
import { openrouterBalance } from '../../model/openai/balance.ts';
import { adaptReasoning } from '../../model/openai/effort.ts';
import { listModels, openaiEndpoints, responsesPath } from '../../model/openai/endpoints.ts';

/** OpenRouter lists the sites that call it by these headers. */
const site = { 'http-referer': 'https://tollgate.invalid/', 'x-title': 'Tollgate' };

/** OpenRouter: many vendors behind one OpenAI chat call. */
export const openrouter = defineProvider({
  type: 20,
  id: 'openrouter',
  name: 'OpenRouter',
  baseUrl: 'https://openrouter.ai/api',
  headers: (channel) => ({ ...bearer(channel), ...site }),
  endpoints: openaiEndpoints({ adapt: adaptReasoning, paths: responsesPath, readsReasoning: true }),
  fetchModels: listModels(),
  balance: openrouterBalance,
});
