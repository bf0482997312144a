import { defineProvider } from '../../provider-kit/index.ts';
import {
  adaptReasoning,
  listModels,
  openaiEndpoints,
  openaiProtocols,
  openaiRealtime,
  creditGrants,
} from '../../families/openai/index.ts';

/** AIGC2D resells OpenAI models under OpenAI's own API. */
export const aigc2d = defineProvider({
  type: 13,
  id: 'aigc2d',
  name: 'AIGC2D',
  baseUrl: 'https://api.aigc2d.com',
  ownedBy: 'openai',
  endpoints: openaiEndpoints(openaiProtocols, { adapt: { 'openai-chat': adaptReasoning } }),
  realtime: openaiRealtime,
  fetchModels: listModels(),
  balance: creditGrants('total_available'),
});
