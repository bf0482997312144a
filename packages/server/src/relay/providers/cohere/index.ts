import { defineProvider } from '../../provider-kit/index.ts';
import { joinUrl, namesIn } from '../../families/openai/index.ts';
import type { Endpoint } from '../../types/index.ts';
import { geminiEmbeddings, openaiEmbeddings } from './embeddings.ts';
import { rerank } from './rerank.ts';

const chat: Endpoint = {
  protocol: 'cohere-chat',
  url: (channel) => joinUrl(channel, '/v2/chat', '/v2'),
  /**
   * The site's safety mode (env COHERE_SAFETY_SETTING; NONE sends none), which Cohere takes neither beside tools nor
   * documents.
   */
  adapt(body, { options }) {
    const mode = options.settings.COHERE_SAFETY_SETTING;
    const isTaken =
      body.safety_mode !== undefined || body.tools !== undefined || body.documents !== undefined;
    if (typeof mode === 'string' && mode !== 'NONE' && !isTaken) body.safety_mode = mode;
    return undefined;
  },
};

/** Cohere: Command models for chat, embeddings, and rerankers. */
export const cohere = defineProvider({
  type: 34,
  id: 'cohere',
  name: 'Cohere',
  baseUrl: 'https://api.cohere.ai',
  models: [
    'command-a-03-2025',
    'command-r-08-2024',
    'command-r-plus-08-2024',
    'command-r7b-12-2024',
    'c4ai-aya-expanse-32b',
    'command-nightly',
    'embed-v4.0',
    'embed-v5.0-pro',
    'embed-v5.0-fast',
    'rerank-english-v3.0',
    'rerank-multilingual-v3.0',
    'rerank-v3.5',
    'rerank-v4.0-fast',
    'rerank-v4.0-pro',
    'rerank-v5.0-fast',
    'rerank-v5.0-pro',
  ],
  endpoints: {
    'cohere-chat': chat,
    'openai-embeddings': openaiEmbeddings,
    'gemini-embeddings': geminiEmbeddings,
    'cohere-rerank': rerank,
  },
  fetchModels: {
    request: (channel) => ({
      url: joinUrl(channel, '/v1/models?page_size=1000'),
      headers: { authorization: `Bearer ${channel.key}` },
    }),
    read: (body) => namesIn(body, 'models', 'name'),
  },
});
