import { defineProvider } from '../../model/define-provider.ts';
import { listModels, openaiEndpoints } from '../../model/openai/endpoints.ts';
import { deepseekBalance } from '../../model/openai/balance.ts';

/** DeepSeek speaks OpenAI; text completions are a beta of theirs. */
export const deepseek = defineProvider({
  type: 43,
  id: 'deepseek',
  name: 'DeepSeek',
  baseUrl: 'https://api.deepseek.com',
  models: ['deepseek-chat', 'deepseek-reasoner'],
  endpoints: openaiEndpoints({
    paths: { 'openai-completions': '/beta/completions', 'openai-responses': '/responses' },
  }),
  streamUsage: true,
  fetchModels: listModels(),
  balance: deepseekBalance,
});
