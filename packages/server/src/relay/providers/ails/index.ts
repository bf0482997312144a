import { defineProvider } from '../../provider-kit/index.ts';
import {
  adaptReasoning,
  listModels,
  openaiEndpoints,
  openaiProtocols,
  openaiRealtime,
} from '../../families/openai/index.ts';

/** AILS resells OpenAI models under OpenAI's own API. */
export const ails = defineProvider({
  type: 9,
  id: 'ails',
  name: 'AILS',
  baseUrl: 'https://api.caipacity.com',
  ownedBy: 'openai',
  endpoints: openaiEndpoints(openaiProtocols, { adapt: { 'openai-chat': adaptReasoning } }),
  realtime: openaiRealtime,
  fetchModels: listModels(),
});
