import { defineProvider } from '../../model/define-provider.ts';
import { anthropicEndpoint } from '../../protocols/anthropic-messages/index.ts';
import { listModels, openaiEndpoints } from '../../model/openai/endpoints.ts';
import { deepseekBalance } from '../../model/openai/balance.ts';

/** DeepSeek speaks OpenAI, and Anthropic's language under a path of its own; text completions are a beta of theirs. */
export const deepseek = defineProvider({
  type: 43,
  id: 'deepseek',
  name: 'DeepSeek',
  baseUrl: 'https://api.deepseek.com',
  models: ['deepseek-chat', 'deepseek-reasoner'],
  endpoints: {
    ...openaiEndpoints({
      paths: { 'openai-completions': '/beta/completions', 'openai-responses': '/responses' },
      readsReasoning: true,
    }),
    'anthropic-messages': anthropicEndpoint('/anthropic/v1/messages'),
  },
  streamUsage: true,
  fetchModels: listModels(),
  balance: deepseekBalance,
});
