import { perplexity } from './index.ts';
import { proveWire } from '../../../testing/wire/wire-proof.ts';

proveWire(perplexity, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'openai-chat',
      model: 'sonar',
      url: 'https://api.perplexity.ai/chat/completions',
      answer: 'chat.sse',
      shown: '"citations"',
      usage: { input: 8, output: 3, webSearchCalls: 1 },
    },
  ],
  refused: [
    'openai-completions',
    'openai-embeddings',
    'gemini-embeddings',
    'openai-moderations',
    'openai-images',
    'openai-audio',
    'cohere-rerank',
  ],
});
