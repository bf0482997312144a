import { originOf } from '../../types/index.ts';
import { defineProvider } from '../../provider-kit/index.ts';
import {
  adaptReasoning,
  listModels,
  openaiEndpoints,
  openaiProtocols,
  openaiRealtime,
  aiproxyAccounts,
  aiproxyBalance,
} from '../../families/openai/index.ts';

/** AI Proxy resells OpenAI models under OpenAI's own API. */
export const aiproxy = defineProvider({
  type: 10,
  id: 'aiproxy',
  name: 'AI Proxy',
  baseUrl: 'https://api.aiproxy.io',
  ownedBy: 'openai',
  endpoints: openaiEndpoints(openaiProtocols, { adapt: { 'openai-chat': adaptReasoning } }),
  realtime: openaiRealtime,
  fetchModels: listModels(),
  balance: aiproxyBalance,
  keyOrigins: ({ baseUrl }) => [originOf(baseUrl), aiproxyAccounts],
});
