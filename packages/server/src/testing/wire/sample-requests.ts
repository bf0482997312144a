import type { JsonObject } from '../../lib/json.ts';
import type { ProtocolId } from '../../relay/types/index.ts';

/** A small request in each protocol of callers, that every provider which speaks it accepts. */
export const sampleRequests: Partial<Record<ProtocolId, JsonObject>> = {
  'anthropic-messages': {
    model: 'm',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'hi' }],
    stream: true,
  },
  'openai-chat': { model: 'm', messages: [{ role: 'user', content: 'hi' }], stream: true },
  'openai-completions': { model: 'm', prompt: 'hi' },
  'openai-embeddings': { model: 'm', input: 'hi' },
  'openai-moderations': { input: 'hi' },
  'openai-images': { model: 'm', prompt: 'hi' },
  'openai-audio': { model: 'm', input: 'hi' },
  'cohere-rerank': { model: 'm', query: 'hi', documents: ['hi'] },
  'openai-responses': { model: 'm', input: 'hi', stream: true },
  gemini: { model: 'm', contents: [{ role: 'user', parts: [{ text: 'hi' }] }], stream: true },
  'gemini-embeddings': { model: 'm', content: { parts: [{ text: 'hi' }] } },
};
