import { fromOpenaiEmbeddings, toOpenaiEmbeddings } from './convert.ts';
import type { Endpoint } from '../../types/index.ts';

/** Embeddings for callers of Gemini's protocol, by the call that a provider has in OpenAI's. */
export const geminiEmbeddingsAt = (openai: Endpoint): Endpoint => ({
  protocol: 'gemini-embeddings',
  url: (channel, address) => openai.url(channel, address),
  adapt(body) {
    const wanted = toOpenaiEmbeddings(body);
    for (const key of Object.keys(body)) delete body[key];
    Object.assign(body, wanted);
    return undefined;
  },
  rewrite: (answer, request) => fromOpenaiEmbeddings(answer, request.requests !== undefined),
});
