import { bearer, defineProvider } from '../../provider-kit/index.ts';
import { joinUrl, namesIn } from '../../families/openai/index.ts';
import { adaptChat, imageAddresses } from './chat.ts';
import { adaptEmbeddings, rewriteEmbeddings } from './embeddings.ts';

/** Ollama: models on a machine of one's own. Chat under OpenAI's path, embeddings in its own words. */
export const ollama = defineProvider({
  type: 4,
  id: 'ollama',
  name: 'Ollama',
  baseUrl: 'http://localhost:11434',
  models: ['llama3-7b'],
  // Ollama asks for no key, but a proxy in front of it may.
  headers: (channel) => (channel.key === '' ? {} : bearer(channel)),
  endpoints: {
    'openai-chat': {
      protocol: 'openai-chat',
      url: (channel) => joinUrl(channel, '/v1/chat/completions'),
      adapt: adaptChat,
      filesNeeded: imageAddresses,
    },
    'openai-completions': {
      protocol: 'openai-completions',
      url: (channel) => joinUrl(channel, '/v1/completions'),
    },
    'openai-embeddings': {
      protocol: 'openai-embeddings',
      url: (channel) => joinUrl(channel, '/api/embed'),
      adapt: adaptEmbeddings,
      rewrite: rewriteEmbeddings,
    },
  },
  streamUsage: true,
  fetchModels: {
    request: (channel) => ({
      url: joinUrl(channel, '/api/tags'),
      headers: channel.key === '' ? {} : bearer(channel),
    }),
    read: (body) => namesIn(body, 'models', 'name'),
  },
});
