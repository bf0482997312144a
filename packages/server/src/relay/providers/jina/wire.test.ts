import { jina } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(jina, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'openai-embeddings',
      model: 'jina-clip-v1',
      url: 'https://api.jina.ai/v1/embeddings',
      answer: 'embeddings.json',
      usage: { input: 6 },
    },
    {
      asked: 'cohere-rerank',
      model: 'jina-reranker-v2-base-multilingual',
      url: 'https://api.jina.ai/v1/rerank',
      answer: 'rerank.json',
      shown: '"relevance_score":0.5',
      usage: { input: 15 },
    },
  ],
  refused: [
    'openai-chat',
    'openai-responses',
    'anthropic-messages',
    'gemini',
    'openai-completions',
    'openai-moderations',
    'openai-images',
    'openai-audio',
  ],
});
