import { bearer, defineProvider } from '../../model/define-provider.ts';
import { openrouterBalance } from '../../model/openai/balance.ts';
import { adaptReasoning } from '../../model/openai/effort.ts';
import { listModels, openaiEndpoints, responsesPath } from '../../model/openai/endpoints.ts';
import { withOwnDetails } from '../../model/openai/own-details.ts';
import type { Endpoint } from '../../model/provider.ts';

/** OpenRouter lists the sites that call it by these headers. */
const site = { 'http-referer': 'https://tollgate.invalid/', 'x-title': 'Tollgate' };

/** Thoughts of earlier turns go on to the vendors behind it, who know none but their own. */
const adapt: Endpoint['adapt'] = (body, context) => {
  const messages = withOwnDetails(body.messages);
  if (messages) body.messages = messages;
  return adaptReasoning(body, context);
};

/** OpenRouter: many vendors behind one OpenAI chat call. */
export const openrouter = defineProvider({
  type: 20,
  id: 'openrouter',
  name: 'OpenRouter',
  baseUrl: 'https://openrouter.ai/api',
  headers: (channel) => ({ ...bearer(channel), ...site }),
  endpoints: openaiEndpoints({ adapt, paths: responsesPath, readsReasoning: true }),
  fetchModels: listModels(),
  balance: openrouterBalance,
});
