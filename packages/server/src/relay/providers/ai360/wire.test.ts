import { ai360 } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(ai360, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'openai-chat',
      model: '360gpt-turbo',
      url: 'https://api.360.cn/v1/chat/completions',
      answer: 'chat.json',
      shown: 'Hello.',
      usage: { input: 6, output: 3 },
    },
    {
      asked: 'openai-embeddings',
      model: 'embedding_s1_v1',
      url: 'https://api.360.cn/v1/embeddings',
      answer: 'embeddings.json',
      usage: { input: 3 },
    },
  ],
  refused: ['openai-completions', 'openai-moderations', 'openai-images', 'openai-audio', 'cohere-rerank'],
});
