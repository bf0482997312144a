import { custom } from './index.ts';
import { describeWire } from '../../../testing/wire/wire-tests.ts';

describeWire(custom, {
  folder: import.meta.dirname,
  calls: [
    {
      asked: 'openai-chat',
      model: 'a/b',
      channel: { baseUrl: 'https://own.test/x/{model}/chat?a=1' },
      url: 'https://own.test/x/a%2Fb/chat?a=1',
      sent: { model: 'a/b' },
      answer: 'chat.json',
      shown: 'Hello.',
      usage: { input: 12, output: 4 },
    },
    {
      asked: 'cohere-rerank',
      channel: { baseUrl: 'https://own.test/rerank' },
      url: 'https://own.test/rerank',
      answer: 'rerank.json',
      shown: '"relevance_score"',
      usage: { input: 21 },
    },
  ],
  refused: ['gemini-predict', 'openai-compact', 'gemini-embeddings'],
});
