import { defineProvider } from '../../provider-kit/index.ts';
import { anthropicEndpoint } from '../../protocols/anthropic-messages/index.ts';
import { adaptChat, adaptMessages } from './thinking.ts';
import { listModels, openaiEndpoints, deepseekBalance } from '../../families/openai/index.ts';

/** DeepSeek speaks OpenAI, and Anthropic's protocol under a path of its own; text completions are a beta of theirs. */
export const deepseek = defineProvider({
  type: 43,
  id: 'deepseek',
  name: 'DeepSeek',
  baseUrl: 'https://api.deepseek.com',
  models: ['deepseek-v4-flash', 'deepseek-v4-pro'],
  endpoints: {
    ...openaiEndpoints(['openai-chat', 'openai-completions', 'openai-responses'], {
      paths: { 'openai-completions': '/beta/completions', 'openai-responses': '/responses' },
      hosts: { 'openai-chat': ['other'] },
      adapt: { 'openai-chat': adaptChat },
      readsReasoning: true,
    }),
    'anthropic-messages': {
      ...anthropicEndpoint('/anthropic/v1/messages'),
      // Of Anthropic's tools the search alone.
      hosts: ['web-search'],
      adapt: adaptMessages,
    },
  },
  streamUsage: true,
  fetchModels: listModels(),
  balance: deepseekBalance,
});
