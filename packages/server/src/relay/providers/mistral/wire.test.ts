import { mistral } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(mistral, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'openai-chat',
      model: 'mistral-small-latest',
      url: 'https://api.mistral.ai/v1/chat/completions',
      answer: 'chat.sse',
      shown: '"p":"a"',
      usage: { input: 31, cacheRead: 128, output: 3 },
    },
    {
      asked: 'openai-embeddings',
      model: 'mistral-embed',
      url: 'https://api.mistral.ai/v1/embeddings',
      answer: 'embeddings.json',
      usage: { input: 4 },
    },
    {
      asked: 'openai-audio',
      path: '/v1/audio/transcriptions',
      model: 'voxtral-mini-latest',
      url: 'https://api.mistral.ai/v1/audio/transcriptions',
      answer: 'transcription.json',
      shown: 'Hello.',
      usage: { input: 5, audioInput: 25, output: 4 },
    },
  ],
  refused: ['gemini-predict', 'openai-compact', 'openai-completions', 'openai-images', 'cohere-rerank'],
});
