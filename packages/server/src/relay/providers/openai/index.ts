import { bearer, defineProvider, rerankAt } from '../../provider-kit/index.ts';
import { type Channel, originOf, refuse } from '../../types/index.ts';
import {
  openaiBalance,
  adaptReasoning,
  listModels,
  joinUrl,
  openaiEndpoints,
  openaiProtocols,
  openaiRealtime,
  refusesFunctions,
} from '../../families/openai/index.ts';
import { soraVideo } from '../../tasks/index.ts';
import { openaiModels } from './models.ts';

const baseUrl = 'https://api.openai.com';

/** OpenAI has no reranking; servers with a copy of its API at an operator's address often do. */
function rerankUrl(channel: Channel): string {
  if (originOf(channel.baseUrl) === baseUrl)
    throw refuse('channel_without_protocol', { provider: 'OpenAI', protocol: 'cohere-rerank' });
  return joinUrl(channel, '/v1/rerank');
}

const headers = (channel: Channel): Record<string, string> => ({
  ...bearer(channel),
  ...(channel.organization !== '' && { 'openai-organization': channel.organization }),
});

/** OpenAI itself, and servers that copy its API. */
export const openai = defineProvider({
  type: 1,
  id: 'openai',
  name: 'OpenAI',
  baseUrl,
  models: openaiModels,
  headers,
  endpoints: {
    ...openaiEndpoints([...openaiProtocols, 'openai-compact'], {
      adapt: { 'openai-chat': adaptReasoning },
      namesPages: true,
      // Servers at other addresses may lack Responses.
      refusesInChats: (channel, model, facts) =>
        refusesFunctions(model, facts) && originOf(channel.baseUrl) === baseUrl,
    }),
    'cohere-rerank': rerankAt(rerankUrl),
  },
  realtime: openaiRealtime,
  tasks: {
    video: soraVideo({ url: (channel, behind) => joinUrl(channel, `/v1/videos${behind}`), headers }),
  },
  containersUrl: (channel, behind) => joinUrl(channel, `/v1/containers${behind}`),
  files: { api: 'openai', url: (channel, behind) => joinUrl(channel, `/v1/files${behind}`) },
  batches: {
    api: 'openai',
    priceFactor: 0.5,
    url: (channel, behind) => joinUrl(channel, `/v1/batches${behind}`),
  },
  fetchModels: listModels(),
  balance: openaiBalance,
});
