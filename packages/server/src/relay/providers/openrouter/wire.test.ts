import { openrouter } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(openrouter, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'openai-chat',
      model: 'openai/gpt-4o-mini',
      url: 'https://openrouter.ai/api/v1/chat/completions',
      headers: { authorization: 'Bearer test-channel-key', 'x-title': 'Tollgate' },
      answer: 'chat.sse',
      shown: ': OPENROUTER PROCESSING',
      usage: { input: 24, cacheRead: 64, output: 6, reasoning: 10 },
    },
    {
      asked: 'cohere-rerank',
      model: 'cohere/rerank-v3.5',
      url: 'https://openrouter.ai/api/v1/rerank',
      answer: 'rerank.json',
      usage: { input: 150 },
    },
  ],
  refused: ['gemini-predict', 'openai-compact', 'openai-moderations', 'openai-images', 'openai-audio'],
});
