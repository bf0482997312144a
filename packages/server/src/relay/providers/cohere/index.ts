import { defineProvider, documentText, rerankAt, tidyRerank } from '../../provider-kit/index.ts';
import { joinUrl, namesIn } from '../../families/openai/index.ts';
import { geminiEmbeddings, openaiEmbeddings } from './embeddings.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { type Endpoint, refuse } from '../../types/index.ts';

/** Fields of other vendors' rerankers that version 2 lacks. */
const unknownFields = ['return_documents', 'max_chunk_per_doc', 'max_chunks_per_doc', 'overlap_tokens'];

function textIn(document: Json): string {
  const text = documentText(document);
  if (text !== undefined) return text;
  throw refuse('pictures_not_reranked', { protocol: 'cohere' });
}

/** Version 2 accepts only texts and returns none: documents are added from the request, unless the caller declines. */
const rerank: Endpoint = {
  ...rerankAt((channel) => joinUrl(channel, '/v2/rerank', '/v2')),
  adapt(body: JsonObject) {
    for (const name of unknownFields) delete body[name];
    const documents = Array.isArray(body.documents) ? body.documents : [];
    if (documents.some((document) => typeof document !== 'string')) body.documents = documents.map(textIn);
    return undefined;
  },
  rewrite: (answer, request) =>
    tidyRerank(answer, { ...request, return_documents: request.return_documents !== false }),
};

const chat: Endpoint = {
  protocol: 'cohere-chat',
  url: (channel) => joinUrl(channel, '/v2/chat', '/v2'),
  /**
   * The site's safety mode (env COHERE_SAFETY_SETTING; NONE sends none), which Cohere accepts neither with tools nor
   * with documents.
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
