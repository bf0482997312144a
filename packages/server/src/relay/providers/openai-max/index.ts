import { defineProvider } from '../../provider-kit/index.ts';
import {
  adaptReasoning,
  listModels,
  openaiEndpoints,
  openaiProtocols,
  openaiRealtime,
} from '../../families/openai/index.ts';

/** OpenAIMax resells OpenAI models under OpenAI's own API. */
export const openaiMax = defineProvider({
  type: 6,
  id: 'openai-max',
  name: 'OpenAIMax',
  baseUrl: 'https://api.openaimax.com',
  ownedBy: 'openai',
  endpoints: openaiEndpoints(openaiProtocols, { adapt: { 'openai-chat': adaptReasoning } }),
  realtime: openaiRealtime,
  fetchModels: listModels(),
});
