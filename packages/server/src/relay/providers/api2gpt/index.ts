import { defineProvider } from '../../provider-kit/index.ts';
import {
  adaptReasoning,
  listModels,
  openaiEndpoints,
  openaiProtocols,
  openaiRealtime,
  creditGrants,
} from '../../families/openai/index.ts';

/** API2GPT resells OpenAI models under OpenAI's own API. */
export const api2gpt = defineProvider({
  type: 12,
  id: 'api2gpt',
  name: 'API2GPT',
  baseUrl: 'https://api.api2gpt.com',
  ownedBy: 'openai',
  endpoints: openaiEndpoints(openaiProtocols, { adapt: { 'openai-chat': adaptReasoning } }),
  realtime: openaiRealtime,
  fetchModels: listModels(),
  balance: creditGrants('total_remaining'),
});
