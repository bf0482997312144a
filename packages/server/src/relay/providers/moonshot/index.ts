import { defineProvider } from '../../provider-kit/index.ts';
import { anthropicEndpoint } from '../../protocols/anthropic-messages/index.ts';
import { listModels, openaiEndpoints, moonshotBalance } from '../../families/openai/index.ts';

/** Moonshot AI (Kimi) speaks plain OpenAI in chats, and Anthropic's protocol under a path of its own. */
export const moonshot = defineProvider({
  type: 25,
  id: 'moonshot',
  name: { zh: '月之暗面', en: 'Moonshot AI' },
  baseUrl: 'https://api.moonshot.cn',
  models: [
    'kimi-k2.6',
    'kimi-k2.7-code',
    'kimi-k2.7-code-highspeed',
    'kimi-k3',
    'kimi-k3.1-pro',
    'kimi-k3.1-pro-highspeed',
  ],
  endpoints: {
    ...openaiEndpoints(['openai-chat'], { readsReasoning: true, hosts: { 'openai-chat': ['other'] } }),
    'anthropic-messages': { ...anthropicEndpoint('/anthropic/v1/messages'), hosts: [] },
  },
  fetchModels: listModels(),
  balance: moonshotBalance,
});
