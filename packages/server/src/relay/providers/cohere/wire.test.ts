import { cohere } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(cohere, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'openai-chat',
      model: 'command-r-08-2024',
      url: 'https://api.cohere.ai/v2/chat',
      answer: 'chat.sse',
      shown: 'Hel',
      usage: { input: 3, output: 4 },
    },
    {
      asked: 'openai-embeddings',
      model: 'embed-v4.0',
      url: 'https://api.cohere.ai/v2/embed',
      sent: { texts: ['hi'], embedding_types: ['float'] },
      answer: 'embed.json',
      shown: '"object":"list"',
      usage: { input: 2 },
    },
    {
      asked: 'cohere-rerank',
      model: 'rerank-v3.5',
      url: 'https://api.cohere.ai/v2/rerank',
      answer: 'rerank.json',
      shown: '"document":{"text":"hi"}',
      usage: 'counted here',
    },
  ],
  refused: [
    'gemini-predict',
    'openai-compact',
    'openai-completions',
    'openai-moderations',
    'openai-images',
    'openai-audio',
  ],
});
