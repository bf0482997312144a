import { defineProvider } from '../../provider-kit/index.ts';
import {
  adaptReasoning,
  listModels,
  openaiEndpoints,
  openaiProtocols,
  openaiRealtime,
} from '../../families/openai/index.ts';

/** OhMyGPT resells OpenAI models under OpenAI's own API. */
export const ohmygpt = defineProvider({
  type: 7,
  id: 'ohmygpt',
  name: 'OhMyGPT',
  baseUrl: 'https://api.ohmygpt.com',
  ownedBy: 'openai',
  endpoints: openaiEndpoints(openaiProtocols, { adapt: { 'openai-chat': adaptReasoning } }),
  realtime: openaiRealtime,
  fetchModels: listModels(),
});
