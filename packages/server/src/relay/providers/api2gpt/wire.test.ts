import { api2gpt } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(api2gpt, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'openai-chat',
      model: 'o3-mini-high',
      url: 'https://api.api2gpt.com/v1/chat/completions',
      sent: { model: 'o3-mini', reasoning_effort: 'high' },
      answer: 'chat.json',
      shown: 'Hello.',
      usage: { input: 9, output: 2, reasoning: 64 },
    },
    {
      asked: 'openai-embeddings',
      url: 'https://api.api2gpt.com/v1/embeddings',
      answer: 'embeddings.json',
      usage: { input: 5 },
    },
  ],
  refused: ['cohere-rerank'],
});
