import { defineProvider } from '../../model/define-provider.ts';
import { anthropicEndpoint } from '../../protocols/anthropic-messages/index.ts';
import { listModels, openaiEndpoints } from '../../model/openai/endpoints.ts';
import { moonshotBalance } from '../../model/openai/balance.ts';

/** Moonshot AI (Kimi) speaks plain OpenAI, and Anthropic's language under a path of its own. */
export const moonshot = defineProvider({
  type: 25,
  id: 'moonshot',
  name: 'Moonshot AI',
  baseUrl: 'https://api.moonshot.cn',
  models: ['moonshot-v1-8k', 'moonshot-v1-32k', 'moonshot-v1-128k'],
  endpoints: {
    ...openaiEndpoints({ readsReasoning: true }),
    'anthropic-messages': anthropicEndpoint('/anthropic/v1/messages'),
  },
  fetchModels: listModels(),
  balance: moonshotBalance,
});
